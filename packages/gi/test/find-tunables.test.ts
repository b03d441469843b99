// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are programs in other languages
import { describe, expect, it } from 'vitest';
import { findTunables } from '../src/find-tunables.ts';

const texts = (path: string, text: string) => findTunables(path, text).tunables.map((tunable) => tunable.text);
const one = (path: string, text: string) => {
	const { tunables } = findTunables(path, text);
	expect(tunables).toHaveLength(1);
	return tunables[0]!;
};

describe('inside an EVOLVE-BLOCK the numbers of code are found, whatever the language', () => {
	it.each<[string, string, string[]]>([
		[
			'a.js',
			'const a = 1;\n// EVOLVE-BLOCK-START\nconst b2 = 2.5; // 3\n/* 4 */ s("5", `6 ${f(`7`)} 8`); /9{1,2}[/"]/.test(x[10]);\n// EVOLVE-BLOCK-END\nconst c = 11;\n',
			['2.5', '10'],
		],
		[
			'a.ts',
			'/* EVOLVE-BLOCK-START */\nlet x: number = a / 2 / 3n; y.z1 = 0x1f + 0b11 + 0;\n/* EVOLVE-BLOCK-END */',
			['2', '3'],
		],
		[
			'a.py',
			'# EVOLVE-BLOCK-START\nx = 1.5e-3#9\ny = """2\n\'3"""; z = f(-4, a -5)[0:6]\n# EVOLVE-BLOCK-END\n',
			['1.5e-3', '-4', '5', '6'],
		],
		[
			'a.rs',
			"// EVOLVE-BLOCK-START\nfn f<'a>(x: &'a str) -> u8 { for i in 1..10 { t.0 + 7_u32 + 1_000 + 2.max(3) } '4' }\n// EVOLVE-BLOCK-END\n",
			['1', '10', '7', '1_000', '2', '3'],
		],
		[
			'a.cpp',
			"// EVOLVE-BLOCK-START\nint a = 1'000; float b = 0.5f; char c = '\\x41'; double d = 1.;\n// EVOLVE-BLOCK-END\n",
			['0.5', '1.'],
		],
		['a.go', '// EVOLVE-BLOCK-START\ns := `1 "`; x := .5; v[2] = y.3\n// EVOLVE-BLOCK-END\n', ['.5', '2']],
		['a.sh', '# EVOLVE-BLOCK-START\nx=$1; y=${#a}; n=12; echo "3" \'4\' # 5\n# EVOLVE-BLOCK-END\n', ['12']],
		[
			'a.yaml',
			'# EVOLVE-BLOCK-START\nrate: 0.3 # 1\nversion: 1.2.3\nmode: 0755\nname: "7"\nlow: -2.0\n# EVOLVE-BLOCK-END\n',
			['0.3', '-2.0'],
		],
		['a.sql', "-- EVOLVE-BLOCK-START\nselect 3 -- 4\nwhere a = '5' /* 6 */\n-- EVOLVE-BLOCK-END\n", ['3']],
		['a.css', '/* EVOLVE-BLOCK-START */\na { color: #123; width: 10px }\n/* EVOLVE-BLOCK-END */', ['10']],
		['a.lisp', '; EVOLVE-BLOCK-START\n(f 12 "3") ; 4\n; EVOLVE-BLOCK-END\n', ['12']],
		['a.lua', '--[[ EVOLVE-BLOCK-START ]] x = 3 -- 4\n-- EVOLVE-BLOCK-END\n', ['3']],
		['a.f90', '! EVOLVE-BLOCK-START\nx = 2.5 ! 3\n! EVOLVE-BLOCK-END\n', ['2.5']],
		['Makefile', '# EVOLVE-BLOCK-START\nN = 8 # 9\n# EVOLVE-BLOCK-END\n', ['8']],
		['a.unheard-of', '# EVOLVE-BLOCK-START\nx = 3 // 4\n# EVOLVE-BLOCK-END\n', ['3']],
		['README.md', '// EVOLVE-BLOCK-START\nx = 3\n// EVOLVE-BLOCK-END\n', []],
	])('%s', (path, text, expected) => {
		expect(texts(path, text)).toEqual(expected);
		expect(findTunables(path, text).faults).toEqual([]);
	});

	it('in files with CRLF, and after markers that carry a word of explanation', () => {
		expect(texts('a.js', '// EVOLVE-BLOCK-START constants\r\nconst a = 2;\r\n// EVOLVE-BLOCK-END\r\n')).toEqual(['2']);
	});
	it('and a marker in a string is a string', () => {
		expect(texts('a.js', "const marker = '// EVOLVE-BLOCK-START';\nconst a = 2;\n")).toEqual([]);
	});
});

describe('a tune: comment marks a number anywhere', () => {
	it('before, behind or above it', () => {
		expect(texts('a.js', 'f(1, /* tune: 0.1..10 log */ 3.0, 4);\n')).toEqual(['3.0']);
		expect(texts('a.py', 'a = 1\nb = f(2, 3)  # tune: int 1..64\nc = 4\n')).toEqual(['3']);
		expect(texts('a.py', 'a = 1\n# tune:\nb = f(2, 3)\n')).toEqual(['2']);
	});
	it('with a range, a kind, or neither', () => {
		const found = (tag: string, number: string) => one('a.js', `f(/* tune: ${tag} */ ${number});\n`);
		expect(found('0.1..10 log', '3.0')).toMatchObject({ scale: 'log', integer: false, lower: 0.1, upper: 10 });
		expect(found('int 1..64', '8')).toMatchObject({ scale: 'log', integer: true, lower: 1, upper: 64 });
		expect(found('-5..5', '0')).toMatchObject({ scale: 'linear', integer: true, lower: -5, upper: 5 });
		expect(found('0..2 logit', '1.5')).toMatchObject({ scale: 'logit', lower: 0, upper: 2 });
		expect(found('linear 0..1', '0.5')).toMatchObject({ scale: 'linear', lower: 0, upper: 1 });
		expect(found('', '0.5')).toMatchObject({ scale: 'logit', lower: 0, upper: 1 });
	});
	it('and says more than the block around it', () => {
		const text = '// EVOLVE-BLOCK-START\nlet a = 0.5; // tune: 0.2..0.6\n// EVOLVE-BLOCK-END\n';
		expect(one('a.js', text)).toMatchObject({ scale: 'logit', lower: 0.2, upper: 0.6 });
	});
	it.each([
		['let a = 3; // tune: the more the better', /a\.js:1: .*"the" is neither/],
		['let a = 3; // tune: 9..2', /the range 9\.\.2 is empty/],
		['let a = 3; // tune: log -1..2', /needs a range above 0/],
		['// tune: int\nlet a;\n', /a\.js:1: this tag stands beside no number/],
		['let a = 3; // tune: 3..3.5 int', /3 leaves nothing to tune/],
	])('and is passed over with a note where it cannot be followed: %s', (text, note) => {
		const { tunables, notes } = findTunables('a.js', text);
		expect(tunables).toEqual([]);
		expect(notes).toEqual([expect.stringMatching(note)]);
	});
});

it('the value chooses scale and range where no tag does', () => {
	const found = (number: string) => one('a.js', `// EVOLVE-BLOCK-START\nf(${number});\n// EVOLVE-BLOCK-END\n`);
	expect(found('0.99')).toMatchObject({ scale: 'logit', integer: false, lower: 0, upper: 1 });
	expect(found('2.5')).toMatchObject({ scale: 'log', integer: false, upper: 2500 });
	expect(found('3')).toMatchObject({ scale: 'log', integer: true, lower: 1, upper: 3000 });
	expect(found('-2.5')).toMatchObject({ scale: 'linear', integer: false });
	expect(found('0.0')).toMatchObject({ scale: 'linear', integer: false });
});

describe('a block that leaves open what is meant is a fault, named with its line', () => {
	it.each<[string, string, RegExp]>([
		['unclosed', '// EVOLVE-BLOCK-START\nf(3);\n', /a\.js:1: .* never closed/],
		[
			'nested',
			'// EVOLVE-BLOCK-START\n// EVOLVE-BLOCK-START\n// EVOLVE-BLOCK-END\n',
			/a\.js:2: .* inside the block of a\.js:1/,
		],
		['never opened', 'f(3);\n// EVOLVE-BLOCK-END\n', /a\.js:2: .* without a start/],
		['in a comment that never closes', '/* EVOLVE-BLOCK-START\nf(3);\n', /a\.js:1: .* never closed/],
	])('%s', (_, text, fault) => {
		expect(findTunables('a.js', text).faults).toEqual([expect.stringMatching(fault)]);
	});
	it('but an empty block is none', () => {
		const found = findTunables('a.js', '// EVOLVE-BLOCK-START\n// EVOLVE-BLOCK-END\n');
		expect(found).toMatchObject({ blocks: 1, tunables: [], faults: [] });
	});
});
