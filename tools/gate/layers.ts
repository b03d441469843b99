import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isPublished, readWorkspacePackages, type WorkspacePackage } from './workspace-packages.ts';

/**
 * Layer facts that `turbo boundaries` cannot see: every package has exactly one layer tag; published packages need no
 * private one at run time; project references say what the manifests say; foundation and domain packages do not
 * depend on a package beside them (`contracts` is below the other two of the foundation).
 */
export async function findLayerProblems(root: string): Promise<readonly string[]> {
	const packages = await readWorkspacePackages(root);
	const byName = new Map(packages.map((one) => [one.manifest.name, one]));
	const tags = new Map<string, string>();
	const problems: string[] = [];
	for (const { folder, manifest } of packages) {
		const found = await readTags(join(root, folder, 'turbo.json'));
		if (found.length === 1) tags.set(manifest.name, found[0]!);
		else problems.push(`${folder}/turbo.json: needs exactly one layer tag, has ${JSON.stringify(found)}`);
	}
	for (const one of packages.filter(isPublished)) {
		const own = ownDependencies(one).flatMap((name) => byName.get(name) ?? []);
		for (const dependency of own) {
			if (!isPublished(dependency))
				problems.push(
					`${one.folder}/package.json: ${dependency.manifest.name} is private and cannot be installed with it`,
				);
		}
		problems.push(...compareReferences(one.folder, await readReferences(join(root, one.folder)), own));
	}
	return problems;
}

function ownDependencies({ manifest }: WorkspacePackage): string[] {
	return Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies, ...manifest.optionalDependencies })
		.filter(([, version]) => version.startsWith('workspace:'))
		.map(([name]) => name);
}

function compareReferences(
	folder: string,
	references: readonly string[],
	dependencies: readonly WorkspacePackage[],
): string[] {
	const wanted = dependencies.map((one) => basename(one.folder));
	return [
		...wanted
			.filter((name) => !references.includes(name))
			.map((name) => `${folder}/tsconfig.json: depends on ${name} but has no reference to ../${name}`),
		...references
			.filter((name) => !wanted.includes(name))
			.map((name) => `${folder}/tsconfig.json: refers to ../${name}, which package.json does not depend on`),
	];
}

async function readTags(path: string): Promise<readonly string[]> {
	const text = await readFile(path, 'utf8').catch(() => '{}');
	return (JSON.parse(text) as { tags?: string[] }).tags ?? [];
}

async function readReferences(folder: string): Promise<string[]> {
	const text = await readFile(join(folder, 'tsconfig.json'), 'utf8');
	const { references = [] } = JSON.parse(text) as { references?: { path: string }[] };
	return references.map(({ path }) => basename(path));
}
