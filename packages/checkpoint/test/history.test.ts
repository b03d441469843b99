import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeNode } from '@kapso-evolve/contracts';
import { temporaryFolder } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';
import { decodeNode, loadHistory, saveHistory } from '../src/index.ts';
import { node } from './states.ts';

describe('a node on disk', () => {
	it('has snake_case names and comes back equal', () => {
		const original = node(3, {
			treeSha256: 'a'.repeat(64),
			metrics: { fooBar: 1, foo_bar: 2 },
			costUsd: 0.5,
			caseScores: [1, 2],
		});
		const record = JSON.parse(JSON.stringify(encodeNode(original)));
		expect(record).toMatchObject({
			node_id: 3,
			tree_sha256: 'a'.repeat(64),
			cost_usd: 0.5,
			metrics: { fooBar: 1, foo_bar: 2 },
		});
		expect(decodeNode(record)).toEqual(original);
	});

	it('is refused with a score that is no number [A38]', () => {
		for (const score of [Number.NaN, Number.POSITIVE_INFINITY, '1', true]) {
			expect(() => decodeNode({ ...encodeNode(node(0)), score })).toThrow(/score/);
		}
	});
});

describe('the history', () => {
	it('loads as it was saved: an array of records, one a line [EI06, M309]', async () => {
		await using folder = await temporaryFolder();
		const path = join(folder.path, 'experiment_history.json');
		const nodes = [
			node(0),
			node(1, { outcome: 'invalid', score: null, evaluationValid: false, evaluationIntegrityError: 'changed: a' }),
		];
		await saveHistory(path, nodes);
		expect(await loadHistory(path)).toEqual(nodes);
		const text = await readFile(path, 'utf8');
		expect(text.split('\n')).toHaveLength(5);
		expect(JSON.parse(text)[1]).toMatchObject({
			evaluation_valid: false,
			evaluation_integrity_error: 'changed: a',
			evaluation_provenance: 'agent_generated',
		});
		expect((await stat(path)).mode & 0o777).toBe(0o600);
		await saveHistory(path, []);
		expect(await loadHistory(path)).toEqual([]);
	});

	it('gives fields that are newer than the record their empty defaults [RC03]', async () => {
		await using folder = await temporaryFolder();
		const path = join(folder.path, 'experiment_history.json');
		const {
			metrics: _m,
			primary_metric: _p,
			external_evaluation_metadata: _e,
			external_evaluation_error: _x,
			...older
		} = encodeNode(node(0));
		await writeFile(path, JSON.stringify([older]));
		expect(await loadHistory(path)).toEqual([node(0)]);
	});

	it('is empty without a file', async () => {
		await using folder = await temporaryFolder();
		expect(await loadHistory(join(folder.path, 'experiment_history.json'))).toEqual([]);
	});

	it.each(['[{"node_id": 0', '{}', '[3]', '[{"node_id": 0}]', ''])(
		'is corrupt, and said to be derived, when it holds %j [D11]',
		async (content) => {
			await using folder = await temporaryFolder();
			const path = join(folder.path, 'experiment_history.json');
			await writeFile(path, content);
			await expect(loadHistory(path)).rejects.toMatchObject({
				code: 'HISTORY_CORRUPT',
				category: 'usage',
				hint: expect.stringContaining('derived from the ledger'),
			});
		},
	);
});
