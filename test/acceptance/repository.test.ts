import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

interface Manifest {
	readonly name: string;
	readonly type?: string;
	readonly scripts?: Readonly<Record<string, string>>;
	readonly bin?: Readonly<Record<string, string>>;
	readonly dependencies?: Readonly<Record<string, string>>;
	readonly devDependencies?: Readonly<Record<string, string>>;
}

async function readManifest(folder: string): Promise<Manifest> {
	return JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8')) as Manifest;
}

async function dependenciesOf(folder: string): Promise<readonly string[]> {
	return Object.keys((await readManifest(folder)).dependencies ?? {});
}

describe('the repository', () => {
	it('is a pnpm workspace whose configuration stands at the root [CA03, CA10]', () => {
		const files = ['pnpm-workspace.yaml', 'turbo.json', 'package.json', 'tsconfig.base.json', 'pnpm-lock.yaml'];
		expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
	});

	it('is checked by TypeScript, turbo, vitest and changesets [CA01, CA04, CA08, CA09]', async () => {
		const { devDependencies = {} } = await readManifest('.');
		expect(Object.keys(devDependencies)).toEqual(
			expect.arrayContaining(['typescript', 'turbo', 'vitest', '@changesets/cli']),
		);
		for (const name of await readdir(join(root, 'packages')))
			expect(existsSync(join(root, 'packages', name, 'tsconfig.json')), name).toBe(true);
	});

	it('has the packages of the design card under exactly these names [CA11, CA12, CA13, CA14, CA15, CA16, CA17]', async () => {
		const names = ['workspace-git', 'eval-integrity', 'checkpoint', 'search', 'llm-routing', 'gates'];
		for (const name of names) expect((await readManifest(`packages/${name}`)).name).toBe(`@kapso-evolve/${name}`);
		expect(await readManifest('packages/cli')).toMatchObject({
			name: 'kapso-evolve',
			bin: { 'kapso-evolve': expect.any(String) },
		});
	});

	it('uses zod for what is read, isomorphic-git for objects, pino for the log [CA05, CA06, CA07]', async () => {
		expect(await dependenciesOf('packages/contracts')).toContain('zod');
		expect(await dependenciesOf('packages/workspace-git')).toContain('isomorphic-git');
		expect(await dependenciesOf('packages/engine')).toContain('pino');
	});

	it('composes the packages in the engine and starts it from the CLI [CA19]', async () => {
		expect(await dependenciesOf('packages/cli')).toContain('@kapso-evolve/engine');
		expect(await dependenciesOf('packages/engine')).toEqual(
			expect.arrayContaining(
				['workspace-git', 'eval-integrity', 'checkpoint', 'search'].map((name) => `@kapso-evolve/${name}`),
			),
		);
	});

	it('has one row of the roadmap, one package and one suite of its own a milestone [CA18, CA20, CA23, RN06, RN07, RN08]', async () => {
		const roadmap = await readFile(join(root, 'docs/roadmap.md'), 'utf8');
		const packages = ['workspace-git', 'repo-memory', 'checkpoint', 'iteration-evaluator', 'eval-integrity'];
		packages.push('coding-agents', 'gates', 'llm-routing', 'search');
		for (const [index, name] of packages.entries()) {
			expect(roadmap).toMatch(new RegExp(`^\\| ${index + 1} [^|]+\\| \`${name}\``, 'm'));
			const { scripts } = await readManifest(`packages/${name}`);
			expect(scripts?.test).toBe(`vitest run --root ../.. --project ${name}`);
		}
	});

	it('has every script of the documentation', async () => {
		const { scripts = {} } = await readManifest('.');
		const text = await Promise.all(['CONTRIBUTING.md', 'AGENTS.md'].map((file) => readFile(join(root, file), 'utf8')));
		const named = [...text.join('\n').matchAll(/npm run (?:-s )?([\w-]+)/g)].map((match) => match[1]!);
		expect(named.length).toBeGreaterThan(5);
		expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
	});

	it('has a README for every package, and a decision page for every one that the list names', async () => {
		for (const name of await readdir(join(root, 'packages')))
			expect(existsSync(join(root, 'packages', name, 'README.md')), `packages/${name}/README.md`).toBe(true);
		const pages = (await readdir(join(root, 'docs/decisions'))).filter((page) => page !== 'README.md');
		const list = await readFile(join(root, 'docs/decisions/README.md'), 'utf8');
		expect([...list.matchAll(/\]\(([^)]+\.md)\)/g)].map((match) => match[1]).sort()).toEqual(pages.sort());
	});
});
