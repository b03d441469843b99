import { fromDiskNames, sha256, toDiskNames } from '@kapso-evolve/contracts';
import { jsonOfRecords } from './record-text.ts';
import { type RunState, runStateSchema } from './run-state.ts';

/**
 * The file is JSON with one field a line, `sha256` first. Its 64 digits are of the file's own bytes with those digits
 * set to zero, so a reader with a shell recomputes them:
 *
 *     sed -E '2s/[0-9a-f]{64}/'$(printf '%064d' 0)/ run_state.json | sha256sum
 */
const opening = '{\n"sha256": "';
const digestEnd = opening.length + 64;
const zeros = '0'.repeat(64);
/** The order of the lines, whatever the order in the caller's object. */
const fieldNames = Object.keys(runStateSchema.shape) as (keyof RunState)[];

export function encodeRunState(state: RunState): Buffer {
	const ordered = toDiskNames(Object.fromEntries(fieldNames.map((name) => [name, state[name]])));
	const { strategy_state, ...fields } = ordered;
	const lines = Object.entries(fields).map(([name, value]) => `"${name}": ${JSON.stringify(value)}`);
	lines.push(`"strategy_state": ${jsonOfRecords(strategy_state as RunState['strategyState'])}`);
	const bytes = Buffer.from(`${opening}${zeros}",\n${lines.join(',\n')}\n}\n`);
	bytes.write(sha256(bytes), opening.length, 'latin1');
	return bytes;
}

/** Does the file carry its own digest? `none`: it was not written by this format. */
export function checkRunStateDigest(bytes: Buffer): 'right' | 'wrong' | 'none' {
	if (bytes.toString('latin1', 0, opening.length) !== opening || bytes.length < digestEnd) return 'none';
	const zeroed = Buffer.from(bytes);
	zeroed.write(zeros, opening.length, 'latin1');
	return bytes.toString('latin1', opening.length, digestEnd) === sha256(zeroed) ? 'right' : 'wrong';
}

export type StateOwner = Pick<RunState, 'campaignId' | 'generation'>;

/** Whose state it is, from the first lines of a file whose digest is right; null: parse it to know what is wrong. */
export function readOwner(bytes: Buffer): StateOwner | null {
	if (checkRunStateDigest(bytes) !== 'right') return null;
	const line = /^"schema_version": 3,\n"campaign_id": (".*"),\n"engine_version": .*,\n"generation": (\d+),\n/;
	const start = digestEnd + '",\n'.length;
	const [, campaignId, generation] = line.exec(bytes.toString('utf8', start, start + 4096)) ?? [];
	if (campaignId === undefined) return null;
	return { campaignId: JSON.parse(campaignId), generation: Number(generation) };
}

/** A parsed file's fields in the names of `RunState`. */
export function decodeRunState({ sha256: _, ...fields }: Readonly<Record<string, unknown>>): Record<string, unknown> {
	return fromDiskNames(fields);
}
