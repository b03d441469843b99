/**
 * A pattern over `/`-separated relative paths: `*` and `?` stay within a name, `**` spans folders, `{a,b}` and `[a-z]`
 * choose. A dot is an ordinary letter (a protected `data/**` must not spare `data/.labels`), and a pattern without
 * wild cards that names a folder means everything below it.
 */
export type Glob = (path: string) => boolean;

export function compileGlobs(patterns: readonly string[]): Glob {
	const expressions = patterns.map(globExpression);
	return (path) => expressions.some((expression) => expression.test(path));
}

function globExpression(pattern: string): RegExp {
	const plain = pattern.replace(/^\.\//, '').replace(/\/+$/, '');
	if (!/[*?[{]/.test(plain)) return new RegExp(`^${literal(plain)}(?:/|$)`, 'u');
	let body = '';
	let depth = 0;
	for (let at = 0; at < plain.length; at++) {
		const rest = plain.slice(at);
		const choice = /^\[(!?)([^\]/]+)\]/.exec(rest);
		if (rest.startsWith('**/') && (at === 0 || plain[at - 1] === '/')) {
			body += '(?:[^/]+/)*';
			at += 2;
		} else if (rest.startsWith('**')) {
			body += '.*';
			at += 1;
		} else if (rest[0] === '*') body += '[^/]*';
		else if (rest[0] === '?') body += '[^/]';
		else if (choice) {
			body += `[${choice[1] === '!' ? '^/' : ''}${choice[2]!.replace(/[\\[\]^]/g, '\\$&')}]`;
			at += choice[0].length - 1;
		} else if (rest[0] === '{' && rest.includes('}')) {
			body += '(?:';
			depth++;
		} else if (rest[0] === '}' && depth > 0) {
			body += ')';
			depth--;
		} else if (rest[0] === ',' && depth > 0) body += '|';
		else body += literal(rest[0]!);
	}
	return new RegExp(`^${body}${')'.repeat(depth)}$`, 'su');
}

function literal(text: string): string {
	return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
