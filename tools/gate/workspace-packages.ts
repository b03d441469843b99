import { glob, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface Manifest {
	readonly name: string;
	readonly version: string;
	readonly private?: boolean;
	readonly bin?: Readonly<Record<string, string>>;
	readonly dependencies?: Readonly<Record<string, string>>;
	readonly devDependencies?: Readonly<Record<string, string>>;
	readonly peerDependencies?: Readonly<Record<string, string>>;
	readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface WorkspacePackage {
	/** Relative to the root, `/`-separated: `packages/search`. */
	readonly folder: string;
	readonly manifest: Manifest;
}

/** Every package of the workspace but the root, by folder name. */
export async function readWorkspacePackages(root: string): Promise<readonly WorkspacePackage[]> {
	const found: WorkspacePackage[] = [];
	for await (const path of glob('{packages,tools,examples,benchmarks,test}/*/package.json', { cwd: root })) {
		const manifest = JSON.parse(await readFile(join(root, path), 'utf8')) as Manifest;
		found.push({ folder: dirname(path).replaceAll('\\', '/'), manifest });
	}
	return found.sort((a, b) => (a.folder < b.folder ? -1 : 1));
}

/** The packages that go to the registry. */
export function isPublished({ manifest }: WorkspacePackage): boolean {
	return manifest.private !== true;
}
