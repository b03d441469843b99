import { lstat, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, sep } from 'node:path';
import { KapsoError } from '@kapso-evolve/contracts';

export type Seed =
	| { readonly kind: 'none' }
	| { readonly kind: 'repository'; readonly path: string; readonly gitDir: string; readonly isBare: boolean }
	| { readonly kind: 'folder'; readonly path: string }
	| { readonly kind: 'url'; readonly url: string };

/** What a seed is, decided without changing anything. `output` is where the campaign will be. */
export async function recogniseSeed(options: {
	readonly seed: string | undefined;
	readonly output: string;
	readonly home: string | undefined;
}): Promise<Seed> {
	const { seed, output } = options;
	if (seed === undefined) return { kind: 'none' };
	const path = isAbsolute(seed) ? await realpath(seed).catch(() => null) : null; // not there, or a URL
	if (path === null) {
		if (/^[a-z][a-z0-9+.-]*:\/\//i.test(seed) || /^[^/]+@?[^/]*:/.test(seed)) return { kind: 'url', url: seed };
		throw seedError('SEED_MISSING', `there is no seed at ${seed}`, 'Name an existing repository or folder, or a URL.');
	}
	if (!(await stat(path)).isDirectory()) throw seedError('SEED_MISSING', `${path} is not a folder`, 'Name a folder.');
	if (isInside(output, path) || isInside(path, output)) {
		throw seedError(
			'SEED_CONTAINS_OUTPUT',
			`the campaign's folder and its seed, ${path}, lie inside each other`,
			'Choose an output folder outside the seed.',
		);
	}
	if (path === sep || path === options.home) {
		throw seedError('SEED_TOO_BROAD', `${path} is not a project`, 'Name the folder of one project.');
	}
	if (await exists(join(path, '.git'))) return { kind: 'repository', path, gitDir: join(path, '.git'), isBare: false };
	const bareParts = ['HEAD', 'objects', 'refs'];
	if ((await Promise.all(bareParts.map((part) => exists(join(path, part))))).every(Boolean)) {
		return { kind: 'repository', path, gitDir: path, isBare: true };
	}
	return { kind: 'folder', path };
}

export function seedError(code: string, message: string, hint: string, data: Record<string, unknown> = {}): KapsoError {
	const category = code === 'SEED_CLONE_FAILED' ? 'infrastructure' : 'usage';
	return new KapsoError({ code, category, message, hint: `Nothing was created. ${hint}`, data });
}

/** Files that a plain folder should not put into a repository (and so before a model) by accident. */
export function looksLikeSecret(path: string): boolean {
	const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
	if (/^\.env\.(example|sample|template|dist)$/.test(name)) return false;
	return (
		/^\.env(\..+)?$/.test(name) ||
		/^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$/.test(name) ||
		/\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk)$/.test(name) ||
		/^(\.netrc|_netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials|credentials\.json|service[-_]account.*\.json)$/.test(
			name,
		) ||
		/(^|\/)\.(aws|ssh|gnupg)\//.test(`/${path.toLowerCase()}`)
	);
}

function isInside(inner: string, outer: string): boolean {
	return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);
}

async function exists(path: string): Promise<boolean> {
	try {
		await lstat(path);
		return true;
	} catch (error) {
		if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
		throw error;
	}
}
