export { type AppendLog, type CompleteLines, openAppendLog, readCompleteLines } from './append-log.ts';
export { type CopiedOutputs, type CopyOutputsOptions, copyOutputs } from './copy-outputs.ts';
export { ensureFolder, syncFolder } from './folders.ts';
export { type ReadBoundedOptions, readBounded } from './read-bounded.ts';
export { removeTree } from './remove-tree.ts';
export { sweepTemporaries } from './temporary-name.ts';
export { copyTree, type HashedEntry, type HashedTree, hashTree, type TreeLimits } from './tree.ts';
export { createFileDurable, type WriteOptions, writeFileDurable } from './write-file.ts';
