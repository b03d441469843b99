import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Citation {
	readonly id: string;
	/** `packages/search/test/best.test.ts:12` */
	readonly place: string;
}

/** Wider than any id that exists: a misspelt one must be found, too. */
const id = '[A-Z]{1,3}\\d[\\dA-Za-z-]*';
/** `… [A4, M102]'`, as it stands at the end of a test's name. */
const bracketed = new RegExp(`(?<=[ '"\`])\\[(${id}(?:, ?${id})*)\\](?=['"\`])`, 'g');
/** A name with a placeholder in the brackets takes its ids from the rows of its table: strings that are ids only. */
const placeholder = /\[(?:\$[\w.]+|%s)/;
const quoted = new RegExp(`(['"\`])(${id}(?:, ?${id})*)\\1`, 'g');

/** The ids cited in one test file's text. */
export function citationsIn(text: string, path: string): readonly Citation[] {
	const fromTable = placeholder.test(text);
	return text.split('\n').flatMap((line, index) => {
		const lists = [...line.matchAll(bracketed)].map((match) => match[1]!);
		if (fromTable) lists.push(...[...line.matchAll(quoted)].map((match) => match[2]!));
		return lists.flatMap((list) => list.split(/, ?/).map((cited) => ({ id: cited, place: `${path}:${index + 1}` })));
	});
}

/** `Promises: M306, M314.` at the end of a decision page, which answers for what no test can show. */
export function citationsInPage(text: string, path: string): readonly Citation[] {
	return text.split('\n').flatMap((line, index) => {
		const list = line.match(/^Promises: (.+)\.$/)?.[1];
		return list?.split(', ').map((cited) => ({ id: cited, place: `${path}:${index + 1}` })) ?? [];
	});
}

/** Every citation in the test files of the workspace and in its decision pages. */
export async function readCitations(root: string): Promise<readonly Citation[]> {
	const found: Citation[] = [];
	const exclude = (path: string): boolean => /(?:^|[\\/])(?:node_modules|dist|fixtures)$/.test(path);
	for await (const path of glob('{packages,test,tools,examples,benchmarks}/**/*.test.ts', { cwd: root, exclude })) {
		found.push(...citationsIn(await readFile(join(root, path), 'utf8'), path.replaceAll('\\', '/')));
	}
	for await (const path of glob('docs/decisions/*.md', { cwd: root })) {
		found.push(...citationsInPage(await readFile(join(root, path), 'utf8'), path.replaceAll('\\', '/')));
	}
	return found;
}
