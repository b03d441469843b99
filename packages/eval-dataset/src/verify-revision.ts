import { canonicalJson } from '@kapso-evolve/contracts';
import type { Manifest } from './manifest.ts';
import { refusal } from './refusal.ts';
import type { VerifiedManifest } from './verify-manifest.ts';

/**
 * Whether a revision keeps everything that its predecessor contained. Both were verified against digests that the caller
 * holds; `prior` is null for revision 1. Passing confers no approval: the next revision needs a new digest from the
 * caller, and keeps the approval that the prior one has. Throws `KapsoError` (usage), see `RefusalCode`.
 */
export function verifyRevision(prior: VerifiedManifest | null, next: VerifiedManifest): void {
	const { manifest } = next;
	if (prior === null) {
		if (manifest.revision === 1) return;
		throw refusal(
			'DATASET_PRIOR_MISSING',
			`Revision ${manifest.revision} needs the manifest before it and its digest.`,
		);
	}
	if (manifest.revision === 1) throw refusal('DATASET_PRIOR_UNEXPECTED', 'Revision 1 has nothing before it.');
	if (manifest.previousManifestSha256 !== prior.manifestSha256) {
		throw refusal('DATASET_PREDECESSOR', 'The manifest names another predecessor than the one given.', {
			declared: manifest.previousManifestSha256,
			given: prior.manifestSha256,
		});
	}
	if (manifest.revision !== prior.manifest.revision + 1) {
		throw refusal('DATASET_REVISION_STEP', `Revision ${manifest.revision} cannot follow ${prior.manifest.revision}.`);
	}
	requireSameIdentity(prior.manifest, manifest);
	requireSameCases(prior.manifest, manifest);
}

function requireSameIdentity(prior: Manifest, next: Manifest): void {
	const changed = (['datasetId', 'kind', 'recallFloors'] as const).filter(
		(key) => canonicalJson(prior[key]) !== canonicalJson(next[key]),
	);
	if (changed.length > 0) throw refusal('DATASET_IDENTITY', `A revision changes ${changed.join(', ')}.`, { changed });
}

function requireSameCases(prior: Manifest, next: Manifest): void {
	for (const [index, item] of prior.cases.entries()) {
		const now = next.cases[index];
		if (now?.id === item.id && now.sha256 === item.sha256) continue;
		throw refusal(
			'DATASET_APPROVED_CASE',
			`The case ${item.id} is no longer what was approved at place ${index + 1}.`,
			{
				id: item.id,
				index,
			},
		);
	}
	if (next.cases.length === prior.cases.length) throw refusal('DATASET_NOTHING_ADDED', 'A revision adds no case.');
}
