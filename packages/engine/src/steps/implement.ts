import { lstat, mkdir, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { AgentOutcome } from '@kapso-evolve/coding-agents';
import { removeTree } from '@kapso-evolve/durable-fs';
import type { AgentView } from '@kapso-evolve/process';
import type { AgentClone } from '@kapso-evolve/workspace-git';
import type { Campaign } from '../campaign.ts';
import { sealedEvaluatorPrefix } from '../sealed-iteration-evaluator.ts';
import type { Flight } from '../state.ts';
import { openTrials } from '../trials/open-trials.ts';
import { agentPrompt } from './agent-prompt.ts';

/** Where one attempt's agent works. The folder is the engine's, the agent's while it runs, and never used again. */
export function attemptFolder(campaign: Campaign, flight: Pick<Flight, 'branch'>): string {
	return join(campaign.stateFolder, 'attempts', flight.branch);
}

export function cloneOf(campaign: Campaign, flight: Flight): AgentClone {
	return { folder: join(attemptFolder(campaign, flight), 'clone'), parentCommit: flight.parent.commit };
}

export function reportPath(campaign: Campaign, flight: Flight): string {
	return join(attemptFolder(campaign, flight), 'report.json');
}

/** Lets the agent work in its own clone and keeps what it said, its cost first. */
export async function implement(campaign: Campaign, flight: Flight): Promise<void> {
	const folder = attemptFolder(campaign, flight);
	const home = join(folder, 'home');
	const temporaryFolder = join(folder, 'tmp');
	const sessionId = flight.sessionId !== null && (await isFolder(home)) ? flight.sessionId : null;
	if (sessionId === null) await removeTree(folder);
	await mkdir(home, { recursive: true });
	await mkdir(temporaryFolder);
	const clone = await campaign.workspace.createAgentClone({
		commit: flight.parent.commit,
		folder: join(folder, 'clone'),
	});
	campaign.emit({ type: 'phase', nodeId: flight.nodeId, phase: 'agent' });

	await using trials = await openTrials(campaign, { flight, clone });
	const outcome = await campaign.agentFor(flight.nodeId).run({
		prompt: agentPrompt(campaign, { ...flight, sessionId }),
		folder: clone.folder,
		home,
		temporaryFolder,
		path: campaign.surroundings.path,
		environment: passedVariables(campaign),
		runId: flight.runId,
		nonce: flight.nonce,
		reportPath: reportPath(campaign, flight),
		tryCommand: trials.command,
		...(sessionId === null ? {} : { sessionId }),
		onSession: (id) => recordSession(campaign, flight, id),
		deadlineMs: agentDeadlineMs(campaign),
		sandbox: campaign.sandbox,
		view: await agentView(campaign, folder),
		signal: campaign.surroundings.signal,
		onActivity: (text) => campaign.emit({ type: 'activity', nodeId: flight.nodeId, text }),
	});
	await recordAgent(campaign, flight, outcome);
}

/** Durable before the agent goes on: after a kill, the session that was paid for can be found. */
async function recordSession(campaign: Campaign, { nodeId, attempt }: Flight, sessionId: string): Promise<void> {
	await campaign.append({ type: 'agent', nodeId, attempt, data: { status: 'started', session_id: sessionId } });
}

async function isFolder(path: string): Promise<boolean> {
	return (await lstat(path).catch(() => null))?.isDirectory() === true;
}

async function recordAgent(campaign: Campaign, flight: Flight, outcome: AgentOutcome): Promise<void> {
	const { nodeId, attempt } = flight;
	const place = { nodeId, attempt };
	const transcript = await campaign.records.put({ ...place, name: 'transcript', bytes: outcome.transcript });
	const report = await campaign.records.put({
		...place,
		name: 'report',
		bytes: JSON.stringify(outcome.report, null, 2),
	});
	// The cost line comes first: a kill between the two repeats the attempt, and its money stays on the books.
	await campaign.append({
		type: 'cost',
		...place,
		data: { component: 'agent', usd: outcome.costUsd, basis: 'reported' },
	});
	campaign.throwIfInterrupted();
	await campaign.append({
		type: 'agent',
		...place,
		data: {
			status: outcome.status,
			reason: outcome.reason,
			exit_code: outcome.exitCode,
			cost_usd: outcome.costUsd,
			session_id: outcome.sessionId,
			model: outcome.model,
			summary: outcome.report?.summary.slice(0, 8000) ?? '',
			reported_score: outcome.report?.score ?? null,
			technical_difficulties: outcome.report?.technical_difficulties ?? null,
			transcript,
			report,
			agent_ms: Math.round(outcome.durationMs),
			elapsed_ms: campaign.elapsedMs(),
		},
	});
}

/**
 * An agent has no path to the campaign, to its siblings, or to a suite that is not for it; the caller's own seed, suite
 * and data are there to read. What does not exist, or is no folder, needs no hiding.
 */
async function agentView(campaign: Campaign, attempt: string): Promise<AgentView> {
	const { evalDir, privateEvalDir, dataDir, initialRepo } = campaign.settings;
	const sealedSuite = campaign.launch.evaluatorIdentity?.startsWith(sealedEvaluatorPrefix)
		? campaign.launch.evaluatorIdentity.slice(sealedEvaluatorPrefix.length)
		: null;
	return {
		readOnly: await foldersAmong([initialRepo, evalDir, dataDir]),
		hidden: await foldersAmong([campaign.folder, campaign.stateFolder, privateEvalDir, sealedSuite]),
		writable: [attempt],
	};
}

async function foldersAmong(paths: readonly (string | null)[]): Promise<string[]> {
	const found: string[] = [];
	for (const path of paths) {
		if (path !== null && isAbsolute(path) && (await stat(path).catch(() => null))?.isDirectory()) found.push(path);
	}
	return found;
}

/** The caller names what an agent may have; a name without a value is left out. */
function passedVariables(campaign: Campaign): Record<string, string> {
	const { environment } = campaign.surroundings;
	const named = campaign.settings.agentVariables.filter((name) => environment[name] !== undefined);
	return Object.fromEntries(named.map((name) => [name, environment[name]!]));
}

/** What is configured, and never more than the time budget leaves before its reserve; at least a minute. */
export function agentDeadlineMs(campaign: Campaign): number {
	const { agentDeadlineMinutes, timeBudgetMinutes, finalizationReserveMinutes } = campaign.settings;
	const configured = agentDeadlineMinutes * 60_000;
	if (timeBudgetMinutes === null) return configured;
	const left = (timeBudgetMinutes - finalizationReserveMinutes) * 60_000 - campaign.elapsedMs();
	return Math.min(configured, Math.max(left, 1000));
}
