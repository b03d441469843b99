import { mkdir, readlink, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { readFiles } from '@kapso-evolve/testkit';
import { expect, it } from 'vitest';
import { evolve } from '../src/index.ts';
import { addOne, numberProblem } from './number-problem.ts';

it.each(['real', 'nowhere'])('refuses an output that is a link to %s before anything is made [D10]', async (target) => {
	await using problem = await numberProblem();
	await mkdir(join(problem.folder, 'real'));
	await symlink(target, problem.output);
	const options = await problem.options(addOne);
	const before = await readFiles(problem.folder);
	await expect(evolve(options)).rejects.toMatchObject({ code: 'OUTPUT_IS_LINK', category: 'usage' });
	expect(await readFiles(problem.folder)).toEqual(before);
	expect(await readlink(problem.output)).toBe(target);
});
