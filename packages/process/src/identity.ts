import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { readProcessEntry, readProcFile } from './process-table.ts';

/** Names one process for ever, across reuse of its pid and across restarts of the machine. */
export interface ProcessIdentity {
	readonly pid: number;
	/**
	 * Opaque. On Linux the start in clock ticks since boot and the PID namespace in which `pid` means something; empty
	 * where the system does not tell.
	 */
	readonly startTime: string;
	/** Changes with every start of the machine; empty where the system does not tell. */
	readonly bootId: string;
	readonly host: string;
}

export function currentProcess(): ProcessIdentity {
	return { pid: process.pid, startTime: startTimeOf(process.pid) ?? '', bootId: bootId(), host: hostname() };
}

/**
 * `unknown` when it cannot be seen from here: another host, or another PID namespace (a container, an agent's own
 * namespace) of this one. On systems without /proc a reused pid counts as alive.
 */
export function isAlive(identity: ProcessIdentity): 'alive' | 'dead' | 'unknown' {
	if (identity.host !== hostname()) return 'unknown';
	if (identity.bootId !== bootId()) return 'dead';
	const [, namespace = ''] = identity.startTime.split('@');
	if (namespace !== pidNamespace()) return 'unknown';
	if (identity.startTime === '') return isThere(identity.pid) ? 'alive' : 'dead';
	return startTimeOf(identity.pid) === identity.startTime ? 'alive' : 'dead';
}

function startTimeOf(pid: number): string | null {
	const entry = readProcessEntry(pid);
	if (entry === null || entry.state === 'Z' || entry.state === 'X') return null;
	return `${entry.startTime}@${pidNamespace()}`;
}

function pidNamespace(): string {
	try {
		return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '';
	} catch {
		return ''; // not Linux
	}
}

function bootId(): string {
	return readProcFile('/proc/sys/kernel/random/boot_id')?.toString('latin1').trim() ?? '';
}

function isThere(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EPERM';
	}
}
