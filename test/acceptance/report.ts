// `npm run requirements`: which promises no test cites yet, by milestone. A report, with one thing that fails: a
// citation of an id that does not exist. `--json` prints the whole as one document.
import { join } from 'node:path';
import { readCitations } from './citations.ts';
import { type Group, measureCoverage } from './coverage.ts';

const coverage = measureCoverage(await readCitations(join(import.meta.dirname, '..', '..')));

function describeGroup({ name, title, total, uncited }: Group): string {
	const head = `${name.padEnd(8)}${String(total - uncited.length).padStart(4)} of ${String(total).padStart(3)} cited · ${title}`;
	return uncited.length === 0 ? head : `${head}\n${wrap(`not yet: ${uncited.join(' ')}`, '          ')}`;
}

function wrap(text: string, indent: string): string {
	return text.replace(/(.{1,100})(?: |$)/g, `${indent}$1\n`).trimEnd();
}

if (process.argv.includes('--json')) console.log(JSON.stringify({ schema_version: 1, ...coverage }, null, 2));
else {
	for (const group of [...coverage.milestones, ...coverage.cases]) console.log(describeGroup(group));
	const total = coverage.milestones.reduce((sum, group) => sum + group.total, 0);
	const uncited = coverage.milestones.reduce((sum, group) => sum + group.uncited.length, 0);
	console.log(`\n${total - uncited} of ${total} promises are cited by a test`);
	for (const { id, place } of coverage.unknown) console.log(`${place}: cites ${id}, which is no known id`);
}
process.exitCode = coverage.unknown.length > 0 ? 1 : 0;
