import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { dataFolder, suiteFolder } from '@kapso-evolve/contracts';
import {
	captureData,
	captureSuite,
	type DataSnapshot,
	type EvaluateOptions,
	type Suite,
	suiteFiles as snapshotFiles,
} from '@kapso-evolve/eval-integrity';
import type { Sandbox } from '@kapso-evolve/process';
import { createRepository, type FileContent, writeFiles } from '@kapso-evolve/testkit';
import { openWorkspace, type Workspace } from '@kapso-evolve/workspace-git';
import { baseProgram, type Language, perfectProgram } from './language.ts';
import { dataFiles, lockedFile, type Shape, suiteFiles } from './suite.ts';

/** A campaign that candidates are tried in: real repository, captured suite and data, nothing mocked. */
export interface Arena {
	readonly folder: string;
	readonly language: Language;
	readonly shape: Shape;
	readonly level: EvaluateOptions['level'];
	readonly workspace: Workspace;
	readonly suite: Suite;
	readonly data: DataSnapshot;
	/** `main`, with the suite in it. */
	readonly parent: string;
	/** Beside it, on a branch of its own: a perfect program that no candidate may see. */
	readonly sibling: string;
	readonly sandbox: Sandbox;
	readonly path: string;
	readonly programHashes: Map<string, Promise<string>>;
}

export interface Place {
	readonly folder: string;
	readonly sandbox: Sandbox;
	readonly path: string;
	readonly programHashes: Map<string, Promise<string>>;
}

export async function openArena(
	place: Place,
	kind: { readonly language: Language; readonly shape: Shape; readonly level: EvaluateOptions['level'] },
): Promise<Arena> {
	const { folder } = place;
	const seed = join(folder, 'seed');
	const more: Record<string, FileContent> = {
		...(baseProgram(kind.language) as Record<string, FileContent>),
		'README.md': 'A program that squares.\n',
		'package.json': '{"type":"module"}\n',
		[lockedFile]: 'grader-library 1.0.0\n',
	};
	await createRepository(seed, more);
	await writeFiles(join(folder, 'evaluation'), suiteFiles(kind.language, kind.shape));
	await writeFiles(join(folder, 'datasets'), dataFiles);
	const suite = await captureSuite({
		from: join(folder, 'evaluation'),
		to: join(folder, 'suite'),
		visibility: 'visible',
	});
	const data = await captureData({ from: join(folder, 'datasets'), to: join(folder, 'data') });
	const workspace = await openWorkspace({
		path: join(folder, 'campaign'),
		seed,
		stateFolder: join(folder, 'state'),
		userEnvironment: { PATH: place.path },
	});
	const files = [];
	for (const [name, snapshot] of [
		[suiteFolder, suite],
		[dataFolder, data],
	] as const) {
		for await (const file of snapshotFiles(snapshot)) files.push({ ...file, path: `${name}/${file.path}` });
	}
	const parent = await workspace.commitFiles({ files, replaceFolders: [suiteFolder, dataFolder], message: 'Suite' });
	await mkdir(join(folder, 'clones'));
	const arena: Omit<Arena, 'sibling'> = { ...place, ...kind, workspace, suite, data, parent };
	return { ...arena, sibling: await makeSibling(arena) };
}

async function makeSibling({ workspace, parent, folder, language }: Omit<Arena, 'sibling'>): Promise<string> {
	const clone = await workspace.createAgentClone({ commit: parent, folder: join(folder, 'clones', 'sibling') });
	await writeFiles(clone.folder, perfectProgram(language) as Record<string, FileContent>);
	const made = await workspace.finalise({ clone, parentCommit: parent, branch: 'generic_exp_0', message: 'Sibling' });
	await workspace.removeClone(clone);
	if (made.status !== 'committed') throw new Error('the sibling has no commit');
	return made.commit;
}
