import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from '@kapso-evolve/testkit';
import { createBusyCampaign, startEngine } from './busy-campaign.ts';
import { createDice } from './dice.ts';
import { differences } from './explain.ts';
import { readAll } from './files.ts';
import { prepareWorkspace, type WorkspaceModule } from './load-workspace.ts';
import { git, plainGit } from './plain-git.ts';

export interface KillReport {
	kills: number;
	/** Kills after which opening had something to finish, take back or sweep. */
	repaired: number;
	lost: number;
	leaked: number;
	unexplained: number;
}

/** An engine that switches, finalises and materialises is killed at a random instant, again and again. */
export async function fuzzKills(o: { kills: number; seed: string; say: (line: string) => void }): Promise<KillReport> {
	await using temporary = await temporaryFolder('kills');
	const dice = createDice(o.seed, 'kills');
	const url = await prepareWorkspace(null, temporary.path);
	const module = (await import(url)) as WorkspaceModule;
	const { path, stateFolder, main } = await createBusyCampaign(module, temporary.path, 150);
	const report: KillReport = { kills: 0, repaired: 0, lost: 0, leaked: 0, unexplained: 0 };
	const expected = new Map(
		[...main, ['mine.txt', '100644 the user’s'], ['mine.log', '100644 the user’s, ignored']].map(([name, content]) => [
			name!,
			Buffer.from(content!).toString('latin1'),
		]),
	);
	writeFileSync(join(path, 'mine.txt'), 'the user’s');
	writeFileSync(join(path, 'mine.log'), 'the user’s, ignored');
	const made = join(temporary.path, 'made');
	writeFileSync(made, '');
	let refs = new Map<string, string>();
	while (report.kills < o.kills) {
		const run = `k${report.kills}`;
		const child = startEngine({ module: url, path, stateFolder, work: 'everything', rounds: 0, run, made });
		let stderr = '';
		child.stderr.setEncoding('utf8').on('data', (words: string) => {
			stderr += words;
		});
		const closed = once(child, 'close');
		await Promise.race([once(child.stdout, 'data'), closed]);
		await sleep(dice.integer(900));
		child.kill('SIGKILL');
		const [, signal] = (await closed) as [number | null, string | null];
		if (signal !== 'SIGKILL') {
			report.unexplained++;
			o.say(`${run} ended by itself: ${stderr.slice(0, 500)}`);
			if (report.unexplained > 20) break;
		}
		report.kills++;
		const problems = await reopen();
		for (const problem of problems) o.say(`${run}: ${problem}`);
	}
	const checked = await plainGit(path, ['fsck', '--full', '--strict', '--no-dangling']);
	if (checked.exitCode !== 0) {
		report.unexplained++;
		o.say(checked.stderr);
	}
	return report;

	async function reopen(): Promise<string[]> {
		const problems: string[] = [];
		const unexplained = (what: string) => {
			report.unexplained++;
			problems.push(what);
		};
		try {
			await using workspace = await module.openWorkspace({
				path,
				stateFolder,
				userEnvironment: { PATH: process.env.PATH ?? '' },
			});
			if (workspace.repairs.length > 0) report.repaired++;
			for (const line of workspace.repairs) if (/^left as it is|^stayed/.test(line)) unexplained(line);
		} catch (error) {
			unexplained(error instanceof Error ? `${error.stack}` : String(error));
		}
		for (const { what } of differences(
			expected,
			readAll(path, (name) => name === '.git'),
			'file',
			'bytes',
		)) {
			report.lost++;
			problems.push(what);
		}
		const status = await git(path, ['status', '--porcelain']);
		if (status !== '?? mine.txt') unexplained(`status: ${status}`);
		const now = new Map(
			(await git(path, ['for-each-ref', '--format=%(refname) %(objectname)']))
				.split('\n')
				.map((line) => line.split(' ') as [string, string]),
		);
		for (const [name, id] of refs) {
			if (now.get(name) === id) continue;
			report.lost++;
			problems.push(`${name} was ${id} and is ${now.get(name) ?? 'gone'}`);
		}
		for (const line of readFileSync(made, 'utf8')
			.split('\n')
			.filter((text) => text !== '')) {
			const [branch = '', commit = ''] = line.split(' ');
			if (now.get(`refs/heads/${branch}`) === commit) continue;
			report.lost++;
			problems.push(`${branch} was finalised and is ${now.get(`refs/heads/${branch}`) ?? 'gone'}`);
		}
		refs = now;
		const leaks = [
			...(await git(path, ['worktree', 'list'])).split('\n').slice(1),
			...readdirSync(stateFolder).filter((name) => name.startsWith('engine-')),
			...(existsSync(join(stateFolder, 'worktrees')) ? readdirSync(join(stateFolder, 'worktrees')) : []),
			...readdirSync(join(path, '.git')).filter((name) => name.endsWith('.lock')),
			...(existsSync(join(path, '.git/kapso/switch.json')) ? ['switch.json'] : []),
			...readdirSync(join(path, '.git/objects/pack')).filter((name) => name.startsWith('tmp_')),
		];
		report.leaked += leaks.length;
		problems.push(...leaks.map((leak) => `leaked: ${leak}`));
		return problems;
	}
}
