// Sets the workspace up if it is not (packages, Node 24, build), then runs the command given.
// Plain JavaScript on purpose: this file is the only one that runs on the machine's own Node (20 or newer).
// Everything it says goes to stderr, so that the command's stdout stays its own.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
	existsSync,
	linkSync,
	lstatSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const bin = join(root, 'node_modules', '.bin');
const stamp = join(root, 'node_modules', '.kapso-setup');
const lock = join(root, '.setup.lock');
const onWindows = process.platform === 'win32';
const environment = environmentOfChildren();

/** The caller's, with our binaries first; NODE_PATH would change which modules programs find. */
function environmentOfChildren() {
	const { NODE_PATH: _, ...rest } = process.env;
	return {
		...rest,
		PATH: bin + delimiter + (process.env.PATH ?? ''),
		TURBO_TELEMETRY_DISABLED: '1',
		DO_NOT_TRACK: '1',
	};
}

/** Windows finds `.cmd` shims through its shell only, which needs its arguments quoted. */
function shellWords(words) {
	return onWindows
		? words.map((word) => (/^[\w.:/\\=@-]+$/.test(word) ? word : `"${word.replaceAll('"', '""')}"`))
		: words;
}

/** Runs a step of the set-up with its stdout sent to our stderr; true when it succeeded. */
function step(command, args) {
	const [program, ...rest] = shellWords([command, ...args]);
	const result = spawnSync(program, rest, {
		cwd: root,
		stdio: ['ignore', 2, 2],
		shell: onWindows,
		env: environment,
	});
	return !result.error && result.status === 0;
}

function fail(message) {
	process.stderr.write(
		`set-up failed: ${message}\n  nothing was changed outside node_modules/ and dist/; run it again once the cause is gone\n`,
	);
	process.exit(3);
}

/** What an installation depends on; another root means a folder that was copied with its node_modules. */
function digest() {
	const hash = createHash('sha256').update(root);
	for (const file of ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'])
		hash.update(readFileSync(join(root, file)));
	return hash.digest('hex');
}

function isInstalled() {
	return existsSync(stamp) && readFileSync(stamp, 'utf8') === digest();
}

function install() {
	const { devDependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
	const args = ['install', '--frozen-lockfile', '--prefer-offline', '--reporter=append-only'];
	args.push('--config.confirmModulesPurge=false');
	// What will run the packages is the Node.js that is being installed, not the one that installs it.
	args.push(`--config.node-version=${Object.values(optionalDependencies)[0]}`);
	// An installed pnpm that cannot replace the folder it runs from leaves the job to a fetched one.
	if (existsSync(join(bin, 'pnpm')) && step('pnpm', args)) return;
	if (!step('npx', ['-y', `pnpm@${devDependencies.pnpm}`, ...args])) fail('pnpm could not install the packages');
}

/**
 * pnpm makes `.bin/node` a shell script that starts Node.js as a child: a signal, a kill -9 above all, would end the
 * script and leave the program running. A link is the program itself. Every `.bin` program goes through it by exec.
 */
function linkNode() {
	const target = join('..', `node-${process.platform}-${process.arch}`, 'bin', 'node');
	const link = join(bin, 'node');
	if (!existsSync(join(bin, target)) || lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink()) return;
	const fresh = `${link}.${process.pid}`;
	symlinkSync(target, fresh);
	renameSync(fresh, link);
}

function checkNode() {
	const found = spawnSync('node', ['--version'], { env: environment, encoding: 'utf8', shell: onWindows });
	const version = found.stdout?.trim() || 'none';
	const [major = 0, minor = 0] = version.slice(1).split('.').map(Number);
	if (major > 22 || (major === 22 && minor >= 18)) return;
	fail(`Node.js 22.18 or newer is needed and ${version} was found; install a current Node.js from nodejs.org`);
}

/** One set-up at a time in one folder; a lock whose process is gone, or that is a quarter of an hour old, is taken over. */
async function withLock(work) {
	const mine = `${lock}.${process.pid}`;
	writeFileSync(mine, JSON.stringify({ pid: process.pid, host: hostname() }));
	try {
		for (let said = false; !tryLink(mine); said = true) {
			if (isStale()) rmSync(lock, { force: true });
			else {
				if (!said) process.stderr.write('another set-up is at work in this folder: waiting for it\n');
				await sleep(200);
			}
		}
	} finally {
		rmSync(mine, { force: true });
	}
	const release = () => rmSync(lock, { force: true });
	process.on('exit', release);
	work();
	release();
	process.off('exit', release);
}

function tryLink(mine) {
	try {
		linkSync(mine, lock);
		return true;
	} catch (error) {
		if (error.code === 'EEXIST') return false;
		throw error;
	}
}

function isStale() {
	try {
		if (Date.now() - statSync(lock).mtimeMs > 900_000) return true;
		const { pid, host } = JSON.parse(readFileSync(lock, 'utf8'));
		if (host !== hostname()) return false;
		process.kill(pid, 0);
		return false;
	} catch (error) {
		// ESRCH: its process is gone. ENOENT: it was released between two looks, and the next link will succeed.
		return error.code === 'ESRCH';
	}
}

/** Runs the command as if it had been typed: its streams, its exit code, its signals. */
function runCommand(command, args) {
	const [program, ...rest] = shellWords([command, ...args]);
	const child = spawn(program, rest, { stdio: 'inherit', env: environment, shell: onWindows });
	for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
		process.on(name, () => {
			// A terminal gives Ctrl-C to both of us; a second one would mean "leave now" to the command.
			if (name !== 'SIGINT' || !process.stdin.isTTY) child.kill(name);
		});
	}
	child.on('error', (error) => fail(`cannot run ${command}: ${error.message}`));
	child.on('close', (status, signal) => {
		for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(name);
		if (signal) process.kill(process.pid, signal);
		else process.exitCode = status ?? 1;
	});
}

await withLock(() => {
	if (!isInstalled()) {
		install();
		writeFileSync(stamp, digest());
	}
	linkNode();
	checkNode();
	if (!step('tsc', ['-b'])) fail('the packages do not compile: the errors stand above');
});

const [command, ...args] = process.argv.slice(2);
if (command) runCommand(command, args);
