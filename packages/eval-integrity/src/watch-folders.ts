import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export interface FolderWatch {
	/** Aborted when more was written than allowed. */
	readonly signal: AbortSignal;
	reason(): string | null;
	stop(): void;
}

const intervalMs = 250;

/**
 * Stops a phase that fills the disk: looks into its writable folders four times a second, and no further than the caps.
 * Exact judgement follows when the outputs are copied; this only keeps the machine alive.
 */
export function watchFolders(options: {
	readonly folders: readonly string[];
	readonly maxBytes: number;
	readonly maxFiles: number;
}): FolderWatch {
	const controller = new AbortController();
	let reason: string | null = null;
	let looking = false;
	const look = async (): Promise<void> => {
		if (looking) return;
		looking = true;
		const usage = await measure(options);
		looking = false;
		if (usage.files > options.maxFiles) reason = `more than ${options.maxFiles} files were written`;
		else if (usage.bytes > options.maxBytes) reason = `more than ${options.maxBytes} bytes were written`;
		if (reason !== null) controller.abort(new Error(reason));
	};
	const timer = setInterval(() => void look(), intervalMs);
	return { signal: controller.signal, reason: () => reason, stop: () => clearInterval(timer) };
}

async function measure(options: {
	readonly folders: readonly string[];
	readonly maxBytes: number;
	readonly maxFiles: number;
}): Promise<{ files: number; bytes: number }> {
	const usage = { files: 0, bytes: 0 };
	const open = [...options.folders];
	while (open.length > 0 && usage.files <= options.maxFiles && usage.bytes <= options.maxBytes) {
		const folder = open.pop()!;
		// What vanishes while it is looked at needs no room.
		for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
			usage.files++;
			const path = join(folder, entry.name);
			if (entry.isDirectory()) open.push(path);
			else
				usage.bytes += await lstat(path).then(
					(stat) => stat.blocks * 512,
					() => 0,
				);
			if (usage.files > options.maxFiles || usage.bytes > options.maxBytes) break;
		}
	}
	return usage;
}
