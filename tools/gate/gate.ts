// The static gate: everything that can be said about the tree without running the product. Every step runs, every
// problem is shown, and the last line counts the steps.
import { join } from 'node:path';
import { findLayerProblems } from './layers.ts';
import { runProgram } from './program.ts';
import { findTextProblems } from './tracked-text.ts';

const root = join(import.meta.dirname, '..', '..');

interface StepResult {
	readonly ok: boolean;
	readonly output: string;
}
interface Step {
	readonly name: string;
	/** Its output is worth reading when it passes, too. */
	readonly report?: boolean;
	run(): Promise<StepResult>;
}

function program(name: string, ...argv: [string, ...string[]]): Step {
	return {
		name,
		async run() {
			const { exitCode, output } = await runProgram({ argv, cwd: root });
			return { ok: exitCode === 0, output };
		},
	};
}

function findings(name: string, find: (root: string) => Promise<readonly string[]>): Step {
	return {
		name,
		async run() {
			const problems = await find(root);
			return { ok: problems.length === 0, output: problems.join('\n') };
		},
	};
}

const steps: readonly Step[] = [
	program('types of the packages', 'tsc', '-b'),
	program('types of tests and tools', 'tsc', '-p', 'tsconfig.tests.json'),
	program('lint and format', 'biome', 'check', '--error-on-warnings', '.'),
	program('layers: imports and declared dependencies', 'turbo', 'boundaries', '--no-color'),
	findings('layers: manifests, references, tags', findLayerProblems),
	program(
		'manifests of the workspace',
		'sherif',
		'--ignore-rule',
		'unordered-dependencies',
		'--ignore-rule',
		'non-existant-packages',
		'--fail-on-warnings',
	),
	program('unused files, exports, dependencies', 'knip', '--no-progress', '--no-config-hints'),
	findings('words that must not be in tracked files', findTextProblems),
	program('JSON Schemas of the contracts', 'node', 'tools/gate/schemas.ts', '--check'),
	program('changesets', 'changeset', 'status', '--since=HEAD'),
	{ ...program('promises that no test cites', 'node', 'test/acceptance/report.ts'), report: true },
];

let failed = 0;
for (const step of steps) {
	const start = performance.now();
	const { ok, output } = await step.run();
	console.log(`${ok ? 'ok    ' : 'FAILED'} ${step.name} (${Math.round(performance.now() - start)} ms)`);
	if (!ok) failed++;
	if ((!ok || step.report) && output.trim() !== '') console.log(output.trimEnd().replace(/^/gm, '       | '));
}
console.log(`\n${steps.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
