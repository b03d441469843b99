import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Random } from '@kapso-evolve/contracts';

/** One way to damage a file; `other` is another file of the campaign. */
export interface Damage {
	readonly name: string;
	apply(path: string, other: string): Promise<void>;
}

const rewrite = (change: (bytes: Buffer) => Uint8Array | string) => async (path: string) =>
	await writeFile(path, change(await readFile(path)));
const replace = (make: (path: string) => Promise<unknown>) => async (path: string) => {
	await rm(path, { recursive: true, force: true });
	await make(path);
};
const flip = (bytes: Buffer, at: number): Buffer => {
	const flipped = Buffer.from(bytes);
	if (flipped.length > 0) flipped[at] = flipped[at]! ^ 0x20;
	return flipped;
};

export function damagesFor(random: Random): readonly Damage[] {
	const place = (bytes: Buffer) => Math.floor(random.next() * bytes.length);
	const rights: Damage[] = [
		{ name: 'without rights', apply: (path) => chmod(path, 0) },
		{ name: 'read-only', apply: (path) => chmod(path, 0o400) },
	];
	return [
		{ name: 'empty', apply: rewrite(() => '') },
		{ name: 'cut to half', apply: rewrite((bytes) => bytes.subarray(0, Math.floor(bytes.length / 2))) },
		{ name: 'cut at random', apply: rewrite((bytes) => bytes.subarray(0, place(bytes))) },
		{ name: 'first byte flipped', apply: rewrite((bytes) => flip(bytes, 0)) },
		{ name: 'a byte flipped', apply: rewrite((bytes) => flip(bytes, place(bytes))) },
		{ name: 'another byte flipped', apply: rewrite((bytes) => flip(bytes, place(bytes))) },
		{ name: 'a third byte flipped', apply: rewrite((bytes) => flip(bytes, place(bytes))) },
		{ name: 'last byte flipped', apply: rewrite((bytes) => flip(bytes, bytes.length - 1)) },
		{ name: 'a byte too many', apply: rewrite((bytes) => Buffer.concat([bytes, Buffer.from('x')])) },
		{ name: 'twice in a row', apply: rewrite((bytes) => Buffer.concat([bytes, bytes])) },
		{
			name: 'a block of zeros',
			apply: rewrite((bytes) => Buffer.from(bytes).fill(0, Math.floor(bytes.length / 3), Math.ceil(bytes.length / 2))),
		},
		{ name: 'garbage', apply: rewrite((bytes) => Buffer.from(bytes.map(() => random.next() * 256))) },
		{ name: 'null', apply: rewrite(() => 'null') },
		{ name: 'a list', apply: rewrite(() => '[[]]') },
		{ name: 'an empty object', apply: rewrite(() => '{}') },
		{ name: 'of a later version', apply: rewrite(() => '{"schema_version":99,"schemaVersion":99,"v":99}') },
		{
			name: 'with strings for numbers',
			apply: rewrite((bytes) => bytes.toString('latin1').replace(/:\s?\d+/g, ': "x"')),
		},
		{ name: 'its first line gone', apply: rewrite((bytes) => bytes.subarray(bytes.indexOf('\n') + 1)) },
		{
			name: 'its last line twice',
			apply: rewrite((bytes) => `${bytes}${bytes.toString().trimEnd().split('\n').at(-1)}\n`),
		},
		{ name: 'gone', apply: (path) => rm(path, { recursive: true, force: true }) },
		{ name: 'a folder', apply: replace((path) => mkdir(path)) },
		{ name: 'a link to nowhere', apply: replace((path) => symlink('/nonexistent/file', path)) },
		{ name: 'a link to a device', apply: replace((path) => symlink('/dev/zero', path)) },
		{ name: 'a pipe', apply: replace((path) => promisify(execFile)('mkfifo', [path])) },
		{ name: 'another file', apply: async (path, other) => writeFile(path, await readFile(other)) },
		...(process.getuid?.() === 0 ? [] : rights),
	];
}
