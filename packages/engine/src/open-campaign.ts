import { createHash } from 'node:crypto';
import { mkdir, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
	acquireCampaignLock,
	createRunStateSaver,
	openLedger,
	openRecords,
	readLedger,
} from '@kapso-evolve/checkpoint';
import { KapsoError, type LedgerLine, stateFolder } from '@kapso-evolve/contracts';
import { captureData, type DataSnapshot, inspectSuite, type Suite } from '@kapso-evolve/eval-integrity';
import type { IterationEvaluator } from '@kapso-evolve/iteration-evaluator';
import type { Sandbox } from '@kapso-evolve/process';
import { createAgent } from './agents.ts';
import { type Campaign, createJournal } from './campaign.ts';
import type { EvaluationInputs } from './evaluation-inputs.ts';
import type { CampaignEvent } from './events.ts';
import type { Launch } from './launch.ts';
import { ledgerPath } from './launch.ts';
import { createGrowingStrategy } from './ranking.ts';
import { repairCampaign } from './repair-campaign.ts';
import { saveCampaign } from './save-campaign.ts';
import type { LaunchSettings, Surroundings } from './settings.ts';
import { needsSignature, signLine } from './signature.ts';
import { appendSignature, readSignatures } from './signatures-file.ts';
import { foldLedger } from './state.ts';
import type { StopPredicate } from './steps/should-stop.ts';
import { createTurns } from './turns.ts';
import { validateCampaign } from './validate-campaign.ts';

export interface OpenOptions {
	readonly folder: string;
	readonly launch: Launch;
	readonly settings: LaunchSettings;
	readonly inputs: EvaluationInputs;
	readonly sandbox: Sandbox;
	readonly evaluator: IterationEvaluator | null;
	readonly evaluatorIdentity: string | null;
	readonly surroundings: Surroundings;
	readonly stopWhen: readonly StopPredicate[];
	readonly onEvent: ((event: CampaignEvent) => void) | undefined;
	/** How many iterations this slice runs: a number, or what an interrupted slice still owes (else the default). */
	readonly iterations:
		| { readonly kind: 'finish-or'; readonly count: number }
		| { readonly kind: 'more'; readonly count: number };
}

/** Takes the campaign's lock and puts back together everything that its ledger says. */
export async function openCampaign(options: OpenOptions): Promise<Campaign & AsyncDisposable> {
	const { folder, launch, settings, inputs, surroundings } = options;
	const lock = await acquireCampaignLock({ folder: join(folder, stateFolder), clock: surroundings.clock });
	/** In the order of opening; closed in the other one, also when the rest cannot be opened. */
	const opened: (() => Promise<void>)[] = [() => lock.release()];
	const close = async () => {
		for (const closeOne of opened.toReversed()) await closeOne();
	};
	try {
		const fingerprint = await validateCampaign(options);
		const before = foldLedger((await readLedger({ path: ledgerPath(folder), campaignId: launch.campaignId })).lines);
		const slice = before.slice + 1;
		const scratch = await campaignStateFolder(options);
		const workspace = await surroundings.openWorkspace({
			path: folder,
			existing: 'required',
			stateFolder: scratch,
			userEnvironment: { ...surroundings.environment, PATH: surroundings.path },
			clock: surroundings.clock,
			signal: surroundings.signal,
		});
		opened.push(() => workspace.close());
		const ledger = await openLedger({
			path: ledgerPath(folder),
			campaignId: launch.campaignId,
			clock: surroundings.clock,
			slice,
		});
		opened.push(() => ledger.close());
		const { suite, data } = await openSnapshots(options);
		const objective = suite?.evaluation?.objective ?? 'maximize';
		const strategyOver = createGrowingStrategy({ settings, objective });
		const journal = createJournal({ ledger, lock, state: before, surroundings, onDurable: createSigner(options) });
		const campaign: Campaign = {
			...journal,
			folder,
			stateFolder: scratch,
			launch,
			settings,
			fingerprint,
			surroundings,
			workspace,
			sandbox: options.sandbox,
			suite,
			data,
			level: inputs.level,
			isolation: inputs.isolation,
			evaluator: options.evaluator,
			stopWhen: options.stopWhen,
			lock,
			takenBranches: new Set((await workspace.branches()).keys()),
			records: openRecords(join(folder, stateFolder, 'records')),
			agentFor: createAgent(settings, surroundings),
			strategy: () => strategyOver(journal.state().nodes),
			saveState: createRunStateSaver(join(folder, stateFolder, 'run_state.json')),
			programHashes: new Map(),
			scoring: createTurns(settings.evaluationConcurrency),
			emit: createEmitter(options),
		};
		await signMissing(options, ledger.lines);
		await repairCampaign(campaign, { tornBytes: ledger.tornBytes });
		await beginSlice(campaign, options.iterations);
		return { ...campaign, [Symbol.asyncDispose]: close };
	} catch (error) {
		await close();
		throw error;
	}
}

async function openSnapshots(options: OpenOptions): Promise<{ suite: Suite | null; data: DataSnapshot | null }> {
	const { folder, settings, inputs } = options;
	const state = join(folder, stateFolder);
	if (inputs.suite === null) return { suite: null, data: null };
	const snapshot = await inspectSuite({
		from: join(state, 'suite'),
		evaluation: settings.evaluation,
		visibility: inputs.suite.visibility,
	});
	if (snapshot.digest !== inputs.suite.digest) {
		throw new KapsoError({
			code: 'SUITE_SNAPSHOT_CHANGED',
			category: 'usage',
			message: `the campaign's own copy of the suite in ${join(state, 'suite')} is not what was captured`,
			hint: 'no score was made with it; restore the folder from a backup, or start a new campaign',
			data: { recorded: inputs.suite.digest, found: snapshot.digest },
		});
	}
	// The data is captured again from the caller's folder, whose digest has just been checked.
	const data =
		settings.dataDir === null ? null : await captureData({ from: settings.dataDir, to: join(state, 'data') });
	return { suite: { ...snapshot, source: inputs.suite.source }, data };
}

async function beginSlice(campaign: Campaign, iterations: OpenOptions['iterations']): Promise<void> {
	const state = campaign.state();
	if (iterations.kind === 'finish-or' && state.sliceOpen) return;
	await campaign.append({
		type: 'slice',
		nodeId: null,
		attempt: null,
		data: {
			// A campaign that died before its first slice began owes all of it.
			target:
				iterations.kind === 'finish-or' && state.slice === 0
					? campaign.launch.settings.maxIterations
					: iterations.count,
			level: campaign.level,
			engine_version: campaign.launch.engineVersion,
			elapsed_ms: campaign.elapsedMs(),
		},
	});
	await saveCampaign(campaign);
}

async function signMissing(options: OpenOptions, lines: readonly LedgerLine[]): Promise<void> {
	const signed = await readSignatures(options.folder);
	const sign = createSigner(options);
	for (const line of lines) if (!signed.has(line.seq)) await sign(line);
}

/** With a signing key, what needs a signature gets it; lines that a crash left without one get theirs at the start. */
function createSigner({ folder, launch, surroundings }: OpenOptions): (line: LedgerLine) => Promise<void> {
	const key = surroundings.signingKey;
	if (key === null) return async () => {};
	return async (line) => {
		if (needsSignature(line)) await appendSignature(folder, signLine({ campaignId: launch.campaignId, line, key }));
	};
}

function createEmitter(options: OpenOptions): (event: CampaignEvent) => void {
	const { onEvent, surroundings } = options;
	if (onEvent === undefined) return () => {};
	return (event) => {
		try {
			onEvent(Object.freeze(event));
		} catch (error) {
			surroundings.logger.warn({ event: event.type, error: String(error) }, 'an observer threw; the campaign goes on');
		}
	};
}

/** Made, outside the campaign folder, so that no agent finds its way to `.kapso` by going up. */
async function campaignStateFolder(options: OpenOptions): Promise<string> {
	const { launch, settings, surroundings, folder } = options;
	const { XDG_STATE_HOME, HOME } = surroundings.environment;
	const base = settings.workDir ?? join(XDG_STATE_HOME ?? join(HOME ?? homedir(), '.local', 'state'), 'kapso-evolve');
	const place = createHash('sha256')
		.update(await realpath(folder))
		.digest('hex')
		.slice(0, 12);
	const own = join(base, `${launch.campaignId}-${place}`);
	await mkdir(own, { recursive: true, mode: 0o700 });
	return await realpath(own); // so that a link in an attempt's path is an agent's, not the user's
}
