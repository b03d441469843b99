import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KapsoError, type Outcome } from '@kapso-evolve/contracts';
import { verifyCandidate } from '@kapso-evolve/eval-integrity';
import type { AgentClone } from '@kapso-evolve/workspace-git';
import { type Campaign, isEngineScored, objectiveOf } from '../campaign.ts';
import { scoreCommit } from '../score-commit.ts';
import type { Flight } from '../state.ts';

/** What `KAPSO_TRY` prints: one JSON line. */
export interface TrialAnswer {
	readonly outcome: Outcome | 'budget-used';
	readonly score: number | null;
	readonly objective: 'maximize' | 'minimize';
	readonly feedback: string;
	readonly remaining: number;
}

export interface Trials extends AsyncDisposable {
	/** argv for the agent, or null where it may not score: private suites, levels at which the engine runs nothing. */
	readonly command: readonly string[] | null;
}

const noTrials: Trials = { command: null, [Symbol.asyncDispose]: async () => {} };

/**
 * Serves `KAPSO_TRY` for one attempt. The engine counts and scores; the agent holds nothing but the name of a socket,
 * so a trial budget cannot be edited, and what a trial says is said by the caller's bytes.
 */
export async function openTrials(
	campaign: Campaign,
	options: { readonly flight: Flight; readonly clone: AgentClone },
): Promise<Trials> {
	const allowed =
		campaign.suite?.visibility === 'visible' && isEngineScored(campaign.level) && campaign.settings.trialBudget > 0;
	if (!allowed) return noTrials;
	// Unix socket paths are limited to about a hundred bytes, which a state folder may exceed.
	const folder = await mkdtemp(join(tmpdir(), 'kapso-try-'));
	const socketPath = join(folder, 's');
	let remaining = campaign.settings.trialBudget;
	let queue: Promise<void> = Promise.resolve();
	const sockets = new Set<Socket>();
	const answer = async (): Promise<TrialAnswer> => {
		const objective = objectiveOf(campaign);
		if (remaining <= 0)
			return { outcome: 'budget-used', score: null, objective, feedback: 'the trial budget is used up', remaining };
		remaining -= 1;
		const trial = await scoreWorkingTree(campaign, options.clone);
		campaign.emit({
			type: 'trial',
			nodeId: options.flight.nodeId,
			outcome: trial.outcome,
			score: trial.score,
			remaining,
		});
		return { ...trial, objective, remaining };
	};
	const server = createServer((socket) => {
		sockets.add(socket);
		socket.resume(); // whatever is sent is not read, and must not block its sender
		socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
		queue = queue.then(async () => {
			if (!socket.destroyed) socket.end(`${JSON.stringify(await answer())}\n`);
		});
	});
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject).listen(socketPath, resolve);
	});
	const client = fileURLToPath(new URL(`./try-client${extname(import.meta.url)}`, import.meta.url));
	return {
		command: [campaign.surroundings.nodeProgram, client, socketPath],
		async [Symbol.asyncDispose]() {
			server.close();
			for (const socket of sockets) socket.destroy();
			await queue;
			await rm(folder, { recursive: true, force: true });
		},
	};
}

type Trial = { readonly outcome: Outcome; readonly score: number | null; readonly feedback: string };

/** Exactly what finalise would commit now, verified and scored as the engine will. Never throws for a bad tree. */
async function scoreWorkingTree(campaign: Campaign, clone: AgentClone): Promise<Trial> {
	try {
		const tree = await campaign.workspace.workingTree(clone);
		const verdict = await verifyCandidate({
			tree,
			baseline: campaign.workspace.candidateTree(campaign.launch.mainCommit),
			suite: campaign.suite!,
			data: campaign.data,
			level: campaign.level,
		});
		if (!verdict.valid) return { outcome: 'invalid', score: null, feedback: verdict.error };
		const record = await scoreCommit(campaign, tree, verdict);
		return { outcome: record.outcome, score: record.score, feedback: record.feedback || (record.error ?? '') };
	} catch (error) {
		const known = KapsoError.isInstance(error) ? error : null;
		const outcome = known?.category === 'verdict' ? 'invalid' : 'infrastructure';
		return { outcome, score: null, feedback: known?.message ?? String(error) };
	}
}
