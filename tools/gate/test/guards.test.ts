import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { git, gitEnvironment, type TemporaryFolder, temporaryFolder, writeFiles } from '@kapso-evolve/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findLayerProblems } from '../layers.ts';
import { runProgram } from '../program.ts';
import { findTextProblems } from '../tracked-text.ts';

const root = join(import.meta.dirname, '..', '..', '..');
let folder: TemporaryFolder;

/** The tree as committed, without the rest of the working folder: the guards read files and manifests only. */
beforeEach(async () => {
	folder = await temporaryFolder('gate');
	const { output } = await runProgram({ argv: ['git', 'ls-files', '-z'], cwd: root });
	const paths = output
		.split('\0')
		.filter((path) => /\.(?:json|yaml)$|^(?:\.gitignore|packages\/[^/]+\/src\/index\.ts)$/.test(path));
	for (const path of paths) await cp(join(root, path), join(folder.path, path), { recursive: true });
});
afterEach(() => folder[Symbol.asyncDispose]());

/** Exit code and the whole output of a guard in the copied tree. */
async function guard(...argv: [string, ...string[]]): Promise<{ exitCode: number | null; output: string }> {
	const environment = { ...gitEnvironment(), PATH: process.env.PATH ?? '', NO_COLOR: '1' };
	return runProgram({ argv, cwd: folder.path, environment });
}

async function addDependency(packageName: string, dependency: string): Promise<void> {
	const path = join(folder.path, 'packages', packageName, 'package.json');
	const manifest = JSON.parse(await readFile(path, 'utf8')) as { dependencies?: Record<string, string> };
	manifest.dependencies = { ...manifest.dependencies, [dependency]: 'workspace:*' };
	await writeFile(path, JSON.stringify(manifest));
}

describe('the layer rules', () => {
	it('have nothing to say about the tree as it is [CA02, CA18]', async () => {
		const { exitCode, output } = await guard('turbo', 'boundaries');
		expect(output).toContain('no issues found');
		expect(exitCode).toBe(0);
		expect(await findLayerProblems(folder.path)).toEqual([]);
	});

	it('refuse an import of a package that the manifest does not name', async () => {
		await writeFiles(folder.path, {
			'packages/checkpoint/src/plant.ts': "import { isBetter } from '@kapso-evolve/search';\nexport { isBetter };\n",
		});
		const { exitCode, output } = await guard('turbo', 'boundaries');
		expect(exitCode).not.toBe(0);
		expect(output).toMatch(/cannot import package `@kapso-evolve\/search`/);
	});

	it('refuse a domain package that depends on another domain package [CA02]', async () => {
		await addDependency('checkpoint', '@kapso-evolve/search');
		const { exitCode, output } = await guard('turbo', 'boundaries');
		expect(exitCode).not.toBe(0);
		expect(output).toMatch(/`@kapso-evolve\/search` found without any tag/);
	});

	it('refuse a foundation package that depends on the engine, and the cycle that it makes', async () => {
		await addDependency('process', '@kapso-evolve/engine');
		const { exitCode, output } = await guard('turbo', 'boundaries');
		expect(exitCode).not.toBe(0);
		expect(output).toContain('Circular package dependency detected');
		expect(output).toMatch(/`@kapso-evolve\/engine` found without any tag/);
	});

	it('refuse a relative import that leaves its package', async () => {
		await writeFiles(folder.path, {
			'packages/checkpoint/src/plant.ts': "export { isBetter } from '../../search/src/index.ts';\n",
		});
		const { exitCode, output } = await guard('turbo', 'boundaries');
		expect(exitCode).not.toBe(0);
		expect(output).toContain('leaves the package');
	});

	it('refuse a deep import into another package', async () => {
		const plant = "import { KapsoError } from '@kapso-evolve/contracts/dist/error.js';\n\nexport { KapsoError };\n";
		await writeFiles(folder.path, { 'packages/search/src/plant.ts': plant });
		const { exitCode, output } = await guard('biome', 'lint', '--vcs-enabled=false', 'packages/search/src/plant.ts');
		expect(exitCode).not.toBe(0);
		expect(output).toContain('noRestrictedImports');
	});

	it('refuse files that import each other in a circle', async () => {
		await writeFiles(folder.path, {
			'packages/search/src/left.ts': "import { right } from './right.ts';\n\nexport const left = () => right;\n",
			'packages/search/src/right.ts': "import { left } from './left.ts';\n\nexport const right = () => left;\n",
		});
		const { exitCode, output } = await guard('biome', 'lint', '--vcs-enabled=false', 'packages/search/src');
		expect(exitCode).not.toBe(0);
		expect(output).toContain('noImportCycles');
	});

	it('refuse a published package that needs a private one, a missing reference and a missing tag', async () => {
		await addDependency('search', '@kapso-evolve/testkit');
		await addDependency('gates', '@kapso-evolve/durable-fs');
		await writeFile(join(folder.path, 'packages/gi/turbo.json'), '{"extends": ["//"]}');
		const problems = await findLayerProblems(folder.path);
		expect(problems).toEqual(
			expect.arrayContaining([
				'packages/search/package.json: @kapso-evolve/testkit is private and cannot be installed with it',
				'packages/gates/tsconfig.json: depends on durable-fs but has no reference to ../durable-fs',
				'packages/gi/turbo.json: needs exactly one layer tag, has []',
			]),
		);
	});
});

describe('tracked text', () => {
	it('may not name a registry host or carry a conflict marker', async () => {
		await writeFiles(folder.path, {
			'docs/a.md': `see https://${'registry'}.npmjs.org/x\n`,
			'docs/b.md': `fine\n${'<'.repeat(7)} ours\n`,
			'docs/c.md': 'fine\n',
		});
		await git(folder.path, 'init', '--quiet');
		await git(folder.path, 'add', 'docs');
		expect(await findTextProblems(folder.path)).toEqual([
			'docs/a.md:1: names a registry host: the machine decides where packages come from',
			'docs/b.md:2: has a conflict marker',
		]);
	});
});
