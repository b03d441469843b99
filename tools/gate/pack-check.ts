// Every published package as a user gets it: packed, judged by publint and attw, installed into an empty folder of its
// own from its tarball and those of its neighbours, imported, measured. `--node PATH` imports with another Node.js;
// `--only NAME` looks at one package; `--update` writes the sizes found into the budget.
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureInstallation } from './installed-size.ts';
import { runProgram } from './program.ts';
import { compareWithBudget, readBudget, type Size, writeBudget } from './size-budget.ts';
import { isPublished, readWorkspacePackages, type WorkspacePackage } from './workspace-packages.ts';

interface Packed {
	readonly one: WorkspacePackage;
	readonly tarball: string;
}

const root = join(import.meta.dirname, '..', '..');
const { values: options } = parseArgs({
	options: { node: { type: 'string' }, only: { type: 'string' }, update: { type: 'boolean', default: false } },
});
const node = options.node ?? process.execPath;
const packages = (await readWorkspacePackages(root)).filter(isPublished);
const work = await realpath(await mkdtemp(join(tmpdir(), 'kapso-pack-')));
try {
	process.exitCode = await checkAll();
} finally {
	await rm(work, { recursive: true, force: true, maxRetries: 3 });
}

async function checkAll(): Promise<number> {
	const packed = new Map<string, Packed>();
	await inTwos(packages, async (one) => {
		packed.set(one.manifest.name, { one, tarball: await pack(one) });
	});
	const sizes: Record<string, Size> = {};
	const problems: string[] = [];
	let failed = 0;
	const wanted = packages.filter((one) => options.only === undefined || one.manifest.name.endsWith(options.only));
	await inTwos(wanted, async (one) => {
		const { size, found } = await check(packed.get(one.manifest.name)!, packed);
		if (size) sizes[one.manifest.name] = size;
		const line = size ? `${size.packages} packages, ${(size.kilobytes / 1024).toFixed(1)} MB` : 'not measured';
		console.log(`${found.length === 0 ? 'ok    ' : 'FAILED'} ${one.manifest.name}: ${line}`);
		for (const problem of found) console.log(problem.trimEnd().replace(/^/gm, '       | '));
		if (found.length > 0) failed++;
	});
	const budget = await readBudget();
	if (options.update) await writeBudget({ ...budget, ...sizes });
	else problems.push(...compareWithBudget(sizes, budget));
	for (const problem of problems) console.log(`FAILED ${problem}`);
	if (wanted.length === 0) console.log(`FAILED no published package is named ${options.only}`);
	const bad = failed + problems.length + (wanted.length === 0 ? 1 : 0);
	console.log(`\n${wanted.length - failed} passed, ${bad} failed`);
	return bad > 0 ? 1 : 0;
}

async function pack(one: WorkspacePackage): Promise<string> {
	const target = join(work, 'tarballs', one.folder);
	await mkdir(target, { recursive: true });
	const argv = ['pnpm', 'pack', '--pack-destination', target] as const;
	const { exitCode, output } = await runProgram({ argv: [...argv], cwd: join(root, one.folder) });
	if (exitCode !== 0) throw new Error(`pnpm pack of ${one.manifest.name} failed:\n${output}`);
	return join(target, (await readdir(target))[0]!);
}

async function check(
	{ one, tarball }: Packed,
	packed: ReadonlyMap<string, Packed>,
): Promise<{ size: Size | null; found: readonly string[] }> {
	const { name, bin = {} } = one.manifest;
	const found: string[] = [];
	const step = async (what: string, argv: [string, ...string[]], cwd: string): Promise<boolean> => {
		const { exitCode, output } = await runProgram({ argv, cwd });
		if (exitCode !== 0) found.push(`${what} ended with ${exitCode}\n${output}`);
		return exitCode === 0;
	};
	await step('publint', ['publint', '--strict', tarball], root);
	await step('attw', ['attw', '--profile', 'esm-only', '--no-emoji', tarball], root);

	const folder = join(work, 'installed', one.folder);
	await mkdir(folder, { recursive: true });
	// The neighbours' tarballs stand beside it, so that nobody asks a registry for our own names.
	const dependencies = Object.fromEntries(
		closure(one, packed).map((each) => [each.one.manifest.name, `file:${each.tarball}`]),
	);
	await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }));
	const install = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts', '--loglevel=error'];
	if (!(await step('npm install of the tarballs', ['npm', ...install], folder))) return { size: null, found };
	await step(`import('${name}')`, [node, '--input-type=module', '--eval', `await import('${name}')`], folder);
	for (const binary of Object.keys(bin)) {
		const program = join(folder, 'node_modules', name, bin[binary]!);
		const { exitCode, output } = await runProgram({ argv: [node, program, '--help'], cwd: folder });
		if (exitCode !== 0 || !output.includes(binary))
			found.push(`${binary} --help ended with ${exitCode} and said:\n${output}`);
	}
	return { size: await measureInstallation(join(folder, 'node_modules')), found };
}

/** The package and every package of ours that it needs at run time. */
function closure(one: WorkspacePackage, packed: ReadonlyMap<string, Packed>): readonly Packed[] {
	const seen = new Map<string, Packed>();
	const visit = ({ manifest }: WorkspacePackage): void => {
		const self = packed.get(manifest.name);
		if (!self || seen.has(manifest.name)) return;
		seen.set(manifest.name, self);
		for (const dependency of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })) {
			const next = packed.get(dependency);
			if (next) visit(next.one);
		}
	};
	visit(one);
	return [...seen.values()];
}

/** Two at a time: the smallest machine that this runs on has two cores. */
async function inTwos<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
	const queue = [...items];
	const worker = async (): Promise<void> => {
		for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
	};
	await Promise.all([worker(), worker()]);
}
