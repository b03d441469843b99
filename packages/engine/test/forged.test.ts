import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ledgerLineSchema, sha256 } from '@kapso-evolve/contracts';
import { openSandbox } from '@kapso-evolve/process';
import { describe, expect, it } from 'vitest';
import { evolve, verifyCampaign } from '../src/index.ts';
import { addOne, numberProblem } from './number-problem.ts';

const sandbox = await openSandbox({ path: process.env.PATH ?? '' });
const environment = { PATH: process.env.PATH };

// biome-ignore lint/suspicious/noExplicitAny: a forger writes what it likes
type Line = any;

/** Edits lines and closes the chain again, as the owner of the files can. */
async function forge(folder: string, edit: (lines: Line[]) => Line[]): Promise<void> {
	const path = join(folder, '.kapso', 'ledger.jsonl');
	const lines: Line[] = (await readFile(path, 'utf8'))
		.trim()
		.split('\n')
		.map((line) => JSON.parse(line));
	let prev = lines[0].prev;
	const texts = edit(lines).map(({ sha256: _, ...line }, seq) => {
		const body = JSON.stringify({ ...line, seq, prev }).slice(0, -1);
		prev = sha256(body);
		return `${body},"sha256":"${prev}"}`;
	});
	for (const text of texts) ledgerLineSchema.parse(JSON.parse(text));
	await writeFile(path, `${texts.join('\n')}\n`);
	// The state is put back to the first line, so that it says nothing about the rest.
	const statePath = join(folder, '.kapso', 'run_state.json');
	const zeros = '0'.repeat(64);
	const state = (await readFile(statePath, 'utf8'))
		.replace(/"ledger_head": "[0-9a-f]{64}"/, `"ledger_head": "${JSON.parse(texts[0]!).sha256}"`)
		.replace(/"sha256": "[0-9a-f]{64}"/, `"sha256": "${zeros}"`);
	await writeFile(statePath, state.replace(zeros, sha256(state)));
}

const of = (lines: Line[], type: string, nodeId: number | null = 1) =>
	lines.find((line) => line.type === type && line.node_id === nodeId);

const forgeries: Readonly<Record<string, [string, (lines: Line[]) => unknown]>> = {
	'a score in all its lines, but not in its record': [
		'EVALUATION_DIFFERS',
		(lines) => {
			of(lines, 'evaluated').data.score = 999;
			of(lines, 'recorded').data.node.score = 999;
			of(lines, 'feedback').data.text = 'Score 999.';
			of(lines, 'recorded').data.node.feedback = 'Score 999.';
			of(lines, 'confirmed').data.score = 999;
		},
	],
	'a candidate whose doubts were removed': [
		'NODE_DIFFERS',
		(lines) => {
			of(lines, 'recorded').data.node.not_proven = [];
		},
	],
	'a better level': [
		'NODE_DIFFERS',
		(lines) => {
			of(lines, 'recorded').data.node.evaluation_level = 'suite-sealed';
		},
	],
	'another parent': [
		'NODE_DIFFERS',
		(lines) => {
			of(lines, 'recorded').data.node.parent_node_id = null;
		},
	],
	'a parent’s commit that is not the parent’s': [
		'PARENT_DIFFERS',
		(lines) => {
			of(lines, 'intent').data.parent_commit = lines[0].data.main_commit;
			of(lines, 'recorded').data.node.parent_commit = lines[0].data.main_commit;
		},
	],
	'a score of another commit': [
		'COMMIT_DIFFERS',
		(lines) => {
			of(lines, 'evaluated').data.commit = of(lines, 'finalised', 0).data.commit;
		},
	],
	'a goal that was not reached': [
		'GOAL_DIFFERS',
		(lines) => {
			of(lines, 'feedback').data.should_stop = true;
			of(lines, 'recorded').data.node.should_stop = true;
		},
	],
	'a winner confirmed on another commit': [
		'CONFIRMATION_DIFFERS',
		(lines) => {
			of(lines, 'confirmed').data.commit = of(lines, 'finalised', 0).data.commit;
		},
	],
	'a winner confirmed by another score': [
		'CONFIRMATION_DIFFERS',
		(lines) => {
			of(lines, 'confirmed').data.score = 2;
		},
	],
	'a baseline of another commit': [
		'BASELINE_DIFFERS',
		(lines) => {
			of(lines, 'evaluated', null).data.commit = of(lines, 'finalised').data.commit;
		},
	],
	'no baseline': ['LINE_MISSING', (lines) => lines.filter((line) => line !== of(lines, 'evaluated', null))],
	'no integrity check': ['LINE_MISSING', (lines) => lines.filter(({ type }) => type !== 'integrity')],
	'no cost': ['LINE_MISSING', (lines) => lines.filter(({ type }) => type !== 'cost')],
	'a state that is behind and says more than the ledger did then': ['STATE_DIFFERS', () => {}],
};

describe.skipIf(sandbox.isolation === 'none')('verify (needs bubblewrap)', () => {
	it('finds each claim that the other evidence contradicts, in a chain that closes, and edits of the start [T093, T096, T097, E36]', async () => {
		await using problem = await numberProblem();
		await evolve(await problem.options(addOne, { maxIterations: 2 }));
		const codesOf = async (folder: string) => {
			const { ok, problems } = await verifyCampaign(folder, { environment });
			return ok ? ['ok'] : [...new Set(problems.map(({ code }) => code))];
		};
		const found: Record<string, string> = {};
		for (const [name, [code, edit]] of Object.entries(forgeries)) {
			const copy = join(problem.folder, 'copy');
			await cp(problem.output, copy, { recursive: true, force: true });
			await forge(copy, (lines) => {
				const edited = edit(lines);
				return Array.isArray(edited) ? edited : lines;
			});
			found[name] = (await codesOf(copy)).includes(code) ? code : (await codesOf(copy)).join(' ');
		}
		expect(found).toEqual(Object.fromEntries(Object.entries(forgeries).map(([name, [code]]) => [name, code])));

		const launch = join(problem.output, '.kapso', 'launch.json');
		const written = await readFile(launch, 'utf8');
		const edits = {
			evaluation_level: written.replace('"evaluation_level": "sealed"', '"evaluation_level": "suite-sealed"'),
			isolation: written.replace('"isolation": "os"', '"isolation": "none"'),
			seed_commit: written.replace(/"seed_commit": "[0-9a-f]{4}/, '"seed_commit": "0000'),
			evaluation_digest: written.replace(/"evaluation_digest": "[0-9a-f]{4}/, '"evaluation_digest": "0000'),
			agent_command: written.replace(/agent-\d+\.mjs/, 'other.mjs'),
			engine_version: written.replace('"engine_version": "', '"engine_version": "9'),
		};
		for (const [name, text] of Object.entries(edits)) {
			expect(text, name).not.toBe(written);
			await writeFile(launch, text);
			expect(await codesOf(problem.output), name).toContain('LAUNCH_DIFFERS');
		}
		await writeFile(launch, written);
		expect(await codesOf(problem.output)).toEqual(['ok']);
	});
});
