import { temporaryFolder, writeFiles } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';
import { measureInstallation } from '../installed-size.ts';
import { compareWithBudget } from '../size-budget.ts';

describe('the size budget', () => {
	it('refuses one package more and more kilobytes than the slack, and welcomes less', () => {
		const budget = { a: { packages: 3, kilobytes: 1000 } };
		expect(compareWithBudget({ a: { packages: 3, kilobytes: 1256 } }, budget)).toEqual([]);
		expect(compareWithBudget({ a: { packages: 1, kilobytes: 10 } }, budget)).toEqual([]);
		expect(compareWithBudget({ a: { packages: 4, kilobytes: 1257 } }, budget)).toEqual([
			'a brings 4 packages, its budget is 3',
			'a takes 1257 kB, its budget is 1000 and 256 kB',
		]);
		expect(compareWithBudget({ b: { packages: 1, kilobytes: 1 } }, budget)).toHaveLength(1);
	});

	it('counts packages, nested ones too, and no manifest inside a package', async () => {
		await using folder = await temporaryFolder('size');
		await writeFiles(folder.path, {
			'node_modules/a/package.json': '{}',
			'node_modules/a/dist/package.json': '{}',
			'node_modules/a/node_modules/b/package.json': '{}',
			'node_modules/@s/c/package.json': 'x'.repeat(1100),
		});
		expect(await measureInstallation(folder.path)).toEqual({ packages: 3, kilobytes: 2 });
	});
});
