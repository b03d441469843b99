import { spawn } from 'node:child_process';
import { gitEnvironment } from '@kapso-evolve/testkit';

/** Git as a user runs it, in bytes. Non-zero exits are answers. */
export function plainGit(
	folder: string,
	args: readonly string[],
	stdin: string | Buffer = '',
): Promise<{ exitCode: number; stdout: string; stderr: string }> {
	return new Promise((resolve, reject) => {
		const env = gitEnvironment({ GIT_NO_REPLACE_OBJECTS: '1' });
		const child = spawn('git', ['-c', 'core.hooksPath=/dev/null', ...args], {
			cwd: folder,
			env,
			stdio: ['pipe', 'pipe', 'pipe'],
		});
		const stdout: Buffer[] = [];
		let stderr = '';
		child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
		child.stderr.setEncoding('utf8').on('data', (text: string) => {
			stderr += text;
		});
		child.on('error', reject);
		child.on('close', (code) =>
			resolve({ exitCode: code ?? 128, stdout: Buffer.concat(stdout).toString('latin1'), stderr }),
		);
		child.stdin.on('error', () => {}); // it ended without reading
		child.stdin.end(typeof stdin === 'string' ? Buffer.from(stdin, 'latin1') : stdin);
	});
}

/** As `plainGit`, for what must succeed: stdout (latin1), trimmed. */
export async function git(folder: string, args: readonly string[], stdin: string | Buffer = ''): Promise<string> {
	const { exitCode, stdout, stderr } = await plainGit(folder, args, stdin);
	if (exitCode !== 0) throw new Error(`git ${args.join(' ')} ended with ${exitCode}: ${stderr}`);
	return stdout.trim();
}

export function splitNul(text: string): string[] {
	return text.split('\0').filter((part) => part !== '');
}
