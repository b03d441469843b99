// Sets the workspace up if it is not (packages, Node 24, build), then runs the command given.
// Plain JavaScript on purpose: this file is the only one that runs on the machine's own Node (20 or newer).
// Everything it says goes to stderr, so that the command's stdout stays its own.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const bin = join(root, 'node_modules', '.bin');
const stamp = join(root, 'node_modules', '.kapso-setup');
const pnpmVersion = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies.pnpm;

/** Runs a program with its stdout sent to our stderr; a failure ends the set-up with its exit code. */
function step(command, args) {
	const result = spawnSync(command, args, {
		cwd: root,
		stdio: ['ignore', 2, 2],
		shell: process.platform === 'win32',
		env: environment(),
	});
	if (result.error) fail(`cannot run ${command}: ${result.error.message}`);
	if (result.status !== 0) fail(`${command} ${args.join(' ')} ended with ${result.status ?? result.signal}`);
}

function fail(message) {
	process.stderr.write(
		`set-up failed: ${message}\n  nothing was changed outside node_modules/ and dist/; run it again once the cause is gone\n`,
	);
	process.exit(3);
}

function environment() {
	const { NODE_PATH: _, ...rest } = process.env;
	return {
		...rest,
		PATH: bin + delimiter + (process.env.PATH ?? ''),
		TURBO_TELEMETRY_DISABLED: '1',
		DO_NOT_TRACK: '1',
	};
}

function digest() {
	const hash = createHash('sha256').update(root);
	for (const file of ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'])
		hash.update(readFileSync(join(root, file)));
	return hash.digest('hex');
}

function checkNode() {
	const found = spawnSync('node', ['--version'], {
		env: environment(),
		encoding: 'utf8',
		shell: process.platform === 'win32',
	});
	const [major = 0, minor = 0] = (found.stdout ?? '').trim().slice(1).split('.').map(Number);
	if (major > 22 || (major === 22 && minor >= 18)) return;
	fail(
		`Node.js 22.18 or newer is needed and ${found.stdout?.trim() || 'none'} was found; install a current Node.js from nodejs.org`,
	);
}

const wanted = digest();
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
	const install = ['install', '--frozen-lockfile', '--reporter=append-only', '--config.confirmModulesPurge=false'];
	if (existsSync(join(bin, 'pnpm'))) step('pnpm', install);
	else step('npx', ['-y', `pnpm@${pnpmVersion}`, ...install]);
	writeFileSync(stamp, wanted);
}
checkNode();
step('tsc', ['-b']);

const [command, ...args] = process.argv.slice(2);
if (command) {
	const child = spawnSync(command, args, {
		cwd: process.cwd(),
		stdio: 'inherit',
		env: environment(),
		shell: process.platform === 'win32',
	});
	if (child.error) fail(`cannot run ${command}: ${child.error.message}`);
	if (child.signal) process.kill(process.pid, child.signal);
	process.exit(child.status ?? 1);
}
