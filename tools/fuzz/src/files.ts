import {
	chmodSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	rmSync,
	type Stats,
	symlinkSync,
	writeFileSync,
} from 'node:fs';

/** A path below some folder, one char a byte (latin1), as Git has it. */
export type Path = string;

/** What lies at a path: `100644 <bytes>`, `100755 <bytes>`, `120000 <target>`, `folder` (an empty one) or `special`. */
export type Content = string;

export type Files = ReadonlyMap<Path, Content>;

/** Folder (text) and path (bytes) as one name for the calls of Node. */
export function at(folder: string, path: Path): Buffer {
	return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, 'latin1')]);
}

/** Everything below a folder, no link followed; nested repositories with all that is in their `.git`. */
export function readAll(folder: string, skip: (path: Path) => boolean = () => false): Map<Path, Content> {
	const found = new Map<Path, Content>();
	const pending: Path[] = [''];
	for (let relative = pending.pop(); relative !== undefined; relative = pending.pop()) {
		const children = readdirSync(at(folder, relative), { withFileTypes: true, encoding: 'buffer' });
		if (children.length === 0 && relative !== '') found.set(relative, 'folder');
		for (const child of children) {
			const name = child.name.toString('latin1');
			const path = relative === '' ? name : `${relative}/${name}`;
			if (skip(path)) continue;
			if (child.isDirectory()) pending.push(path);
			else found.set(path, read(folder, path)!);
		}
	}
	return found;
}

export function read(folder: string, path: Path): Content | null {
	const full = at(folder, path);
	const stat = look(full);
	if (stat === undefined) return null;
	if (stat.isDirectory()) return 'folder';
	if (stat.isSymbolicLink()) return `120000 ${readlinkSync(full, { encoding: 'buffer' }).toString('latin1')}`;
	if (!stat.isFile()) return 'special';
	return `${(stat.mode & 0o100) === 0 ? '100644' : '100755'} ${readFileSync(full).toString('latin1')}`;
}

function look(path: Buffer): Stats | undefined {
	try {
		return lstatSync(path, { throwIfNoEntry: false });
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
		throw error;
	}
}

/** Puts something at a path, whatever was there or above it before. */
export function put(folder: string, path: Path, content: Content): void {
	const parts = path.split('/');
	for (let end = 1; end < parts.length; end++) {
		const parent = at(folder, parts.slice(0, end).join('/'));
		const stat = look(parent);
		if (stat !== undefined && !stat.isDirectory()) rmSync(parent);
		if (stat === undefined || !stat.isDirectory()) mkdirSync(parent);
	}
	const full = at(folder, path);
	rmSync(full, { recursive: true, force: true });
	if (content === 'folder') mkdirSync(full);
	else if (content.startsWith('120000 ')) symlinkSync(Buffer.from(content.slice(7), 'latin1'), full);
	else {
		writeFileSync(full, Buffer.from(content.slice(7), 'latin1'));
		if (content.startsWith('100755')) chmodSync(full, 0o755);
	}
}

export function remove(folder: string, path: Path): void {
	rmSync(at(folder, path), { recursive: true, force: true });
}

export function isFolder(folder: string, path: Path): boolean {
	return look(at(folder, path))?.isDirectory() === true;
}

export function exists(folder: string, path: Path): boolean {
	return look(at(folder, path)) !== undefined;
}

/** For messages. */
export function show(path: Path): string {
	return JSON.stringify(Buffer.from(path, 'latin1').toString('utf8'));
}
