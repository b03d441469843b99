export { countingIds, type FakeClock, fakeClock } from './fakes.ts';
export { type FileContent, readFiles, writeFiles } from './files.ts';
export { createRepository, git, gitEnvironment } from './git.ts';
export { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';
