import type { Dice } from './dice.ts';
import type { Content, Path } from './files.ts';

const latin1 = (text: string) => Buffer.from(text).toString('latin1');

export const ignoreRules = '*.log\n/cache/\n.env\n';

/** What `main` of every world holds; the rest of a tree is chance. */
export const mainFiles: ReadonlyMap<Path, Content> = new Map([
	['.gitignore', `100644 ${ignoreRules}`],
	['a.txt', '100644 main\n'],
	['dir/b.txt', '100644 b\n'],
	['dir/c.txt', '100644 c\r\n'],
	['dir/sub/d.txt', '100644 d\n'],
	['swap', '100644 a file\n'],
	['folder/x.txt', '100644 x\n'],
	['run.sh', '100755 #!/bin/sh\n'],
	['link', '120000 a.txt'],
	['same.txt', '100644 same\n'],
	['empty', '100644 '],
	[latin1('naïve ü.txt'), '100644 ü\n'],
	['-dash', '100644 -\n'],
	[':colon', '100644 :\n'],
	['*star', '100644 *\n'],
	['sp ace/in.txt', '100644 in\n'],
]);

/** Paths that candidates add or change: ignored ones, ones that swap files and folders, ones with odd names. */
export const candidatePaths: readonly Path[] = [
	'a.txt',
	'dir/b.txt',
	'dir/sub/d.txt',
	'dir/new.txt',
	'dir',
	'swap',
	'swap/now.txt',
	'folder',
	'folder/x.txt',
	'folder/deep/er.txt',
	'run.sh',
	'link',
	'link/inside.txt',
	'new.txt',
	'new/one.txt',
	'new/two/three.txt',
	'out.log',
	'new/trace.log',
	'cache/entry',
	'.env',
	'-dash',
	'-new dash',
	':(top)colon',
	'*glob*',
	latin1('neu ü.txt'),
	latin1('naïve ü.txt'),
	'"quoted".txt',
];

/** Names that a candidate may not have, but a user's own branch may. */
export const oddPaths: readonly Path[] = [
	'tab\there',
	'new\nline',
	'bad\xff\xfeutf8',
	'back\\slash',
	'Twin',
	'twin',
	'\x01',
];

/** A tree that differs from another in a few places. */
export function changedTree(dice: Dice, files: ReadonlyMap<Path, Content>, odd: boolean): Map<Path, Content> {
	const tree = new Map(files);
	const changes = 2 + dice.integer(7);
	for (let count = 0; count < changes; count++) {
		const path = dice.pick(odd && dice.chance(0.5) ? oddPaths : candidatePaths);
		const kind = dice.integer(10);
		removeBelow(tree, path);
		if (kind === 0) continue;
		for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) tree.delete(path.slice(0, end));
		if (kind === 1) tree.set(path, `120000 ${dice.pick(['a.txt', 'dir', '../dir', 'nowhere'])}`);
		else tree.set(path, `${kind === 2 ? '100755' : '100644'} ${dice.text()}`);
	}
	return tree;
}

function removeBelow(tree: Map<Path, Content>, path: Path): void {
	for (const name of [...tree.keys()]) if (name === path || name.startsWith(`${path}/`)) tree.delete(name);
}

export interface NewCommit {
	readonly branch: string;
	readonly files: ReadonlyMap<Path, Content>;
	readonly parent?: string;
}

/** A stream for `git fast-import`: each commit its whole tree. */
export function importStream(commits: readonly NewCommit[]): string {
	const data = (text: string) => `data ${text.length}\n${text}\n`;
	const quote = (path: Path) =>
		`"${path.replace(/[^A-Za-z0-9_./]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`)}"`;
	return commits
		.map(({ branch, files, parent }) => {
			const changes = [...files].map(
				([path, content]) => `M ${content.slice(0, 6)} inline ${quote(path)}\n${data(content.slice(7))}`,
			);
			const from = parent === undefined ? '' : `from ${parent}\n`;
			const who = 'committer A User <user@example.invalid> 1700000000 +0000\n';
			return `commit refs/heads/${branch}\n${who}${data(branch)}${from}deleteall\n${changes.join('')}\n`;
		})
		.join('');
}
