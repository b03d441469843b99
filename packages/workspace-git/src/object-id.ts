import { KapsoError } from '@kapso-evolve/contracts';

export function isObjectId(value: string): boolean {
	return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(value);
}

export function noSuchObject(id: string, wanted: string): KapsoError {
	return new KapsoError({
		code: 'NO_SUCH_OBJECT',
		category: 'infrastructure',
		message: `the repository has no ${wanted} ${id}`,
		hint: 'Run `git fsck` in the campaign folder: objects that the campaign recorded are missing or damaged.',
		data: { id, wanted },
	});
}
