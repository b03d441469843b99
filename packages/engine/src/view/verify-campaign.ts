import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { loadHistory, loadRunState, openRecords, type Records } from '@kapso-evolve/checkpoint';
import { canonicalJson, describeThrown, KapsoError, type SearchNode, stateFolder } from '@kapso-evolve/contracts';
import { hashTree } from '@kapso-evolve/durable-fs';
import { verifyCandidate } from '@kapso-evolve/eval-integrity';
import { openRepositoryReader, type RepositoryReader } from '@kapso-evolve/workspace-git';
import { fingerprintOf } from '../fingerprint.ts';
import { bestOf } from '../ranking.ts';
import { runStateOf } from '../save-campaign.ts';
import { isSigned, needsSignature, parsePublicKey } from '../signature.ts';
import { readSignatures } from '../signatures-file.ts';
import { foldLedger } from '../state.ts';
import { engineVersion } from '../version.ts';
import type { VerificationReport } from './campaign-view.ts';
import { checkLedger, isAdopted } from './check-ledger.ts';
import { openForReading, type ReadCampaign } from './read-campaign.ts';
import { rescore } from './rescore.ts';

type Problem = VerificationReport['problems'][number];

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
			...(await checkDerivedFiles(folder, campaign)),
			...(await checkSnapshots(folder, campaign)),
		);
		for (const node of campaign.state.nodes)
			problems.push(...(await checkCandidate({ folder, campaign, repository, node })));
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

/** With a pinned key nothing that matters may be unsigned: a signature that was left out is a false claim. */
function checkSignatures(
	{ launch, lines }: ReadCampaign,
	signed: { readonly key: KeyObject; readonly envelopes: ReadonlyMap<number, unknown> },
): Problem[] {
	return lines
		.filter(needsSignature)
		.filter((line) => {
			const envelope = signed.envelopes.get(line.seq);
			return !isSigned({ campaignId: launch.campaignId, line, key: signed.key, envelope });
		})
		.map((line) => ({
			code: 'NOT_SIGNED',
			message: `ledger line ${line.seq} (${line.type}) is not signed by the given key`,
		}));
}

/** `run_state.json` and the history say what the ledger says, up to the line they were saved after. */
async function checkDerivedFiles(folder: string, campaign: ReadCampaign): Promise<Problem[]> {
	const state = join(folder, stateFolder);
	const problems: Problem[] = [];
	try {
		const saved = await loadRunState(join(state, 'run_state.json'));
		const known = campaign.lines.findIndex((line) => line.sha256 === saved.ledgerHead);
		if (known < 0)
			problems.push({
				code: 'STATE_HEAD',
				message: 'run_state.json was saved after a line that the ledger does not have',
			});
		else {
			// A kill may leave it some lines behind; it must still be what the ledger said then.
			const isLast = known === campaign.lines.length - 1;
			const derived = runStateOf({
				launch: campaign.launch,
				fingerprint: { digest: saved.configFingerprint, parts: saved.fingerprintParts },
				state: isLast ? campaign.state : foldLedger(campaign.lines.slice(0, known + 1)),
				objective: campaign.suite?.evaluation?.objective ?? 'maximize',
				position: campaign.lines[known]!,
			});
			if (canonicalJson({ ...derived, engineVersion: '' }) !== canonicalJson({ ...saved, engineVersion: '' })) {
				problems.push({ code: 'STATE_DIFFERS', message: 'run_state.json does not say what the ledger says' });
			}
			const started = fingerprintOf({
				...campaign.launch,
				level: campaign.launch.evaluationLevel,
				initialRepo: campaign.launch.settings.initialRepo,
			});
			// Another version may make its fingerprint of other parts.
			if (campaign.launch.engineVersion === engineVersion && started.digest !== saved.configFingerprint) {
				problems.push({ code: 'LAUNCH_DIFFERS', message: 'launch.json has other settings than run_state.json' });
			}
			const history = isLast ? await loadHistory(join(state, 'experiment_history.json')) : campaign.state.nodes;
			if (canonicalJson(history) !== canonicalJson(campaign.state.nodes)) {
				problems.push({
					code: 'HISTORY_DIFFERS',
					message: 'experiment_history.json does not say what the ledger says',
				});
			}
		}
	} catch (error) {
		problems.push(problemOf('STATE_UNREADABLE', error));
	}
	return problems;
}

async function checkSnapshots(folder: string, campaign: ReadCampaign): Promise<Problem[]> {
	const { launch, suite } = campaign;
	const problems: Problem[] = [];
	const opened = campaign.lines[0]?.data;
	const named = {
		campaign_id: launch.campaignId,
		goal: launch.settings.goal,
		level: launch.evaluationLevel,
		isolation: launch.isolation,
		suite_digest: launch.suiteDigest,
		data_digest: launch.dataDigest,
		main_commit: launch.mainCommit,
		seed_commit: launch.seedCommit,
		engine_version: launch.engineVersion,
	};
	if (Object.entries(named).some(([name, value]) => opened?.[name] !== value)) {
		problems.push({
			code: 'LAUNCH_DIFFERS',
			message: 'launch.json names other inputs than the first line of the ledger',
		});
	}
	if ((suite?.digest ?? null) !== launch.suiteDigest) {
		problems.push({
			code: 'SUITE_DIFFERS',
			message: `the suite in ${stateFolder}/suite is not the one that was captured`,
		});
	}
	if (launch.dataDigest !== null) {
		const found = await hashTree(join(folder, stateFolder, 'data')).catch((error: unknown) => error);
		if ((found as { digest?: string }).digest !== launch.dataDigest) {
			problems.push({ code: 'DATA_DIFFERS', message: `the data in ${stateFolder}/data is not what was captured` });
		}
	}
	const scoredBy = campaign.lines.filter((line) => line.type === 'evaluated' && line.data.suite_digest !== undefined);
	for (const line of scoredBy) {
		if (line.data.suite_digest !== launch.suiteDigest) {
			problems.push({ code: 'SCORED_BY_OTHER_SUITE', message: `ledger line ${line.seq} was scored by another suite` });
		}
	}
	return problems;
}

async function checkCandidate(options: {
	readonly folder: string;
	readonly campaign: ReadCampaign;
	readonly repository: RepositoryReader;
	readonly node: SearchNode;
}): Promise<Problem[]> {
	const { folder, campaign, repository, node } = options;
	const problems: Problem[] = [];
	const records = openRecords(join(folder, stateFolder, 'records'));
	for (const [name, sha256] of Object.entries(node.records)) {
		await records.read({ nodeId: node.nodeId, attempt: node.attempt, sha256 }).catch((error: unknown) => {
			problems.push(problemOf('RECORD', error, `record ${name} of candidate ${node.nodeId}`));
		});
	}
	problems.push(...(await checkEvaluation({ campaign, records, node })));
	if (node.commit === null) return problems;
	try {
		const tip = (await repository.branches()).get(node.branchName);
		if (tip !== node.commit) {
			problems.push({
				code: 'BRANCH_MOVED',
				message: `${node.branchName} is at ${tip ?? 'nothing'}, the record says ${node.commit}`,
			});
		}
		const adopted = isAdopted(campaign, node);
		if (!adopted && !(await repository.isAncestor(node.parentCommit, node.commit))) {
			problems.push({ code: 'LINEAGE', message: `${node.parentCommit} is not an ancestor of ${node.commit}` });
		}
		const digest = await repository.treeDigest(node.commit);
		if (digest !== node.treeSha256)
			problems.push({ code: 'TREE_DIFFERS', message: `the bytes of ${node.commit} are not those that were recorded` });
		if (!adopted && campaign.suite !== null && node.outcome === 'scored') {
			const verdict = await verifyCandidate({
				tree: repository.candidateTree(node.commit),
				baseline: repository.candidateTree(campaign.launch.mainCommit),
				suite: campaign.suite,
				data: await dataOf(folder, campaign),
				level: node.evaluationLevel,
			});
			if (!verdict.valid)
				problems.push({
					code: 'VERDICT_DIFFERS',
					message: `candidate ${node.nodeId} was scored and is not valid: ${verdict.error}`,
				});
		}
	} catch (error) {
		problems.push(problemOf('COMMIT_UNREADABLE', error, `candidate ${node.nodeId}`));
	}
	return problems;
}

/** What the engine measured stands twice: in the ledger's line, and with its phases and programs in the record. */
async function checkEvaluation(options: {
	readonly campaign: ReadCampaign;
	readonly records: Records;
	readonly node: SearchNode;
}): Promise<Problem[]> {
	const { campaign, records, node } = options;
	const { nodeId, attempt } = node;
	const sha256 = node.records.evaluation;
	const missing = { code: 'RECORD_MISSING', message: `candidate ${nodeId} was scored by the engine without a record` };
	if (sha256 === undefined) return node.scoreSource === 'engine' ? [missing] : [];
	const bytes = await records.read({ nodeId, attempt, sha256 }).catch(() => null); // told with the other records
	if (bytes === null) return [];
	const line = campaign.lines.findLast(
		(each) => each.type === 'evaluated' && each.node_id === nodeId && each.attempt === attempt,
	);
	const record = JSON.parse(bytes.toString('utf8')) as Record<string, unknown>;
	const differing = Object.entries(recordedTwice).filter(
		([name, inRecord]) => canonicalJson(line?.data[name] ?? null) !== canonicalJson(record[inRecord] ?? null),
	);
	if (differing.length === 0) return [];
	const names = differing.map(([name]) => name).join(', ');
	return [{ code: 'EVALUATION_DIFFERS', message: `candidate ${nodeId}: its record says otherwise of ${names}` }];
}

/** Names in the `evaluated` line and in the record. */
const recordedTwice = {
	outcome: 'outcome',
	code: 'code',
	score: 'score',
	scores: 'scores',
	metrics: 'metrics',
	case_scores: 'caseScores',
	level: 'level',
	isolation: 'isolation',
	candidate_isolated: 'candidateIsolated',
	stripped: 'stripped',
	not_proven: 'notProven',
	suite_digest: 'suiteDigest',
	data_digest: 'dataDigest',
};

async function dataOf(folder: string, campaign: ReadCampaign) {
	if (campaign.launch.dataDigest === null) return null;
	const root = join(folder, stateFolder, 'data');
	const { entries, digest } = await hashTree(root);
	return { source: campaign.launch.settings.dataDir ?? root, root, digest, entries };
}

function problemOf(code: string, error: unknown, what = ''): Problem {
	const message = KapsoError.isInstance(error) ? error.message : describeThrown(error);
	return {
		code: KapsoError.isInstance(error) ? error.code : code,
		message: what === '' ? message : `${what}: ${message}`,
	};
}
