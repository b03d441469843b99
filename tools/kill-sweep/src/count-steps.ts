// Loaded with --import before the engine: names every durable step of this process and kills it at the wanted one.
import childProcess from 'node:child_process';
import { appendFileSync } from 'node:fs';
import fs, { type FileHandle, open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';

const wanted = process.env.KILL_STEP ?? '';
const trace = process.env.KILL_TRACE ?? '';
const seen = new Map<string, number>();

/** `before git update-ref#2`: the second time that this step is about to happen. */
function reach(moment: 'before' | 'after', name: string): void {
	const key = `${moment} ${name}`;
	const count = (seen.get(key) ?? 0) + 1;
	seen.set(key, count);
	if (trace !== '') appendFileSync(trace, `${key}#${count}\n`);
	if (`${key}#${count}` === wanted) process.kill(process.pid, 'SIGKILL');
}

async function around<T>(name: string, step: () => Promise<T>): Promise<T> {
	reach('before', name);
	const result = await step();
	reach('after', name);
	return result;
}

const { rename, link } = fs;
fs.rename = (from, to) => around(`rename ${kindOf(String(to))}`, () => rename(from, to));
fs.link = (from, to) => around(`link ${kindOf(String(to))}`, () => link(from, to));

const probe = await open(process.execPath, 'r');
const prototype = Object.getPrototypeOf(probe) as FileHandle;
await probe.close();
const { sync, datasync } = prototype;
prototype.sync = function (this: FileHandle) {
	return around('sync', () => sync.call(this));
};
prototype.datasync = function (this: FileHandle) {
	return around('append to ledger', () => datasync.call(this));
};

const { spawn } = childProcess;
childProcess.spawn = ((program: string, args: readonly string[], options: object) => {
	const name = spawnName(program, args ?? []);
	if (name === null) return spawn(program, args, options as never);
	reach('before', name);
	const child = spawn(program, args, options as never);
	child.once('close', () => reach('after', name));
	return child;
}) as typeof spawn;
syncBuiltinESMExports();

/** Git's verb, `sandbox` or the program; null for what lives as long as the campaign. */
function spawnName(program: string, args: readonly string[]): string | null {
	if (basename(program) !== 'git') return basename(program) === 'prlimit' ? 'sandbox' : basename(program);
	const verb = args.find(
		(arg, index) => /^[a-z][a-z-]+$/.test(arg) && args[index - 1] !== '-c' && args[index - 1] !== '-C',
	);
	return verb === undefined || verb === 'cat-file' ? null : `git ${verb}`;
}

/** File names without what differs from run to run. */
function kindOf(path: string): string {
	return basename(path)
		.replace(/-?[0-9a-f]{16,}.*$/, '')
		.replace(/\d+/g, 'N');
}
