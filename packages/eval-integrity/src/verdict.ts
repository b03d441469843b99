/** What a candidate's tree turned out to be against the caller's bytes. */
export type Verdict =
	| {
			readonly valid: true;
			/** Paths that exist and are not run: from the root of the candidate, at most `maxListed`. */
			readonly stripped: readonly string[];
			readonly notProven: readonly string[];
	  }
	| {
			readonly valid: false;
			/** Of the gravest finding. */
			readonly code: FindingCode;
			/** For people, the history and the checkpoint (document 000 fixes how it begins). */
			readonly error: string;
			readonly paths: readonly string[];
	  };

/** Gravest first. The words are those of the published rule where it has some. */
export const findingWords = {
	INTEGRITY_MISSING: 'missing',
	INTEGRITY_CHANGED: 'changed',
	INTEGRITY_LINK: 'unexpected link',
	INTEGRITY_COLLISION: 'colliding name',
	/** Source, configuration, whatever is loadable, and executables. */
	INTEGRITY_SOURCE: 'unexpected evaluator source',
	INTEGRITY_PROTECTED: 'unexpected protected file',
} as const;
export type FindingCode = keyof typeof findingWords;

export interface Finding {
	readonly code: FindingCode;
	readonly path: string;
}

/** A record stays readable when a candidate adds a million files. */
export const maxListed = 1000;
const namedPerGroup = 20;

export function rejection(findings: readonly Finding[]): Verdict {
	const groups = (Object.keys(findingWords) as FindingCode[])
		.map((code) => ({ code, paths: findings.filter((finding) => finding.code === code).map(({ path }) => path) }))
		.filter(({ paths }) => paths.length > 0);
	const text = groups.map(({ code, paths }) => {
		const named = paths.slice(0, namedPerGroup).map(printable).join(', ');
		const rest = paths.length > namedPerGroup ? `, and ${paths.length - namedPerGroup} more` : '';
		return `${findingWords[code]}: ${named}${rest}`;
	});
	return {
		valid: false,
		code: groups[0]!.code,
		error: `Provided evaluation integrity check failed (${text.join('; ')})`,
		paths: findings.slice(0, maxListed).map(({ path }) => path),
	};
}

/** A name chosen by a candidate must not move the cursor or pose as two names. */
function printable(path: string): string {
	return /[\p{C},;()"\\]/u.test(path) ? JSON.stringify(path).replace(/[\p{C}]/gu, escapeLetter) : path;
}

function escapeLetter(letter: string): string {
	return `\\u{${letter.codePointAt(0)!.toString(16)}}`;
}
