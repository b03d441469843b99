import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dataFolder, suiteFolder } from '@kapso-evolve/contracts';
import { findTunables } from './find-tunables.ts';
import type { Tunable } from './tunable.ts';

/** The files of a folder that hold tunable literals, as they stood when it was opened. */
export interface TunableFolder {
	readonly tunables: readonly Tunable[];
	readonly blocks: number;
	readonly faults: readonly string[];
	readonly notes: readonly string[];
	/** Rewrites the files with one text for each of `tunables`, in their order. Other bytes stay as they were. */
	write(texts: readonly string[]): Promise<void>;
}

const largestFile = 1024 * 1024;

/** Looks through every regular text file; hidden folders, installed packages, the suite and the data are not ours. */
export async function openTunableFolder(folder: string): Promise<TunableFolder> {
	const originals = new Map<string, string>();
	const found: ReturnType<typeof findTunables>[] = [];
	for (const path of await listFiles(folder)) {
		if ((await stat(join(folder, path))).size > largestFile) continue;
		const bytes = await readFile(join(folder, path));
		const text = bytes.toString('utf8');
		if (!Buffer.from(text, 'utf8').equals(bytes)) continue;
		const file = findTunables(path, text);
		found.push(file);
		if (file.tunables.length > 0) originals.set(path, text);
	}
	const tunables = found.flatMap((file) => file.tunables);
	return {
		tunables,
		blocks: found.reduce((sum, file) => sum + file.blocks, 0),
		faults: found.flatMap((file) => file.faults),
		notes: found.flatMap((file) => file.notes),
		async write(texts) {
			for (const [path, original] of originals) {
				const edits = tunables.map((tunable, index) => ({ tunable, text: texts[index]! }));
				const own = edits.filter(({ tunable }) => tunable.path === path);
				await writeFile(join(folder, path), rewritten(original, own));
			}
		},
	};
}

async function listFiles(folder: string, below = ''): Promise<string[]> {
	const entries = await readdir(join(folder, below), { withFileTypes: true });
	const files: string[] = [];
	for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
		const path = below === '' ? entry.name : `${below}/${entry.name}`;
		const skipped = entry.name.startsWith('.') || entry.name === 'node_modules';
		if (skipped || path === suiteFolder || path === dataFolder) continue;
		if (entry.isDirectory()) files.push(...(await listFiles(folder, path)));
		else if (entry.isFile()) files.push(path);
	}
	return files;
}

/** Puts the texts in place; a blank keeps a new minus from joining another, and a lost one from joining words. */
function rewritten(original: string, edits: readonly { readonly tunable: Tunable; readonly text: string }[]): string {
	let text = '';
	let at = 0;
	for (const { tunable, text: replacement } of edits) {
		const before = original[tunable.start - 1] ?? '';
		const joins = replacement.startsWith('-') ? before === '-' : tunable.text.startsWith('-') && /\w/.test(before);
		text += `${original.slice(at, tunable.start)}${joins ? ' ' : ''}${replacement}`;
		at = tunable.end;
	}
	return text + original.slice(at);
}
