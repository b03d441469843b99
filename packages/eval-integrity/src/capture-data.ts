import { replaceTree } from './scratch.ts';
import type { DataSnapshot } from './suite.ts';
import { surveyFolder } from './survey-folder.ts';
import { treeStamp } from './tree-stamp.ts';

/** Copies a caller's data folder to `to` (replaced) and fingerprints what was copied. Refusals as for suites, `DATA_…`. */
export async function captureData(options: { readonly from: string; readonly to: string }): Promise<DataSnapshot> {
	const source = await surveyFolder(options.from, 'DATA', options.to);
	const { entries, digest } = await replaceTree({ from: source, to: options.to });
	return { source, root: options.to, digest, entries, stamp: await treeStamp(options.to) };
}
