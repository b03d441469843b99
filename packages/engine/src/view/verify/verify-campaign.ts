import { join } from 'node:path';
import { loadRunState } from '@kapso-evolve/checkpoint';
import { KapsoError, stateFolder } from '@kapso-evolve/contracts';
import { openRepositoryReader } from '@kapso-evolve/workspace-git';
import { bestOf } from '../../ranking.ts';
import { parsePublicKey } from '../../signature.ts';
import { readSignatures } from '../../signatures-file.ts';
import type { VerificationReport } from '../campaign-view.ts';
import { openForReading, type ReadCampaign } from '../read-campaign.ts';
import { rescore } from '../rescore.ts';
import { checkBaseline } from './check-baseline.ts';
import { checkCandidate } from './check-candidate.ts';
import { checkDerivedFiles } from './check-derived-files.ts';
import { checkEvaluation } from './check-evaluation.ts';
import { checkLedger } from './check-ledger.ts';
import { checkRecords } from './check-records.ts';
import { checkSignatures } from './check-signatures.ts';
import { checkSnapshots, dataOf } from './check-snapshots.ts';
import type { Problem } from './problem.ts';

export interface VerifyOptions {
	/** The ledger head that the caller kept elsewhere. */
	readonly head?: string;
	/** Ed25519 public key in PEM: every recorded candidate and every stop must be signed by its private half. */
	readonly publicKey?: string;
	/** Also scores the best candidate again. */
	readonly rescore?: boolean;
	readonly environment?: Readonly<Record<string, string | undefined>>;
}

/**
 * Replays a campaign's evidence, offline and without its lock or state folder: the chain, what is derived from it, the
 * commits and their bytes, the suite and its verdicts, the records. A problem is a claim that does not hold; whatever
 * could not be checked stands in `notProven`.
 */
export async function verifyCampaign(folder: string, options: VerifyOptions = {}): Promise<VerificationReport> {
	const problems: Problem[] = [];
	// Before the ledger: beside a running engine the state may be behind what is read next, and never ahead of it.
	const savedState = loadRunState(join(folder, stateFolder, 'run_state.json'));
	await savedState.catch(() => {}); // whoever needs it hears of it
	let campaign: ReadCampaign;
	try {
		campaign = await openForReading(folder);
	} catch (error) {
		// No campaign at all is a refusal; a campaign that cannot be read is a false claim.
		if (!KapsoError.isInstance(error) || error.code === 'CAMPAIGN_MISSING') throw error;
		return {
			ok: false,
			anchored: false,
			lines: 0,
			candidates: 0,
			problems: [{ code: error.code, message: error.message }],
			notProven: [],
		};
	}
	const key = options.publicKey === undefined ? null : parsePublicKey(options.publicKey);
	const anchored = options.head !== undefined && options.head === campaign.head;
	if (options.head !== undefined && !anchored) {
		problems.push({
			code: 'HEAD_DIFFERS',
			message: headDiffers(campaign, options.head),
		});
	}
	const repository = await openRepositoryReader({
		path: folder,
		programs: options.environment?.PATH ?? '/usr/local/bin:/usr/bin:/bin',
	});
	try {
		problems.push(
			...checkLedger(campaign),
			...(await checkRecords(folder, campaign)),
			...(await checkBaseline(campaign, repository)),
			...(await repository.findCorruption()).map((message) => ({ code: 'REPOSITORY_CORRUPT', message })),
			...(await checkDerivedFiles(folder, campaign, savedState)),
			...(await checkSnapshots(folder, campaign)),
		);
		for (const node of campaign.state.nodes) {
			problems.push(...(await checkEvaluation({ folder, campaign, node })));
			problems.push(...(await checkCandidate({ folder, campaign, repository, node })));
		}
		if (key !== null) problems.push(...checkSignatures(campaign, { key, envelopes: await readSignatures(folder) }));
		const best = options.rescore === true ? bestOf({ ...rankedBy(campaign), nodes: campaign.state.nodes }) : null;
		if (best !== null) {
			const data = await dataOf(folder, campaign);
			problems.push(
				...(await rescore({ campaign, repository, node: best, data, environment: options.environment ?? {} })),
			);
		}
	} finally {
		await repository.close();
	}
	return {
		ok: problems.length === 0,
		anchored,
		lines: campaign.lines.length,
		candidates: campaign.state.nodes.length,
		problems,
		notProven: [
			...new Set([
				...(anchored ? [] : ['unanchored-ledger']),
				...campaign.state.nodes.flatMap((node) => node.notProven),
			]),
		],
	};
}

/** A resume makes the ledger longer: an older head of the same chain is told from one that is not in it. */
function headDiffers({ lines, head }: ReadCampaign, kept: string): string {
	const place = lines.findIndex((line) => line.sha256 === kept);
	return place < 0
		? `the ledger ends in ${head}, and no line of it is the head that was kept: ${kept}`
		: `the head that was kept is line ${place + 1} of ${lines.length}: up to it the ledger is as it was, the ${lines.length - place - 1} lines after it (a resume adds some) are not vouched for. It ends in ${head} now`;
}

function rankedBy({ launch, suite }: ReadCampaign): Pick<Parameters<typeof bestOf>[0], 'settings' | 'objective'> {
	return { settings: launch.settings, objective: suite?.evaluation?.objective ?? 'maximize' };
}
