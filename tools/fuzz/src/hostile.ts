import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRepository, fakeClock, git, temporaryFolder, writeFiles } from '@kapso-evolve/testkit';
import { differences } from './explain.ts';
import { readAll } from './files.ts';
import { type HostileSetting, hostileSettings } from './hostile-settings.ts';
import { prepareWorkspace, type WorkspaceModule } from './load-workspace.ts';
import { clonePrivateSeed } from './private-seed.ts';

export interface HostileReport {
	settings: number;
	different: number;
	programs_run: number;
	config_changed: number;
	private_seed: boolean;
}

/** One small campaign under each setting: the same commits, the same files, nothing run, nothing of the user's written. */
export async function fuzzHostile(say: (line: string) => void): Promise<HostileReport> {
	await using temporary = await temporaryFolder('hostile');
	const module = (await import(await prepareWorkspace(null, temporary.path))) as WorkspaceModule;
	const report: HostileReport = { settings: 0, different: 0, programs_run: 0, config_changed: 0, private_seed: false };
	const expected = JSON.stringify(await campaign(module, join(temporary.path, 'plain'), { name: 'none' }));
	const count = hostileSettings({ home: '', tripwire: '', outside: '' }).length;
	for (let number = 0; number < count; number++) {
		const folder = join(temporary.path, `s${number}`);
		const home = join(folder, 'home');
		const [tripwire, ran, outside] = [
			join(temporary.path, `trip${number}`),
			join(folder, 'ran'),
			join(folder, 'outside'),
		];
		mkdirSync(home, { recursive: true });
		writeFileSync(tripwire, `#!/bin/sh\n: > '${ran}'\nexit 1\n`);
		chmodSync(tripwire, 0o755);
		await createRepository(outside, { 'x.txt': 'x' });
		const setting = hostileSettings({ home, tripwire, outside })[number]!;
		const hooks = Object.entries(setting.files ?? {});
		await writeFiles(
			home,
			Object.fromEntries(
				hooks.map(([path, text]) => [
					path,
					text.startsWith('#!') ? { executable: `#!/bin/sh\nexec '${tripwire}'\n` } : text,
				]),
			),
		);
		if (setting.config !== undefined) writeFileSync(join(home, '.gitconfig'), `${setting.config}\n`);
		const before = new Map([
			...readAll(home),
			...[...readAll(outside)].map(([path, content]) => [`outside/${path}`, content] as const),
		]);
		report.settings++;
		try {
			const actual = JSON.stringify(await campaign(module, folder, setting));
			if (actual !== expected) {
				report.different++;
				say(`${setting.name}: ${actual.slice(0, 300)}\n  not ${expected.slice(0, 300)}`);
			}
		} catch (error) {
			report.different++;
			say(`${setting.name}: ${error instanceof Error ? error.stack : String(error)}`);
		}
		if (existsSync(ran)) {
			report.programs_run++;
			say(`${setting.name}: a program was run`);
		}
		const after = new Map([
			...readAll(home),
			...[...readAll(outside)].map(([path, content]) => [`outside/${path}`, content] as const),
		]);
		for (const { what } of differences(before, after, setting.name, 'bytes')) {
			report.config_changed++;
			say(what);
		}
		for (const trace of ['.trace', '.trace2'])
			if (existsSync(home + trace)) say(`${setting.name}: a trace was written`);
	}
	report.private_seed = await clonePrivateSeed(module, temporary.path, say);
	return report;
}

async function campaign(module: WorkspaceModule, folder: string, setting: HostileSetting): Promise<unknown> {
	mkdirSync(folder, { recursive: true });
	const seed = join(folder, 'seed');
	await createRepository(
		seed,
		{ '.gitignore': '*.log\n', 'a.txt': 'a\r\nb\n', 'b.sh': { executable: 'x' }, 'c.txt': '$Id$ c\n' },
		'trunk',
	);
	for (const [name, value] of setting.seedConfig ?? []) await git(seed, 'config', name, value);
	writeFileSync(join(seed, 'c.txt'), 'uncommitted\r\n');
	const options = {
		path: join(folder, 'campaign'),
		stateFolder: join(folder, 'state'),
		userEnvironment: { PATH: process.env.PATH ?? '', HOME: join(folder, 'home'), ...setting.environment },
		clock: fakeClock(),
	};
	const ids: unknown[] = [];
	let made = '';
	{
		await using workspace = await module.openWorkspace({ ...options, seed, includeUncommitted: true });
		const main = await workspace.commitFiles({
			files: [{ path: 'suite/s.py', mode: '100644', bytes: Buffer.from('s\r\n') }],
			replaceFolders: [],
			message: 'Suite',
		});
		const clone = await workspace.createAgentClone({ commit: main, folder: join(folder, 'clone') });
		await writeFiles(clone.folder, { 'a.txt': 'c\r\n', 'new.py': 'n\n', 'x.log': 'log', 'ü/n.txt': 'ü\r\n' });
		const result = await workspace.finalise({ clone, parentCommit: main, branch: 'generic_exp_0', message: 'made' });
		if (result.status !== 'committed') throw new Error('nothing changed');
		made = result.commit;
		await workspace.removeClone(clone);
		for (const commit of [main, made]) ids.push((await workspace.objects.readCommit(commit)).tree);
		ids.push(
			result.treeDigest,
			result.ignored,
			await workspace.changedPaths(main, made),
			await workspace.diff(main, made),
		);
		await using tree = await workspace.materialize(made);
		ids.push([...readAll(tree.path, (path) => path === '.git')].sort());
		await workspace.materializeTree(made, { to: join(folder, 'tree') });
		ids.push([...readAll(join(folder, 'tree'))].sort());
		await workspace.checkout('generic_exp_0');
		ids.push([...readAll(workspace.root, (path) => path === '.git')].sort());
	}
	await using again = await module.openWorkspace(options);
	ids.push([...readAll(again.root, (path) => path === '.git')].sort(), [...(await again.branches()).keys()].sort());
	if (existsSync(join(again.gitDir, 'hooks'))) throw new Error('the campaign has hooks');
	return ids;
}
