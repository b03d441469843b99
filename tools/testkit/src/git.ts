import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { type FileContent, writeFiles } from './files.ts';

/** An environment in which neither the machine's nor the user's Git settings take part. */
export function gitEnvironment(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
	return {
		PATH: process.env.PATH ?? '/usr/bin:/bin',
		HOME: '/nonexistent',
		LC_ALL: 'C',
		GIT_CONFIG_NOSYSTEM: '1',
		GIT_CONFIG_GLOBAL: '/dev/null',
		GIT_AUTHOR_NAME: 'A User',
		GIT_AUTHOR_EMAIL: 'user@example.invalid',
		GIT_COMMITTER_NAME: 'A User',
		GIT_COMMITTER_EMAIL: 'user@example.invalid',
		...extra,
	};
}

/** Runs git as a user would and gives its stdout, trimmed; a non-zero exit throws with what git said. */
export function git(folder: string, ...args: readonly string[]): Promise<string> {
	return new Promise((resolve, reject) => {
		const child = spawn('git', args, { cwd: folder, env: gitEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] });
		let stdout = '';
		let stderr = '';
		child.stdout.setEncoding('utf8').on('data', (text: string) => {
			stdout += text;
		});
		child.stderr.setEncoding('utf8').on('data', (text: string) => {
			stderr += text;
		});
		child.on('error', reject);
		child.on('close', (code) => {
			if (code === 0) resolve(stdout.trim());
			else reject(new Error(`git ${args.join(' ')} ended with ${code}: ${stderr}`));
		});
	});
}

/** A repository with one commit of these files on its branch. */
export async function createRepository(
	folder: string,
	files: Readonly<Record<string, FileContent>>,
	branch = 'main',
): Promise<string> {
	await mkdir(folder, { recursive: true });
	await git(folder, 'init', '--quiet', `--initial-branch=${branch}`);
	await writeFiles(folder, files);
	await git(folder, 'add', '--all', '--force');
	await git(folder, 'commit', '--quiet', '--allow-empty', '--message', 'start');
	return git(folder, 'rev-parse', 'HEAD');
}
