import { type StoppedReason, sha256 } from '@kapso-evolve/contracts';
import { z } from 'zod';
import { RunCheckpointCorruptError, RunCheckpointIncompatibleError, RunCheckpointMissingError } from '../errors.ts';
import { readStateFile } from '../load-run-state.ts';
import { runStateVersion } from '../run-state.ts';
import { type LegacyCampaign, legacyNodeSchema, numberNodes } from './legacy-campaign.ts';

const amount = z.number().min(0);

/** The roadmap's ten fields (milestone 3): schema 1. */
const schema1 = z.object({
	strategy_type: z.string().min(1),
	goal: z.string(),
	goal_hash: z.string(),
	config_fingerprint: z.string().min(1),
	status: z.enum(['running', 'completed']),
	completed_iterations: z.int().min(0),
	cumulative_cost: amount,
	current_feedback: z.string().nullable(),
	/** The generic strategy keeps its nodes; the tree keeps all of its nodes and names the history by id. */
	strategy_state: z.union([
		z.object({ node_history: z.array(legacyNodeSchema) }),
		z.object({ nodes: z.array(legacyNodeSchema), node_history_ids: z.array(z.int().min(0)) }),
	]),
});

/** The releases from 0.2.0 on added these three. */
const schema2 = schema1.extend({
	elapsed_seconds: amount,
	cost_by_component: z.record(z.string(), amount),
	last_stop: z.enum(['time_budget', 'cost_budget', 'finalization_reserve']).nullable(),
});

type Content = Omit<LegacyCampaign, 'source' | 'sha256' | 'schemaVersion'>;

/** The migration table: what each older version of the format says, in one shape. */
const versions: Readonly<Record<1 | 2, (record: unknown) => Content>> = {
	1(record) {
		const state = schema1.parse(record);
		return {
			...contentOf(state),
			costByComponent: { adopted: state.cumulative_cost },
			elapsedSeconds: 0,
			lastStop: null,
		};
	},
	2(record) {
		const state = schema2.parse(record);
		const reason: StoppedReason = 'budget_exhausted';
		return {
			...contentOf(state),
			costByComponent: completeCosts(state.cost_by_component, state.cumulative_cost),
			elapsedSeconds: state.elapsed_seconds,
			lastStop: state.last_stop === null ? null : { reason, detail: state.last_stop },
		};
	},
};

/**
 * `run_state.json` of the roadmap's schema 1 and of the Python releases' schema 2. Throws what `loadRunState` throws:
 * a version that is neither is refused by its number.
 */
export async function readPythonRunState(path: string): Promise<LegacyCampaign> {
	const bytes = await readStateFile(path);
	if (bytes === null) throw new RunCheckpointMissingError({ path });
	const corrupt = (reason: string, cause?: unknown) => new RunCheckpointCorruptError({ path, reason, cause });
	let record: unknown;
	try {
		record = JSON.parse(bytes.toString('utf8'));
	} catch (thrown) {
		throw corrupt('it is not JSON', thrown);
	}
	const version = (record as { readonly schema_version?: unknown } | null)?.schema_version;
	if (version !== 1 && version !== 2) throw unknownVersion(path, version);
	try {
		return { source: 'run_state.json', sha256: sha256(bytes), schemaVersion: version, ...versions[version](record) };
	} catch (thrown) {
		if (!(thrown instanceof z.ZodError)) throw thrown;
		throw corrupt(thrown.issues.map(({ path: at, message }) => `${at.join('.')}: ${message}`).join('; '), thrown);
	}
}

function contentOf(
	state: z.output<typeof schema1>,
): Pick<Content, 'nodes' | 'renumbered' | 'goal' | 'status' | 'completedIterations'> {
	if (state.goal_hash !== sha256(state.goal))
		throw new z.ZodError([
			{ code: 'custom', path: ['goal_hash'], message: 'is not the SHA-256 of the goal', input: undefined },
		]);
	return {
		...nodesOf(state.strategy_state),
		goal: state.goal,
		status: state.status,
		completedIterations: state.completed_iterations,
	};
}

function nodesOf(state: z.output<typeof schema1>['strategy_state']): Pick<Content, 'nodes' | 'renumbered'> {
	if ('node_history' in state) return numberNodes(state.node_history);
	const byId = new Map(state.nodes.map((node) => [node.node_id, node]));
	return numberNodes(
		state.node_history_ids.flatMap((id) => byId.get(id) ?? []),
		state.nodes,
	);
}

/** Components need not add up to the sum that was recorded: what is missing is kept under a name of its own. */
function completeCosts(components: Readonly<Record<string, number>>, total: number): Record<string, number> {
	const known = Object.values(components).reduce((sum, usd) => sum + usd, 0);
	return total - known > 1e-9 ? { ...components, adopted: total - known } : { ...components };
}

function unknownVersion(path: string, version: unknown): RunCheckpointIncompatibleError {
	const recorded = JSON.stringify(version) ?? 'none';
	return new RunCheckpointIncompatibleError({
		message: `The checkpoint ${path} has schema_version ${recorded.slice(0, 80)}; known are 1, 2 and ${runStateVersion}.`,
		hint: 'Nothing was changed. If a newer kapso-evolve wrote it, use that version.',
		mismatches: [{ key: 'schema_version', recorded, requested: `1, 2, ${runStateVersion}` }],
	});
}
