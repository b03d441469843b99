import { sha256 } from '@kapso-evolve/contracts';
import { z } from 'zod';
import { readKept } from '../read-kept.ts';
import { type LegacyCampaign, type LegacyNode, legacyNodeSchema, numberNodes } from './legacy-campaign.ts';
import { legacyRefused } from './legacy-error.ts';
import { isKind, type Pickled, PickleProblem, unpickle } from './unpickle.ts';

const maxBytes = 256 * 1024 * 1024;
/** One text may be named by many nodes: what they say together is bounded as the file is. */
const maxText = maxBytes;

/**
 * `checkpoint.pkl` of the releases up to 0.1.5; null without a file. It is read by a closed list of opcodes and names,
 * and nothing of it is executed. Throws `LEGACY_CHECKPOINT_REFUSED` (usage) for everything else.
 */
export async function readLegacyCheckpoint(path: string): Promise<LegacyCampaign | null> {
	const bytes = await readKept(path);
	return bytes && parseLegacyCheckpoint(bytes, path);
}

/** The same for bytes that were read already. */
export function parseLegacyCheckpoint(bytes: Buffer, path: string): LegacyCampaign {
	if (bytes.length > maxBytes) throw legacyRefused(path, { reason: `it is larger than ${maxBytes} bytes` });
	let value: Pickled;
	try {
		value = unpickle(bytes);
	} catch (thrown) {
		if (thrown instanceof PickleProblem) throw legacyRefused(path, thrown.place);
		throw thrown;
	}
	const refuse = (reason: string): never => {
		throw legacyRefused(path, { reason });
	};
	const { history, known } = shapeOf(value) ?? refuse('it is neither a history of nodes nor a tree of them');
	const text = { left: maxText };
	const read = (item: Pickled, index: number) => readNode(item, { index, text, refuse });
	const nodes = history.map(read);
	const numbered = numberNodes(nodes, known === history ? nodes : known.map(read));
	return {
		source: 'checkpoint.pkl',
		sha256: sha256(bytes),
		schemaVersion: null,
		...numbered,
		goal: null,
		status: 'running',
		completedIterations: numbered.nodes.length,
		costByComponent: null,
		elapsedSeconds: 0,
		lastStop: null,
	};
}

/** The generic strategy kept its history alone; the tree kept all of its nodes beside it. */
function shapeOf(value: Pickled): { history: readonly Pickled[]; known: readonly Pickled[] } | null {
	if (Array.isArray(value)) return { history: value, known: value };
	if (!(value instanceof Map)) return null;
	const history = value.get('node_history');
	const known = value.get('nodes');
	return value.size === 2 && Array.isArray(history) && Array.isArray(known) ? { history, known } : null;
}

function readNode(
	item: Pickled,
	{ index, text, refuse }: { index: number; text: { left: number }; refuse: (reason: string) => never },
): LegacyNode {
	if (!isKind(item, 'object') || item.state === null) return refuse(`its node ${index} is no search node`);
	const fields: Record<string, unknown> = {};
	for (const name of fieldNames) {
		const field = item.state.get(name);
		if (field === undefined) continue;
		if (typeof field === 'string') text.left -= field.length;
		fields[name] = field;
	}
	if (text.left < 0) refuse(`its nodes say more than ${maxText} characters`);
	const parsed = legacyNodeSchema.safeParse(fields);
	return parsed.success ? parsed.data : refuse(`its node ${index} is wrong: ${z.prettifyError(parsed.error)}`);
}

const fieldNames = Object.keys(legacyNodeSchema.shape);
