import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KapsoError, seededRandom } from '@kapso-evolve/contracts';
import { temporaryFolder, writeFiles } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';
import { parseLegacyCheckpoint, readLegacyCheckpoint } from '../src/index.ts';
import {
	emptyTuple,
	float,
	historyOf,
	int,
	nodeOf,
	none,
	op,
	pickle,
	proto,
	searchNode,
	stackGlobal,
	stop,
	text,
} from './pickles.ts';

const fixture = (name: string) => readFileSync(join(import.meta.dirname, 'fixtures', name));
const parse = (bytes: Buffer) => parseLegacyCheckpoint(bytes, '/campaign/checkpoint.pkl');
const global = (module: string, name: string) => Buffer.concat([text(module), text(name), stackGlobal]);
const refusalOf = (bytes: Buffer): KapsoError => {
	try {
		parse(bytes);
	} catch (thrown) {
		if (KapsoError.isInstance(thrown)) return thrown;
		throw thrown;
	}
	throw new Error('it was read');
};

describe('a checkpoint.pkl of an older release', () => {
	it('of the generic strategy gives its nodes as they were [M321, A51]', () => {
		const campaign = parse(fixture('generic-checkpoint.pkl'));
		expect(campaign).toMatchObject({
			source: 'checkpoint.pkl',
			status: 'running',
			completedIterations: 2,
			renumbered: null,
		});
		expect(campaign.nodes.map((node) => [node.node_id, node.parent_node_id, node.branch_name, node.score])).toEqual([
			[0, null, 'generic_exp_0', 0.5],
			[1, 0, 'generic_exp_1', 1],
		]);
	});

	it('of the tree strategy gives its history, whose nodes hold one another [M321, A40]', () => {
		const campaign = parse(fixture('tree-checkpoint.pkl'));
		expect(campaign.renumbered).toEqual([1]);
		expect(campaign.nodes).toMatchObject([
			{ node_id: 0, parent_node_id: null, branch_name: 'experiment_0', parent_branch_name: 'main', score: 0.2 },
		]);
	});

	it('that names one node twice in its history counts it once [D14]', () => {
		const node = nodeOf({ node_id: int(4), branch_name: text('experiment_4'), score: float(1) });
		expect(parse(historyOf(node, node)).nodes).toHaveLength(1);
	});

	it('has no score where the number was not finite [A38]', () => {
		for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) {
			const [node] = parse(historyOf(nodeOf({ node_id: int(0), branch_name: text('b'), score: float(value) }))).nodes;
			expect(node?.score).toBeNull();
		}
	});

	it('is null where there is none, and refused where it is a link', async () => {
		await using folder = await temporaryFolder();
		const path = join(folder.path, 'checkpoint.pkl');
		expect(await readLegacyCheckpoint(path)).toBeNull();
		await writeFiles(folder.path, { 'checkpoint.pkl': { link: '/etc/hostname' } });
		await expect(readLegacyCheckpoint(path)).rejects.toMatchObject({ code: 'FILE_KIND' });
	});
});

const hostile: readonly (readonly [what: string, bytes: Buffer, reason: string])[] = [
	['calls os.system', pickle(global('posix', 'system'), text('id'), op(0x85), op('R'), stop), 'names "posix.system"'],
	['calls eval', pickle(global('builtins', 'eval'), text('1'), op(0x85), op('R'), stop), 'names "builtins.eval"'],
	['names a subprocess', pickle(global('subprocess', 'Popen'), stop), 'names "subprocess.Popen"'],
	[
		'names a number of numpy',
		pickle(global('numpy.core.multiarray', 'scalar'), stop),
		'names "numpy.core.multiarray.scalar"',
	],
	[
		'names an attribute of an allowed module',
		pickle(global('kapso.execution.search_strategies.base', 'SearchNode.__init__'), stop),
		'which no checkpoint needs',
	],
	['calls an allowed class', pickle(searchNode, emptyTuple, op('R'), stop), '0x52'],
	['imports in the old way', pickle(op('cposix\nsystem\n'), stop), '0x63'],
	['makes an instance in the old way', pickle(op('('), op('iposix\nsystem\n'), stop), '0x69'],
	['makes an object in the old way', pickle(op('('), op('o'), stop), '0x6f'],
	['uses the extension registry', pickle(op(0x82), op(0x01), stop), '0x82'],
	['asks for a persistent object', pickle(text('x'), op('Q'), stop), '0x51'],
	['asks for a buffer from elsewhere', Buffer.concat([proto(5), op(0x97), stop]), '0x97'],
	['makes an instance with keywords', pickle(searchNode, emptyTuple, op('}'), op(0x92), stop), '0x92'],
	['passes arguments to a class', pickle(searchNode, int(1), op(0x85), op(0x81), stop), 'passes arguments'],
	['makes an instance of a text', pickle(text('x'), emptyTuple, op(0x81), stop), 'no class'],
	['sets attributes of a class', pickle(searchNode, op('}'), op('b'), stop), 'no new instance'],
	[
		'sets attributes twice',
		historyOf(Buffer.concat([nodeOf({ node_id: int(0) }), op('}'), op('b')])),
		'no new instance',
	],
	[
		'gives slots instead of attributes',
		pickle(searchNode, emptyTuple, op(0x81), none, op('}'), op(0x86), op('b'), stop),
		'no dictionary',
	],
	['has a key that is no text', pickle(op('}'), int(1), none, op('s'), stop), 'a key is no text'],
	[
		'claims a text that is longer than itself',
		pickle(op('X'), Buffer.from([0xff, 0xff, 0xff, 0x7f]), stop),
		'too early',
	],
	['claims a frame beyond all files', pickle(op(0x95), Buffer.alloc(8, 0xff), stop), 'a frame is longer'],
	[
		'holds a whole number of 255 bytes',
		pickle(op(0x8a), Buffer.from([0xff]), Buffer.alloc(255, 1), stop),
		'out of range',
	],
	[
		'holds a number beyond whole doubles',
		pickle(op(0x8a), Buffer.from([8]), Buffer.alloc(8, 0x7f), stop),
		'out of range',
	],
	['recalls what was never kept', pickle(op('h'), Buffer.from([9]), stop), 'it recalls value 9'],
	['takes more than there is', pickle(op('a'), stop), 'not there'],
	['takes values from below a mark', pickle(op(']'), op('('), op('a'), stop), 'not there'],
	['takes a mark that is not there', pickle(op(']'), op('e'), stop), 'a mark that is not there'],
	['leaves values behind', pickle(none, none, stop), 'left over'],
	['goes on after its end', Buffer.concat([historyOf(), Buffer.from('x')]), '1 bytes follow'],
	['has no end', pickle(op(']')), 'too early'],
	['is text that is not UTF-8', pickle(text(Uint8Array.of(0xff, 0xfe)), stop), 'not UTF-8'],
	['is of protocol 2', Buffer.concat([proto(2), op(']'), stop]), 'protocol is 2'],
	['has no protocol', Buffer.concat([op(']'), stop]), 'a protocol must stand first'],
	['says its protocol twice', pickle(proto(), op(']'), stop), 'a protocol must stand first'],
	['is a number', pickle(int(1), stop), 'neither a history'],
	['is a list of texts', pickle(op(']'), text('x'), op('a'), stop), 'node 0 is no search node'],
	[
		'is an instance without attributes',
		pickle(op(']'), searchNode, emptyTuple, op(0x81), op('a'), stop),
		'node 0 is no search node',
	],
	['has a true id', historyOf(nodeOf({ node_id: op(0x88) })), 'node 0 is wrong'],
	['has attributes of dictionaries', historyOf(nodeOf({ node_id: int(0), feedback: op('}') })), 'node 0 is wrong'],
	['is empty', Buffer.alloc(0), 'too early'],
];

describe('a hostile pickle', () => {
	it.each(hostile)('that %s is refused with its place and nothing is executed [M313, RC04]', (_what, bytes, reason) => {
		const refusal = refusalOf(bytes);
		expect(refusal).toMatchObject({ code: 'LEGACY_CHECKPOINT_REFUSED', category: 'usage' });
		expect(refusal.message).toContain(reason);
		if (!/node 0|neither/.test(reason)) expect(refusal.message).toMatch(/at byte \d+/);
	});

	it('cannot reach what objects inherit: its keys are keys of maps', () => {
		const [node] = parse(
			historyOf(
				nodeOf({
					node_id: int(0),
					branch_name: text('b'),
					['__proto__']: text('x'),
					constructor: none,
					toString: none,
				}),
			),
		).nodes;
		expect(node).toMatchObject({ node_id: 0, branch_name: 'b' });
		expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
	});

	it('that doubles itself in memory is stopped by its number of values', () => {
		const doubled = Buffer.alloc(2_100_000, 'N');
		expect(refusalOf(pickle(doubled, stop)).message).toContain('it holds more than 2000000 values');
	});

	it('cannot say one long text through many nodes without end', () => {
		const long = text('x'.repeat(1024 * 1024));
		const nodes = Array.from({ length: 300 }, (_, id) =>
			nodeOf({
				node_id: int(id),
				branch_name: text(`b${id}`),
				feedback: id === 0 ? Buffer.concat([long, op(0x94)]) : Buffer.concat([op('h'), Buffer.from([0])]),
			}),
		);
		expect(refusalOf(historyOf(...nodes)).message).toContain('more than 268435456 characters');
	});
});

/** A few in every run; the nightly one makes a hundred thousand. */
const mutations = process.env.KAPSO_NIGHTLY === '1' ? 100_000 : 3000;

it(`a pickle changed at random (${mutations} times) is read or refused by name, never anything else [M319]`, {
	timeout: 300_000,
}, () => {
	const random = seededRandom(7);
	const below = (limit: number) => Math.floor(random.next() * limit);
	const originals = [
		fixture('tree-checkpoint.pkl'),
		historyOf(
			nodeOf({ node_id: int(0), branch_name: text('b'), score: float(1), had_error: op(0x89) }),
			nodeOf({ node_id: int(1) }),
		),
	];
	let refused = 0;
	for (let round = 0; round < mutations; round++) {
		const original = originals[round % originals.length]!;
		const bytes = Buffer.from(original);
		for (let change = below(3); change >= 0; change--) bytes[below(bytes.length)] = below(256);
		const cut = round % 5 === 0 ? bytes.subarray(0, below(bytes.length)) : bytes;
		try {
			parse(cut);
		} catch (thrown) {
			if (!KapsoError.isInstance(thrown) || thrown.code !== 'LEGACY_CHECKPOINT_REFUSED') throw thrown;
			refused++;
		}
	}
	expect(refused).toBeGreaterThan(mutations / 2);
});
