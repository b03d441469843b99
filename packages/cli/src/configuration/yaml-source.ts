import { isAlias, isMap, isPair, isScalar, LineCounter, type Node, parseDocument } from 'yaml';
import type { Problem } from './problem.ts';

type Path = readonly PropertyKey[];

/** A YAML file as plain data that still knows where each key and value stands. */
export interface YamlSource {
	readonly value: unknown;
	/** Place of the value at a path, or of the nearest one above it. */
	placeOf(path: Path): Omit<Problem, 'message'>;
	/** Place of a key of the mapping at a path. */
	placeOfKey(path: Path, key: string): Omit<Problem, 'message'>;
}

/** One document of YAML 1.2, unique keys that are strings, no tags of its own. */
export function parseYaml(text: string): { source: YamlSource; problems: Problem[] } {
	const lines = new LineCounter();
	const document = parseDocument(text, { lineCounter: lines, strict: true, uniqueKeys: true, merge: false });
	const at = (offset: number): Omit<Problem, 'message'> => {
		const { line, col } = lines.linePos(offset);
		return { line: Math.max(1, line), column: Math.max(1, col) };
	};
	const problems: Problem[] = [...document.errors, ...document.warnings].map((error) => ({
		...at(error.pos[0]),
		message: error.message.split('\n')[0]!.replace(/ at line \d+, column \d+:?$/, ''),
	}));
	const resolve = (node: unknown): unknown => (isAlias(node) ? node.resolve(document) : node);
	const pairAt = (map: unknown, key: PropertyKey) =>
		isMap(map)
			? map.items.find((pair) => isPair(pair) && isScalar(pair.key) && String(pair.key.value) === String(key))
			: undefined;

	/** The deepest node that a path reaches. */
	const reach = (path: Path): Node | null => {
		let node: unknown = document.contents;
		for (const step of path) {
			const container = resolve(node);
			const next = isMap(container)
				? pairAt(container, step)?.value
				: typeof step === 'number'
					? (container as { items?: unknown[] } | null)?.items?.[step]
					: undefined;
			if (next === undefined || next === null) break;
			node = next;
		}
		return node as Node | null;
	};
	const placeOfNode = (node: unknown) => at((node as Node | null)?.range?.[0] ?? 0);

	let value: unknown = null;
	if (problems.length === 0) {
		try {
			value = document.toJS({ maxAliasCount: 100 });
		} catch (error) {
			problems.push({ line: 1, column: 1, message: (error as Error).message });
		}
	}
	return {
		problems,
		source: {
			value,
			placeOf: (path) => placeOfNode(reach(path)),
			placeOfKey: (path, key) => placeOfNode(pairAt(resolve(reach(path)), key)?.key ?? reach(path)),
		},
	};
}
