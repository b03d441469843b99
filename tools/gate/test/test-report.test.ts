import { join } from 'node:path';
import { temporaryFolder, writeFiles } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';
import { readTestReport, type TestReport } from '../test-report.ts';

async function readReport(report: unknown, exitCode: number | null = 0): Promise<TestReport> {
	await using folder = await temporaryFolder('report');
	if (report !== undefined) await writeFiles(folder.path, { 'vitest.json': JSON.stringify(report) });
	return readTestReport({ path: join(folder.path, 'vitest.json'), root: '/r', exitCode });
}

function file(status: string, ...tests: readonly (readonly [string, string])[]): object {
	const assertionResults = tests.map(([fullName, status]) => ({ fullName, status }));
	return { name: '/r/packages/search/test/a.test.ts', status, message: 'boom', assertionResults };
}

describe('the counts of a test run', () => {
	it('name what was skipped, by package', async () => {
		const report = await readReport({
			testResults: [file('passed', ['a', 'passed'], ['needs a sandbox', 'skipped'], ['later', 'todo'])],
		});
		expect(report).toEqual({
			passed: 1,
			failed: 0,
			skipped: [{ suite: 'packages/search', names: ['needs a sandbox', 'later'] }],
			problems: [],
		});
	});

	it('count a file that could not be loaded as a failure', async () => {
		const report = await readReport({ testResults: [file('passed', ['a', 'passed']), file('failed')] }, 1);
		expect(report).toMatchObject({ passed: 1, failed: 1 });
		expect(report.problems).toEqual(['packages/search/test/a.test.ts failed outside its tests: boom']);
	});

	it('are a failure when no test ran, when no report was left, and when vitest failed without a failed test', async () => {
		expect(await readReport({ testResults: [file('passed', ['a', 'skipped'])] })).toMatchObject({ failed: 1 });
		expect(await readReport({ testResults: [] })).toMatchObject({ passed: 0, failed: 1 });
		expect(await readReport(undefined, null)).toMatchObject({ passed: 0, failed: 1 });
		expect(await readReport({ testResults: [file('passed', ['a', 'passed'])] }, 1)).toMatchObject({
			passed: 1,
			failed: 1,
		});
	});
});
