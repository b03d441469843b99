import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type ExpectedFolder, firstDifference } from './folder-proof.ts';
import { display } from './git/path-bytes.ts';
import type { PlainFile } from './plain-files.ts';

/** Proves by content that a plain folder holds exactly some files. */
export interface FolderProver {
	/** Null: proven. Else the first difference. Throws where something cannot be read: that is no proof either. */
	difference(root: string, files: readonly PlainFile[]): Promise<string | null>;
	close(): Promise<void>;
}

/** Fewer files than this are read faster than a thread starts. */
const worthThreads = 500;

export function createFolderProver(algorithm: 'sha1' | 'sha256'): FolderProver {
	const idle: Worker[] = [];
	const all = new Set<Worker>();
	const ask = async (root: string, folders: readonly ExpectedFolder[]): Promise<string | null> => {
		const worker =
			idle.pop() ?? new Worker(new URL(`./folder-proof-runner${extname(import.meta.url)}`, import.meta.url));
		all.add(worker);
		worker.ref();
		try {
			const answer = await answerOf(worker, { root, algorithm, folders });
			worker.unref(); // an idle thread keeps no program alive
			idle.push(worker);
			return answer;
		} catch (error) {
			all.delete(worker);
			await worker.terminate();
			throw error;
		}
	};
	return {
		async difference(root, files) {
			const folders = expectedFolders(files);
			if (files.length < worthThreads) return firstDifference({ root, algorithm, folders });
			const parts = inParts(folders, Math.min(availableParallelism(), 4));
			const answers = await Promise.all(parts.map((part) => ask(root, part)));
			return answers.find((answer) => answer !== null) ?? null;
		},
		async close() {
			await Promise.all([...all].map((worker) => worker.terminate()));
		},
	};
}

function answerOf(worker: Worker, proof: unknown): Promise<string | null> {
	return new Promise((resolve, reject) => {
		const settle = (finish: () => void) => {
			worker.off('message', onMessage).off('error', onError).off('exit', onExit);
			finish();
		};
		const onMessage = (answer: string | null) => settle(() => resolve(answer));
		const onError = (error: unknown) => settle(() => reject(error));
		const onExit = () => settle(() => reject(new Error('the thread that proves a folder ended')));
		worker.on('message', onMessage).on('error', onError).on('exit', onExit);
		worker.postMessage(proof);
	});
}

/** Every folder from the root down with the names that must be in it. */
export function expectedFolders(files: readonly PlainFile[]): ExpectedFolder[] {
	const folders = new Map<string, Map<string, string>>([['', new Map()]]);
	const childrenOf = (path: string): Map<string, string> => {
		const known = folders.get(path);
		if (known !== undefined) return known;
		const children = new Map<string, string>();
		folders.set(path, children);
		const slash = path.lastIndexOf('/');
		childrenOf(path.slice(0, Math.max(slash, 0))).set(path.slice(slash + 1), 'folder');
		return children;
	};
	for (const { path, mode, id } of files) {
		const text = display(path);
		const slash = text.lastIndexOf('/');
		childrenOf(text.slice(0, Math.max(slash, 0))).set(text.slice(slash + 1), `${mode} ${id}`);
	}
	return [...folders].map(([path, children]) => ({ path, children }));
}

/** Parts with about as many files each. */
function inParts(folders: readonly ExpectedFolder[], count: number): ExpectedFolder[][] {
	const total = folders.reduce((sum, { children }) => sum + children.size, 0);
	const parts: ExpectedFolder[][] = Array.from({ length: count }, () => []);
	let seen = 0;
	for (const folder of folders) {
		const part = Math.min(count - 1, Math.floor((seen / Math.max(total, 1)) * count));
		parts[part]!.push(folder);
		seen += folder.children.size;
	}
	return parts.filter((part) => part.length > 0);
}
