import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const packages = readdirSync(join(import.meta.dirname, 'packages'));
const sourceCondition = '@kapso-evolve/source';
const fromSource = {
	resolve: { conditions: [sourceCondition] },
	ssr: { resolve: { conditions: [sourceCondition], externalConditions: [sourceCondition] } },
};

/** Child processes of a test (engines, evaluators, agents) resolve our packages from source too. */
const shared = {
	environment: 'node' as const,
	testTimeout: 60_000,
	hookTimeout: 60_000,
	pool: 'forks' as const,
	execArgv: [`--conditions=${sourceCondition}`],
};

export default defineConfig({
	...fromSource,
	test: {
		maxWorkers: 2,
		coverage: {
			provider: 'v8',
			include: ['packages/*/src/**/*.ts'],
			reporter: ['text-summary', 'json-summary'],
			reportsDirectory: 'coverage',
		},
		projects: [
			...packages.map((name) => ({
				...fromSource,
				test: { ...shared, name, include: [`packages/${name}/test/**/*.test.ts`] },
			})),
			{ ...fromSource, test: { ...shared, name: 'acceptance', include: ['test/acceptance/**/*.test.ts'] } },
			{ ...fromSource, test: { ...shared, name: 'tools', include: ['tools/**/*.test.ts'] } },
			{ ...fromSource, test: { ...shared, name: 'examples', include: ['examples/*/test/**/*.test.ts'] } },
		],
	},
});
