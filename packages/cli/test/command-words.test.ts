import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { parseCommandWords } from '../src/command-words.ts';

/** What a real POSIX shell makes of the same words. */
function shellWords(text: string): string[] {
	const output = execFileSync('sh', ['-c', `for word in ${text}\ndo printf '%s\\0' "$word"; done`], {
		encoding: 'utf8',
		env: { PATH: process.env.PATH ?? '' },
	});
	return output.split('\0').slice(0, -1);
}

const backslash = '\\';
const table = [
	'node agent.mjs',
	'  node\t\tagent.mjs   --flag  ',
	`node 'two words' "two words"`,
	`node '' "" end`,
	`node a'b'c"d"e`,
	`node 'it'${backslash}''s'`,
	`node two${backslash} words`,
	`node "${backslash}"quoted${backslash}" ${backslash}${backslash} ${backslash}n"`,
	`node '${backslash}n "x" $HOME'`,
	`node ${backslash}$HOME "${backslash}$HOME"`,
	`node "a${backslash}${backslash}b" a${backslash}b`,
	`node 'line\nbreak' "line\nbreak"`,
	`node one${backslash}\ntwo "three${backslash}\nfour"`,
	`node a#b a~b {a,b} a! --x=y z=1`,
	`node 'été' "日本" 🦀`,
	`node ${backslash}| ';' "&" '<in' '>out' '(' ")" '*' "?" '[a]'`,
	`"/opt/with space/node" -e 'console.log(1)'`,
];

describe('A COMMAND as words', () => {
	it.each(table)('is split exactly as sh splits it: %j', (text) => {
		expect(parseCommandWords(text)).toEqual(shellWords(text));
	});

	it.each([
		['["node", "agent file.mjs", "$HOME"]', ['node', 'agent file.mjs', '$HOME']],
		['  ["a"]', ['a']],
	])('is taken as it stands when it is a JSON array: %s', (text, words) => {
		expect(parseCommandWords(text)).toEqual(words);
	});

	it.each([
		['a | b', '|'],
		['a && b', '&'],
		['a; b', ';'],
		['a > out', '>'],
		['a < in', '<'],
		['(a)', '('],
		['echo $HOME', '$'],
		['echo "$HOME"', '$'],
		['echo `id`', '`'],
		['echo "`id`"', '`'],
		['ls *.js', '*'],
		['ls ?.js', '?'],
		['ls a[b]', '['],
		['cd ~', '~'],
		['a # comment', '#'],
		['! a', '!'],
		['{ a', '{'],
		['A=b node x', 'assignment'],
		['node x\nnode y', 'more than one line'],
		["node 'open", 'never closed'],
		['node "open', 'never closed'],
		[`node ${backslash}`, 'ends in a backslash'],
		['node a\0b', 'NUL'],
		['', 'no program'],
		["''", 'no program'],
		['[]', 'no program'],
		['[""]', 'no program'],
		['["node", 1]', 'array of strings'],
		['[node]', 'JSON array'],
		['["a\\u0000b"]', 'NUL'],
	])('is refused, never half understood, where a shell would do more than split: %j', (text, reason) => {
		expect(() => parseCommandWords(text)).toThrowError(
			expect.objectContaining({
				code: 'COMMAND_WORDS',
				category: 'usage',
				message: expect.stringContaining(reason),
				hint: expect.stringContaining('nothing was started'),
			}),
		);
	});
});
