import { KapsoError, nearestName } from '@kapso-evolve/contracts';
import type { z } from 'zod';
import { isMapping, mergeLayers, type Origins } from './merge.ts';
import { type Problem, refuseConfiguration } from './problem.ts';
import {
	keysOfLaterReleases,
	keysWithoutEffect,
	keysWithoutMeaning,
	packagedSettings,
	type Settings,
	settingsSchema,
} from './settings.ts';
import { unknownKeyMessage } from './unknown-key.ts';
import { parseYaml, type YamlSource } from './yaml-source.ts';

export interface Configuration {
	readonly settings: Settings;
	/** `evaluation:` as it was written, for the engine, which fills in and records the defaults itself. */
	readonly evaluation: Readonly<Record<string, unknown>> | null;
	/** The mode that the settings are of; null when the file has none or only defaults apply. */
	readonly mode: string | null;
	readonly warnings: readonly string[];
}

interface Layer {
	readonly path: readonly string[];
	readonly value: unknown;
}

/**
 * Reads a configuration (CONTRACTS 6): `defaults` and `modes.<NAME>` merged over the packaged settings, or a flat file
 * of settings without modes. Every mode is checked, not only the one in use, and every problem is reported at once.
 * Refusals: `CONFIGURATION` with file, line and column; `MODE_UNKNOWN`.
 */
export function parseConfiguration(o: {
	readonly file: string;
	readonly text: string;
	readonly mode: string | undefined;
}): Configuration {
	const { source, problems } = parseYaml(o.text);
	if (problems.length > 0) throw refuseConfiguration(o.file, problems);
	const shape = readShape(source, problems);
	const warnings = new Set<string>();
	const checked = new Map<string | null, ReturnType<typeof check>>();
	const defaultsAlone = shape.modes.size === 0 || (o.mode === undefined && shape.defaultMode === null);
	for (const mode of [...(defaultsAlone ? [null] : []), ...shape.modes.keys()]) {
		const layer = mode === null ? undefined : shape.modes.get(mode);
		checked.set(mode, check(source, layer ? [...shape.base, layer] : shape.base, problems, warnings));
	}
	if (problems.length > 0) throw refuseConfiguration(o.file, problems);

	const mode = o.mode ?? shape.defaultMode;
	if (mode !== null && !shape.modes.has(mode)) throw unknownMode(mode, [...shape.modes.keys()], o.file);
	const { settings, merged } = checked.get(mode)!;
	return {
		settings: settings!,
		evaluation: isMapping(merged.evaluation) ? merged.evaluation : null,
		mode,
		warnings: [...warnings].map((warning) => `${o.file}: ${warning}`),
	};
}

/** The settings without a file. `--mode` then names nothing. */
export function packagedConfiguration(mode: string | undefined): Configuration {
	if (mode !== undefined) throw unknownMode(mode, [], null);
	return { settings: settingsSchema.parse(packagedSettings), evaluation: null, mode: null, warnings: [] };
}

interface Shape {
	readonly base: readonly Layer[];
	readonly modes: ReadonlyMap<string, Layer>;
	readonly defaultMode: string | null;
}

/** Which parts of the file are layers. An empty file is a file without settings. */
function readShape(source: YamlSource, problems: Problem[]): Shape {
	const root = source.value ?? {};
	if (!isMapping(root)) {
		problems.push({ ...source.placeOf([]), message: 'the configuration must be a mapping of keys' });
		return { base: [], modes: new Map(), defaultMode: null };
	}
	const structure = ['default_mode', 'defaults', 'modes'];
	if (!structure.some((key) => Object.hasOwn(root, key)))
		return { base: [{ path: [], value: root }], modes: new Map(), defaultMode: null };

	const known = [...structure, ...keysWithoutMeaning];
	for (const key of Object.keys(root)) {
		if (known.includes(key)) continue;
		const isSetting = Object.hasOwn(settingsSchema.shape, key);
		problems.push({
			...source.placeOfKey([], key),
			message: isSetting
				? `${key} belongs into defaults: or modes.<NAME>: of a file that has modes`
				: unknownKeyMessage([], key, [...known, ...Object.keys(settingsSchema.shape)]),
		});
	}
	const mapping = (path: readonly string[], value: unknown): Layer[] => {
		if (value === undefined || value === null) return [];
		if (isMapping(value)) return [{ path, value }];
		problems.push({ ...source.placeOf(path), message: `${path.join('.')} must be a mapping` });
		return [];
	};
	const modes = new Map<string, Layer>();
	const [written] = mapping(['modes'], root.modes);
	for (const [name, value] of Object.entries((written?.value as Record<string, unknown>) ?? {})) {
		const path = ['modes', name];
		modes.set(name, mapping(path, value)[0] ?? { path, value: {} });
	}
	let defaultMode: string | null = null;
	if (typeof root.default_mode === 'string') {
		defaultMode = root.default_mode;
		if (!modes.has(defaultMode))
			problems.push({
				...source.placeOf(['default_mode']),
				message: `default_mode names ${JSON.stringify(defaultMode)}, which is not under modes${suggestion(defaultMode, modes.keys())}`,
			});
	} else if (root.default_mode !== undefined && root.default_mode !== null)
		problems.push({ ...source.placeOf(['default_mode']), message: 'default_mode must be the name of a mode' });
	return { base: mapping(['defaults'], root.defaults), modes, defaultMode };
}

/** Merges and validates one mode; what is wrong goes to `problems`, at the place where the value was written. */
function check(
	source: YamlSource,
	layers: readonly Layer[],
	problems: Problem[],
	warnings: Set<string>,
): { settings: Settings | null; merged: Record<string, unknown> } {
	const { merged, origins } = mergeLayers([packagedSettings, ...layers.map((layer) => layer.value)]);
	const written = (path: readonly PropertyKey[]): PropertyKey[] => {
		const layer = layers[originOf(path, origins) - 1];
		return [...(layer?.path ?? []), ...path];
	};
	for (const key of keysWithoutMeaning) {
		if (!Object.hasOwn(merged, key)) continue;
		warnings.add(`${key} means nothing here and is left out`);
		delete merged[key];
	}
	for (const path of keysWithoutEffect)
		if (valueAt(merged, path) !== undefined) warnings.add(`${path.join('.')} is checked, but nothing uses it yet`);
	for (const key of keysOfLaterReleases) {
		if (!Object.hasOwn(merged, key)) continue;
		const place = written([key]);
		problems.push({
			...source.placeOfKey(place.slice(0, -1), key),
			message: `${key} is not available in this release; it is refused because leaving it out would change what runs`,
		});
		delete merged[key];
	}
	const result = settingsSchema.safeParse(merged);
	if (result.success) return { settings: result.data, merged };
	for (const issue of result.error.issues) problems.push(...describe(issue, source, written));
	return { settings: null, merged };
}

function describe(
	issue: z.core.$ZodIssue,
	source: YamlSource,
	written: (path: readonly PropertyKey[]) => PropertyKey[],
): Problem[] {
	if (issue.code === 'unrecognized_keys') {
		return issue.keys.map((key) => {
			const place = written([...issue.path, key]);
			return {
				...source.placeOfKey(place.slice(0, -1), key),
				message: unknownKeyMessage(issue.path, key),
			};
		});
	}
	const inner =
		issue.code === 'invalid_union' ? issue.errors.flat().find((error) => error.code === 'custom') : undefined;
	return [
		{
			...source.placeOf(written(issue.path)),
			message: `${issue.path.join('.')}: ${(inner ?? issue).message}`,
		},
	];
}

/** The layer that wrote a path, or the nearest mapping above it. */
function originOf(path: readonly PropertyKey[], origins: Origins): number {
	for (let length = path.length; length > 0; length--) {
		const origin = origins.get(JSON.stringify(path.slice(0, length).map(String)));
		if (origin !== undefined) return origin;
	}
	return origins.get('[]') ?? 0;
}

function valueAt(value: unknown, path: readonly string[]): unknown {
	let found = value;
	for (const step of path) found = isMapping(found) ? found[step] : undefined;
	return found;
}

function suggestion(typed: string, known: Iterable<string>): string {
	const nearest = nearestName(typed, known);
	return nearest === null ? '' : `; did you mean ${nearest}?`;
}

function unknownMode(mode: string, known: readonly string[], file: string | null): KapsoError {
	const where =
		file === null
			? 'without --config there are no modes'
			: `${file} has ${known.length === 0 ? 'no modes' : known.join(', ')}`;
	return new KapsoError({
		code: 'MODE_UNKNOWN',
		category: 'usage',
		message: `unknown mode ${JSON.stringify(mode)}: ${where}${suggestion(mode, known)}`,
		hint: 'nothing was started; name a mode of the configuration file, or leave --mode out',
		data: { mode, known, file },
	});
}
