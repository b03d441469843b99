import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { captureSuite, chooseLevel, evaluate } from '@kapso-evolve/eval-integrity';
import { openSandbox } from '@kapso-evolve/process';
import { temporaryFolder } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';

const example = join(import.meta.dirname, '..');
const path = process.env.PATH ?? '/usr/bin:/bin';
const sandbox = await openSandbox({ path });

describe.skipIf(sandbox.isolation === 'none')('sealed (needs bubblewrap)', () => {
	it.each([
		['evaluation', 16],
		['hidden', 32],
	])('the %s suite scores the initial repository', async (name, cases) => {
		await using folder = await temporaryFolder();
		const work = join(folder.path, 'work');
		await mkdir(work);
		const suite = await captureSuite({
			from: join(example, name),
			to: join(folder.path, 'suite'),
			visibility: 'private',
		});
		const { level } = chooseLevel({ suite, sandbox, requireIsolation: true });
		expect(level).toBe('sealed');
		const record = await evaluate({
			suite,
			data: null,
			level: 'sealed',
			sandbox,
			candidateFolder: join(example, 'repository'),
			workFolder: work,
			path,
			nodeProgram: process.execPath,
			environment: {},
		});
		expect(record).toMatchObject({ outcome: 'scored', cases, isolation: 'os', error: null });
		expect(record.score).toBeGreaterThan(0.9);
	});
});
