import { link, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '@kapso-evolve/contracts';
import { temporaryFolder, writeFiles } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';
import { captureDataset } from '../src/index.ts';

const caseText = (id: string, label = 'HOLD'): string =>
	JSON.stringify({ id, input: id, label, stratum: 'short', labelOrigin: 'author' });
const ids = ['a', 'b', 'c'];

/** A dataset of three cases in a folder, and the digest that its caller keeps. */
async function write(folder: string, texts: Readonly<Record<string, string>> = {}): Promise<string> {
	const text = (id: string): string => texts[id] ?? caseText(id);
	const manifest = JSON.stringify({
		schemaVersion: 1,
		datasetId: 'reviews',
		kind: 'synthetic',
		revision: 1,
		previousManifestSha256: null,
		recallFloors: { HOLD: 0.9 },
		cases: ids.map((id) => ({ id, sha256: sha256(text(id)) })),
	});
	const cases = Object.fromEntries(ids.map((id) => [`cases/${id}.json`, text(id)]));
	await writeFiles(folder, { 'manifest.json': manifest, ...cases });
	return sha256(manifest);
}

describe('captureDataset', () => {
	it('reads every case in the manifest’s order, or those that were selected [PD10]', async () => {
		await using folder = await temporaryFolder();
		const expectedSha256 = await write(folder.path);
		const dataset = await captureDataset({ folder: folder.path, expectedSha256 });
		expect(dataset.cases.map((item) => item.id)).toEqual(ids);
		expect(dataset.humanAuthorizationVerified).toBe(false);
		await rm(join(folder.path, 'cases', 'b.json'));
		const some = await captureDataset({ folder: folder.path, expectedSha256, select: (id) => id !== 'b' });
		expect(some.cases.map((item) => item.id)).toEqual(['a', 'c']);
		await expect(captureDataset({ folder: folder.path, expectedSha256 })).rejects.toMatchObject({
			code: 'FILE_MISSING',
		});
	});

	it('refuses a changed case and another pin [PD03, PD24]', async () => {
		await using folder = await temporaryFolder();
		const expectedSha256 = await write(folder.path);
		await expect(captureDataset({ folder: folder.path, expectedSha256: sha256('other') })).rejects.toMatchObject({
			code: 'DATASET_PIN_MISMATCH',
		});
		await writeFiles(folder.path, { 'cases/b.json': caseText('b', 'PASS') });
		await expect(captureDataset({ folder: folder.path, expectedSha256 })).rejects.toMatchObject({
			code: 'DATASET_CASE_CHANGED',
			category: 'usage',
		});
	});

	it.each(['cases/a.json', 'manifest.json'])(
		'looks at everything again at the end: a late change of %s is refused [PD16, PD47]',
		async (path) => {
			await using folder = await temporaryFolder();
			const expectedSha256 = await write(folder.path);
			const beforeRecheck = () => writeFile(join(folder.path, path), caseText('a', 'PASS'));
			await expect(captureDataset({ folder: folder.path, expectedSha256, beforeRecheck })).rejects.toMatchObject({
				code: 'DATASET_MOVED',
				data: { path },
			});
		},
	);

	it('refuses links, second names, folders and redirected folders, whatever bytes they lead to [PD13, PD14, PD15]', async () => {
		const faults: Record<string, (folder: string, file: string) => Promise<void>> = {
			FILE_KIND: async (folder, file) => {
				await rename(file, join(folder, 'elsewhere.json'));
				await symlink(join(folder, 'elsewhere.json'), file);
			},
			FILE_LINKS: (folder, file) => link(file, join(folder, 'second-name.json')),
			DATASET_REDIRECTED: async (folder) => {
				await rename(join(folder, 'cases'), join(folder, 'elsewhere'));
				await symlink(join(folder, 'elsewhere'), join(folder, 'cases'));
			},
		};
		for (const [code, spoil] of Object.entries(faults)) {
			await using folder = await temporaryFolder();
			const expectedSha256 = await write(folder.path);
			await spoil(folder.path, join(folder.path, 'cases', 'a.json'));
			await expect(captureDataset({ folder: folder.path, expectedSha256 })).rejects.toMatchObject({ code });
		}
	});

	it('refuses a dataset folder that is reached through a link [PD15]', async () => {
		await using folder = await temporaryFolder();
		await mkdir(join(folder.path, 'real'));
		const expectedSha256 = await write(join(folder.path, 'real'));
		await symlink(join(folder.path, 'real'), join(folder.path, 'linked'));
		await expect(captureDataset({ folder: join(folder.path, 'linked'), expectedSha256 })).rejects.toMatchObject({
			code: 'DATASET_REDIRECTED',
		});
	});

	it('reads at most a MiB of one file, however its pin was made [PD12]', async () => {
		await using folder = await temporaryFolder();
		const large = JSON.stringify({ ...JSON.parse(caseText('b')), input: 'x'.repeat(1024 * 1024) });
		const expectedSha256 = await write(folder.path, { b: large });
		await expect(captureDataset({ folder: folder.path, expectedSha256 })).rejects.toMatchObject({
			code: 'FILE_TOO_LARGE',
		});
	});
});
