import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { loadHistory, loadRunState, openRecords } from '@kapso-evolve/checkpoint';
import { canonicalJson, describeThrown, KapsoError, type SearchNode, stateFolder } from '@kapso-evolve/contracts';
import { hashTree } from '@kapso-evolve/durable-fs';
import { verifyCandidate } from '@kapso-evolve/eval-integrity';
import { openRepositoryReader, type RepositoryReader } from '@kapso-evolve/workspace-git';
import { bestOf } from '../ranking.ts';
import { runStateOf } from '../save-campaign.ts';
import { isSigned, needsSignature, parsePublicKey } from '../signature.ts';
import { readSignatures } from '../signatures-file.ts';
import type { VerificationReport } from './campaign-view.ts';
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
			...checkOrder(campaign),
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

/** Ids count from zero, and each recorded candidate has the lines that must come before it. */
function checkOrder(campaign: ReadCampaign): Problem[] {
	const problems: Problem[] = [];
	for (const [index, node] of campaign.state.nodes.entries()) {
		if (node.nodeId !== index)
			problems.push({ code: 'NODE_ORDER', message: `candidate ${node.nodeId} stands in place ${index}` });
		if (isAdopted(campaign, node)) continue;
		const lines = campaign.lines.filter((line) => line.node_id === node.nodeId && line.attempt === node.attempt);
		const evaluated = lines.find((line) => line.type === 'evaluated');
		for (const type of ['intent', 'agent', 'finalised', 'evaluated', 'feedback', 'recorded'] as const) {
			if (!lines.some((line) => line.type === type)) {
				problems.push({ code: 'LINE_MISSING', message: `candidate ${node.nodeId} has no ${type} line` });
			}
		}
		if (evaluated !== undefined && (evaluated.data.score !== node.score || evaluated.data.outcome !== node.outcome)) {
			problems.push({
				code: 'SCORE_DIFFERS',
				message: `candidate ${node.nodeId} was evaluated as ${evaluated.data.outcome} ${evaluated.data.score} and recorded as ${node.outcome} ${node.score}`,
			});
		}
	}
	return problems;
}

/** Recorded before the first slice, in a campaign that says where it came from: how it was scored nobody recorded. */
function isAdopted({ lines }: ReadCampaign, { nodeId }: SearchNode): boolean {
	return (
		lines[0]?.data.adopted_from !== undefined &&
		lines.some((line) => line.type === 'recorded' && line.node_id === nodeId && line.slice === 0)
	);
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
		else if (known === campaign.lines.length - 1) {
			const derived = runStateOf({
				launch: campaign.launch,
				fingerprint: { digest: saved.configFingerprint, parts: saved.fingerprintParts },
				state: campaign.state,
				objective: campaign.suite?.evaluation?.objective ?? 'maximize',
				position: campaign.lines.at(-1)!,
			});
			if (canonicalJson({ ...derived, engineVersion: '' }) !== canonicalJson({ ...saved, engineVersion: '' })) {
				problems.push({ code: 'STATE_DIFFERS', message: 'run_state.json does not say what the ledger says' });
			}
			const history = await loadHistory(join(state, 'experiment_history.json'));
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
	if (
		opened?.suite_digest !== launch.suiteDigest ||
		opened?.data_digest !== launch.dataDigest ||
		opened?.main_commit !== launch.mainCommit
	) {
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
