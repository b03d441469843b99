/**
 * Two spellings with equal keys are one file on some file system that people work on: letter case and Unicode forms
 * (macOS, Windows), invisible letters (HFS+), trailing dots and blanks and stream names (Windows). TAMPER T013.
 */
export function nameKey(path: string): string {
	return path
		.normalize('NFC')
		.replace(/\p{Default_Ignorable_Code_Point}/gu, '')
		.toUpperCase()
		.toLowerCase()
		.normalize('NFC')
		.split('/')
		.map((name) => name.replace(/:+\$.*$/, '').replace(/[. ]+$/, ''))
		.join('/');
}

/** Finds paths that would share a name with another one, folders included. */
export class SpellingBook {
	readonly #spellings = new Map<string, Set<string>>();

	constructor(known: Iterable<string>) {
		for (const path of known) this.#add(path);
	}

	/** True when a prefix of the path is spelled in another way than one seen before. Remembers the path. */
	collides(path: string): boolean {
		const collision = prefixes(path).some((prefix) => {
			const seen = this.#spellings.get(nameKey(prefix));
			return seen !== undefined && !seen.has(prefix);
		});
		this.#add(path);
		return collision;
	}

	#add(path: string): void {
		for (const prefix of prefixes(path)) {
			const key = nameKey(prefix);
			const seen = this.#spellings.get(key);
			if (seen) seen.add(prefix);
			else this.#spellings.set(key, new Set([prefix]));
		}
	}
}

function prefixes(path: string): string[] {
	const names = path.split('/');
	return names.map((_, index) => names.slice(0, index + 1).join('/'));
}
