import { KapsoError } from '@kapso-evolve/contracts';

/** One thing wrong with a configuration file, at its place. */
export interface Problem {
	readonly line: number;
	readonly column: number;
	readonly message: string;
}

/** All of them at once, in reading order, each only once: modes share what they inherit. */
export function refuseConfiguration(file: string, problems: readonly Problem[]): KapsoError {
	const lines = [...new Map(problems.map((problem) => [place(problem) + problem.message, problem])).values()]
		.sort((a, b) => a.line - b.line || a.column - b.column)
		.map((problem) => `${file}:${place(problem)} ${problem.message}`);
	return new KapsoError({
		code: 'CONFIGURATION',
		category: 'usage',
		message: `the configuration has ${lines.length === 1 ? 'a problem' : `${lines.length} problems`}:\n${lines.map((line) => `  ${line}`).join('\n')}`,
		hint: `nothing was started; correct ${file} and run the same command again`,
		data: { file, problems: problems.map(({ line, column, message }) => ({ line, column, message })) },
	});
}

const place = (problem: Problem): string => `${problem.line}:${problem.column}`;
