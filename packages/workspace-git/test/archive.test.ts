import { writeFiles } from '@kapso-evolve/testkit';
import { expect, it } from 'vitest';
import { archiveLeftOut } from '../src/archive.ts';
import { situation } from './situation.ts';

it('a folder that changes while it is archived costs the changed file, not the candidate [T080]', async () => {
	await using s = await situation();
	const folder = s.folder;
	// As listed a moment ago: the link has become a file, the file a link, the folder of the last one a file.
	await writeFiles(folder, { 'a.tmp': 'file', 'b.tmp': { link: 'a.tmp' }, c: 'file', 'd.tmp': 'd' });
	const leftOut = [
		{ path: 'a.tmp', kind: 'link' },
		{ path: 'b.tmp', kind: 'file' },
		{ path: 'c/inner.tmp', kind: 'file' },
		{ path: 'd.tmp', kind: 'file' },
	] as const;

	const { ignored, archive } = await archiveLeftOut({ folder, leftOut, limitBytes: 1000 });

	expect(ignored.map(({ path }) => path)).toEqual(['a.tmp', 'b.tmp', 'c/inner.tmp', 'd.tmp']);
	expect(JSON.parse(Buffer.from(archive!).toString())).toMatchObject({
		files: [{ path: 'd.tmp' }],
		omitted: ['a.tmp', 'b.tmp', 'c/inner.tmp'],
	});
});
