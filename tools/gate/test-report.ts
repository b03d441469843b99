import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';

/** The part of vitest's JSON report that we read. */
interface VitestReport {
	readonly testResults: readonly {
		readonly name: string;
		readonly status: string;
		readonly message?: string;
		readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
	}[];
}

export interface TestReport {
	readonly passed: number;
	/** Failed tests, test files that did not load, and one for a run that failed or was empty for another reason. */
	readonly failed: number;
	readonly skipped: readonly { readonly suite: string; readonly names: readonly string[] }[];
	/** Failures that no test stands for, in words. */
	readonly problems: readonly string[];
}

export interface TestRun {
	readonly path: string;
	readonly root: string;
	/** Of vitest; null when a signal ended it. */
	readonly exitCode: number | null;
}

/** Counts a finished run. A run without a report, without a single test, or with a bad exit is a failed run. */
export async function readTestReport({ path, root, exitCode }: TestRun): Promise<TestReport> {
	const text = await readFile(path, 'utf8').catch(() => null);
	if (text === null) return failedRun(`vitest ended with ${exitCode ?? 'a signal'} and left no report`);
	const { testResults } = JSON.parse(text) as VitestReport;
	const problems: string[] = [];
	const skippedBySuite = new Map<string, string[]>();
	let passed = 0;
	let failed = 0;
	for (const file of testResults) {
		const place = relative(root, file.name).replaceAll('\\', '/');
		for (const test of file.assertionResults) {
			if (test.status === 'passed') passed++;
			else if (test.status === 'failed') failed++;
			else {
				const suite = suiteOf(place);
				skippedBySuite.set(suite, [...(skippedBySuite.get(suite) ?? []), test.fullName]);
			}
		}
		if (file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed')) {
			failed++;
			problems.push(`${place} failed outside its tests: ${file.message ?? 'no message'}`);
		}
	}
	if (passed + failed === 0) return failedRun('no test ran: that is a failure');
	if (exitCode !== 0 && failed === 0) {
		failed++;
		problems.push(`vitest ended with ${exitCode ?? 'a signal'} although no test failed: see its output above`);
	}
	const skipped = [...skippedBySuite].map(([suite, names]) => ({ suite, names }));
	return { passed, failed, skipped, problems };
}

function failedRun(problem: string): TestReport {
	return { passed: 0, failed: 1, skipped: [], problems: [problem] };
}

/** `packages/search/test/best.test.ts` belongs to `packages/search`. */
function suiteOf(place: string): string {
	return place.split('/').slice(0, 2).join('/');
}
