import { spawn } from 'node:child_process';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..', '..');
const setup = join(root, 'tools', 'setup', 'with-setup.mjs');

interface Ended {
	readonly code: number | null;
	readonly signal: string | null;
	readonly stdout: string;
}

/** Runs a script through the set-up; `onOutput` sees its stdout as it comes and may signal the set-up's process. */
function runThroughSetup(script: string, onOutput: (text: string, pid: number) => void = () => {}): Promise<Ended> {
	return new Promise((resolve, reject) => {
		const env = { ...process.env, NODE_PATH: '/nowhere' };
		const args = [setup, 'node', '--eval', script];
		const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'ignore'] });
		let stdout = '';
		child.stdout.setEncoding('utf8').on('data', (text: string) => {
			stdout += text;
			onOutput(stdout, child.pid!);
		});
		child.on('error', reject);
		child.on('close', (code, signal) => resolve({ code, signal, stdout }));
	});
}

describe.skipIf(process.platform === 'win32')('the set-up (signals and exit codes as POSIX has them)', () => {
	it("leaves stdout and exit code to the command, and keeps the caller's NODE_PATH from it", async () => {
		const ended = await runThroughSetup('console.log(`${process.env.NODE_PATH}`); process.exit(7)');
		expect(ended).toEqual({ code: 7, signal: null, stdout: 'undefined\n' });
	});

	it('passes a signal on and waits for what the command makes of it [E24]', async () => {
		const script = `
			process.on('SIGTERM', () => setTimeout(() => { console.log('saved'); process.exit(143); }, 100));
			setInterval(() => {}, 1000);
			console.log('ready');`;
		let sent = false;
		const ended = await runThroughSetup(script, (text, pid) => {
			if (text !== 'ready\n' || sent) return;
			sent = true;
			process.kill(pid, 'SIGTERM');
		});
		expect(ended).toEqual({ code: 143, signal: null, stdout: 'ready\nsaved\n' });
	});

	it('dies by the signal that killed the command', async () => {
		const ended = await runThroughSetup("process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1000)");
		expect(ended).toEqual({ code: null, signal: 'SIGKILL', stdout: '' });
	});

	it.skipIf(process.platform !== 'linux')(
		'makes .bin/node the program itself, so that a kill -9 of a binary ends the binary (Linux)',
		async () => {
			const { code, stdout } = await runThroughSetup('console.log(process.ppid !== 1)');
			expect({ code, stdout }).toEqual({ code: 0, stdout: 'true\n' });
			expect((await lstat(join(root, 'node_modules', '.bin', 'node'))).isSymbolicLink()).toBe(true);
		},
	);
});
