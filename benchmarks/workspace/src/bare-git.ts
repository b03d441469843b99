import { spawn } from 'node:child_process';
import { gitEnvironment } from '@kapso-evolve/testkit';

/** Runs git as a user would, with input and variables of ours; what it prints is read and dropped. */
export function bareGit(
	folder: string,
	args: readonly string[],
	options: { readonly input?: string; readonly variables?: Readonly<Record<string, string>> } = {},
): Promise<void> {
	return new Promise((resolve, reject) => {
		const env = gitEnvironment(options.variables);
		const stdin = options.input === undefined ? 'ignore' : 'pipe';
		const child = spawn('git', args, { cwd: folder, env, stdio: [stdin, 'pipe', 'inherit'] });
		child.stdout!.resume();
		child.on('error', reject);
		child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`git ${args[0]} ended with ${code}`))));
		child.stdin?.end(options.input);
	});
}
