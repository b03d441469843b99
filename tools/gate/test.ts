// `npm test`: every suite from source, then what was skipped, by name, and the counts on the last line.
// Arguments go to vitest (`npm test -- --project search`); coverage is measured when there are none.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from './program.ts';
import { readTestReport } from './test-report.ts';

const root = join(import.meta.dirname, '..', '..');
const reportPath = join(root, '.reports', 'vitest.json');
const args = process.argv.slice(2);

await mkdir(join(root, '.reports'), { recursive: true });
await rm(reportPath, { force: true });
const { exitCode } = await runProgram({
	argv: [
		'vitest',
		'run',
		'--reporter=default',
		'--reporter=json',
		`--outputFile.json=${reportPath}`,
		...(args.length === 0 ? ['--coverage'] : args),
	],
	cwd: root,
	show: 'always',
});
const report = await readTestReport({ path: reportPath, root, exitCode });

for (const { suite, names } of report.skipped) {
	console.log(`\nskipped in ${suite}: ${names.length}`);
	for (const name of names) console.log(`  - ${name}`);
}
for (const problem of report.problems) console.log(`\n${problem}`);
const skipped = report.skipped.reduce((sum, { names }) => sum + names.length, 0);
console.log(`\n${report.passed} passed, ${report.failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = report.failed > 0 ? 1 : 0;
