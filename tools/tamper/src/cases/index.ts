import type { TamperCase } from '../case.ts';
import { outputCases } from './outputs.ts';
import { processCases } from './process-tricks.ts';
import { repositoryFileCases } from './repository-files.ts';
import { repositoryCases } from './repository-tricks.ts';
import { suiteFolderCases } from './suite-folder.ts';

export { honestCases } from './honest.ts';

export const tamperCases: readonly TamperCase[] = [
	...suiteFolderCases,
	...repositoryFileCases,
	...processCases,
	...outputCases,
	...repositoryCases,
];
