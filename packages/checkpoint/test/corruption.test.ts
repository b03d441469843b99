import { KapsoError, type LedgerLine } from '@kapso-evolve/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ledgerGenesis } from '../src/index.ts';
import { sealLine } from '../src/ledger-line.ts';
import { parseRunState } from '../src/load-run-state.ts';
import { proveLedger } from '../src/read-ledger.ts';
import { encodeRunState } from '../src/run-state-file.ts';
import { runState } from './states.ts';

const campaignId = 'campaign-1';

/** What disks, editors and crashes do to a file: lose, double, blank, exchange, insert or overwrite a part of it. */
const damage = fc.record({
	kind: fc.constantFrom(...(['cut', 'remove', 'double', 'blank', 'overwrite', 'insert', 'swap'] as const)),
	from: fc.nat({ max: 10_000 }),
	length: fc.integer({ min: 1, max: 600 }),
	bytes: fc.uint8Array({ minLength: 1, maxLength: 40 }),
});

function damaged(
	bytes: Buffer,
	{ kind, from, length, bytes: others }: { kind: string; from: number; length: number; bytes: Uint8Array },
): Buffer {
	const start = from % bytes.length;
	const [before, part, after] = [
		bytes.subarray(0, start),
		bytes.subarray(start, start + length),
		bytes.subarray(start + length),
	];
	switch (kind) {
		case 'cut':
			return before;
		case 'remove':
			return Buffer.concat([before, after]);
		case 'double':
			return Buffer.concat([before, part, part, after]);
		case 'blank':
			return Buffer.concat([before, Buffer.alloc(part.length), after]);
		case 'overwrite':
			return Buffer.concat([before, others, bytes.subarray(start + others.length)]);
		case 'insert':
			return Buffer.concat([before, others, bytes.subarray(start)]);
		default:
			return Buffer.concat([after, part, before]);
	}
}

function sampleLedger(): Buffer {
	let prev = ledgerGenesis(campaignId);
	const texts = Array.from({ length: 12 }, (_, seq) => {
		const data: LedgerLine['data'] = seq === 0 ? { campaign_id: campaignId } : { score: seq / 3, feedback: 'ä\ufffd' };
		const place = {
			v: 1,
			seq,
			prev,
			time: '2030-01-01T00:00:00.000Z',
			slice: 0,
			node_id: null,
			attempt: null,
		} as const;
		const { line, text } = sealLine({ ...place, type: seq === 0 ? 'opened' : 'cost', data });
		prev = line.sha256;
		return `${text}\n`;
	});
	return Buffer.from(texts.join(''));
}

function codeOf(thrown: unknown): string {
	if (!KapsoError.isInstance(thrown)) throw thrown;
	expect(thrown.hint).not.toBe('');
	return thrown.code;
}

describe('however a file was damaged', () => {
	it('a run state is refused by name, never half believed [M319, E26]', () => {
		const whole = encodeRunState(runState());
		fc.assert(
			fc.property(damage, (how) => {
				const bytes = damaged(whole, how);
				fc.pre(!bytes.equals(whole));
				try {
					parseRunState(bytes, 'run_state.json');
				} catch (thrown) {
					expect(codeOf(thrown)).toBe('RUN_CHECKPOINT_CORRUPT');
					return;
				}
				throw new Error('a damaged state was accepted');
			}),
			{ numRuns: 2000 },
		);
	});

	it('a ledger is refused by name, or read as the lines before a torn end and as nothing else [M319, E26]', () => {
		const whole = sampleLedger();
		const { lines } = proveLedger(whole, { path: 'ledger.jsonl', campaignId });
		const seen = { refused: 0, torn: 0 };
		fc.assert(
			fc.property(damage, (how) => {
				const bytes = damaged(whole, how);
				fc.pre(!bytes.equals(whole));
				try {
					const read = proveLedger(bytes, { path: 'ledger.jsonl', campaignId });
					expect(read.lines).toEqual(lines.slice(0, read.lines.length));
					// Whatever is read as torn holds no line feed: not one complete line goes with it.
					expect(bytes.lastIndexOf('\n')).toBe(bytes.length - read.tornBytes - 1);
					seen.torn++;
				} catch (thrown) {
					expect(codeOf(thrown)).toBe('LEDGER_CORRUPT');
					seen.refused++;
				}
			}),
			{ numRuns: 2000 },
		);
		expect(seen.refused).toBeGreaterThan(500);
		expect(seen.torn).toBeGreaterThan(50);
	});
});
