import type { Change, TamperCase } from '../case.ts';
import { type Language, languages } from '../language.ts';

/** A trick for several languages at once. */
export interface Plan extends Omit<TamperCase, 'language' | 'change' | 'inProcess' | 'ids'> {
	/** Separated by blanks. */
	readonly ids: string;
	/** Default: all three. */
	readonly languages?: readonly Language[];
	readonly change?: Change | ((language: Language) => Change);
	/** The languages in which it needs the scorer's process; true: all of them. */
	readonly inProcess?: boolean;
	readonly inProcessOnly?: readonly Language[];
}

/** One case a language. */
export function each({ ids, languages: some, change, inProcess, inProcessOnly, ...plan }: Plan): TamperCase[] {
	return (some ?? languages).map((language) => ({
		...plan,
		ids: ids.split(' '),
		language,
		change: typeof change === 'function' ? change(language) : (change ?? {}),
		...((inProcess ?? inProcessOnly?.includes(language)) ? { inProcess: true } : {}),
	}));
}
