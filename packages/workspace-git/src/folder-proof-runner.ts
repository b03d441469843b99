import { parentPort } from 'node:worker_threads';
import { type FolderProof, firstDifference } from './folder-proof.ts';

// A worker thread: one proof in, one answer out; what it throws ends the thread and is the asker's answer.
parentPort!.on('message', (proof: FolderProof) => parentPort!.postMessage(firstDifference(proof)));
