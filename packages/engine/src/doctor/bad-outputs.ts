/** One way in which a run phase's outputs can be bad, as a change of the text of every output file. */
export interface BadOutput {
	readonly name: string;
	readonly what: string;
	change(text: string): string;
}

/** Numbers as they stand in JSON, CSV and plain text; not those inside words. */
const number = /(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/g;

const everyNumber = (replacement: string) => (text: string) => text.replace(number, replacement);

export const badOutputs: readonly BadOutput[] = [
	{ name: 'nan', what: 'NaN in place of every number', change: everyNumber('NaN') },
	{
		name: 'infinite',
		what: 'a number that overflows to infinity in place of every number',
		change: everyNumber('1e999'),
	},
	{
		name: 'huge',
		what: 'the largest finite number in place of every number',
		change: everyNumber('1.7976931348623157e308'),
	},
	{
		name: 'negative-huge',
		what: 'the smallest finite number in place of every number',
		change: everyNumber('-1.7976931348623157e308'),
	},
	{ name: 'zero', what: 'zero in place of every number', change: everyNumber('0') },
	{ name: 'string', what: 'a string in place of every number', change: everyNumber('"a string"') },
	{ name: 'null', what: 'null in place of every number', change: everyNumber('null') },
	{ name: 'empty', what: 'empty output files', change: () => '' },
	{ name: 'cut', what: 'output files cut in half', change: (text) => text.slice(0, Math.floor(text.length / 2)) },
	{
		name: 'not-a-format',
		what: 'output files that are no data at all',
		change: () => '\u0000 not what was asked for {',
	},
];

/** Outputs that cannot be worth as much as a real answer whatever the task is; others may be a fair answer by chance. */
export const neverAnAnswer = new Set(['nan', 'infinite', 'string', 'null', 'empty', 'cut', 'not-a-format']);
