import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRepository, git, readFiles } from '@kapso-evolve/testkit';
import { expect, it } from 'vitest';
import { situation } from './situation.ts';
import { candidate } from './situation-branches.ts';

/** An engine of its own that checks out, finalises and materialises until it is killed. */
const engine = (o: { output: string; state: string; run: number }) => `
import { openWorkspace } from ${JSON.stringify(new URL('../src/index.ts', import.meta.url).href)};
import { writeFile } from 'node:fs/promises';
const workspace = await openWorkspace({
	path: ${JSON.stringify(o.output)}, stateFolder: ${JSON.stringify(o.state)},
	userEnvironment: { PATH: process.env.PATH },
});
console.log('open');
for (let round = 0; ; round++) {
	await workspace.checkout('generic_exp_0');
	const clone = await workspace.createAgentClone({ commit: workspace.mainCommit, folder: ${JSON.stringify(o.state)} + '/clone-${o.run}-' + round });
	await writeFile(clone.folder + '/new.txt', String(round));
	await workspace.finalise({ clone, parentCommit: workspace.mainCommit, branch: 'made_${o.run}_' + round, message: 'm' });
	const tree = await workspace.materialize('generic_exp_0');
	await tree[Symbol.asyncDispose]();
	await workspace.checkout('main');
}`;

it('loses nothing when it is killed again and again: every reopening is clean [RG01, G78, D2]', async () => {
	await using s = await situation();
	const files = (text: string) =>
		Object.fromEntries(
			Array.from({ length: 80 }, (_, n) => [`d${n % 7}/f${n}.txt`, `${text} ${n}\n`.repeat(1 + (n % 90))]),
		);
	await createRepository(join(s.folder, 'seed'), files('main'));
	const first = await s.open({ seed: join(s.folder, 'seed') });
	await candidate(s, first, { branch: 'generic_exp_0', files: files('candidate') });
	await first.close();
	await writeFile(join(s.output, 'mine.txt'), 'the user’s');
	const refs = new Set((await git(s.output, 'for-each-ref')).split('\n'));
	for (let run = 0; run < 4; run++) {
		const program = join(s.folder, `engine-${run}.ts`);
		await writeFile(program, engine({ output: s.output, state: s.state, run }));
		const child = spawn(process.execPath, [...process.execArgv, program], {
			stdio: ['ignore', 'pipe', 'inherit'],
			env: { PATH: process.env.PATH! },
		});
		const ended = new Promise((resolve) => child.on('close', resolve));
		await new Promise((resolve) => child.stdout.once('data', resolve));
		await new Promise((resolve) => setTimeout(resolve, 20 + run * 170));
		child.kill('SIGKILL');
		await ended;
		const workspace = await s.open();
		expect(await git(s.output, 'status', '--porcelain')).toBe('?? mine.txt');
		expect(await git(s.output, 'branch', '--show-current')).toBe('main');
		expect(await readFiles(s.output, (path) => path === '.git' || path === 'mine.txt')).toEqual(
			Object.fromEntries(Object.entries(files('main')).map(([path, text]) => [path, `644 ${text}`])),
		);
		expect(workspace.repairs.filter((line) => line.startsWith('left as it is'))).toEqual([]);
		const now = (await git(s.output, 'for-each-ref')).split('\n');
		for (const ref of refs) expect(now).toContain(ref);
		for (const ref of now) refs.add(ref);
		expect((await git(s.output, 'worktree', 'list')).split('\n')).toHaveLength(1);
		await workspace.close();
		expect((await readdir(s.state)).filter((name) => name.startsWith('engine-'))).toEqual([]);
		expect(existsSync(join(s.output, '.git/index.lock'))).toBe(false);
	}
	expect(await git(s.output, 'fsck', '--full', '--strict')).not.toMatch(/missing|broken|error/);
});
