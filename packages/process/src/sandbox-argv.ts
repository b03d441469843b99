import { lstatSync, readlinkSync } from 'node:fs';
import { isAbsolute, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KapsoError } from '@kapso-evolve/contracts';
import type { Sandbox } from './sandbox.ts';
import { statusArguments } from './sandbox-status.ts';

/** A file or folder of the host and where the sandbox shows it. Both absolute. */
export interface Mount {
	readonly source: string;
	readonly at: string;
}

export interface SandboxSpec {
	readonly argv: readonly string[];
	/** A folder as the sandbox sees it. */
	readonly cwd: string;
	readonly readOnly: readonly Mount[];
	readonly writable: readonly Mount[];
	/** Device nodes beside null, zero, full, random, urandom and tty, for instance `/dev/nvidia0`. */
	readonly devices?: readonly string[];
}

/** The only parts of the host's system that are shown, read-only. A link stays a link. */
const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
const systemFiles = ['/etc/ld.so.cache', '/etc/alternatives', '/etc/localtime'];
/** Ours rather than the host's: the same everywhere, and nobody's user names are shown. */
const syntheticFiles = ['passwd', 'group', 'hosts', 'nsswitch.conf'];
const syntheticFolder = fileURLToPath(new URL('../src/sandbox-etc/', import.meta.url));

/**
 * The parts of /proc that belong to the machine rather than to a process. Without this an engine that runs as root
 * would let the program write the host's kernel settings: `core_pattern` alone is a way out of any sandbox.
 */
const kernelFiles = [
	...['acpi', 'asound', 'bus', 'driver', 'dynamic_debug', 'fs', 'irq', 'mtrr', 'pressure', 'scsi', 'sys'],
	...['sysrq-trigger', 'tty'],
];

/** Private folders in memory and how much they take, so that filling one cannot exhaust the machine. */
const scratchFolders = { '/dev/shm': 2 ** 30, '/tmp': 2 ** 30, '/run': 2 ** 26 };

/**
 * The command line that runs a program with a view of its own: the system read-only, the given mounts, a private
 * /tmp, no network (not even the host's loopback), no other processes, no capabilities, no user namespaces of its own,
 * user 1000 inside. Everything dies with the program, and the program with whoever started it.
 *
 * Start it by `run({argv, env})` (it reports to that on a descriptor): the environment of the child is that `env` and
 * stands nowhere else. Mounts may lie inside one another when the outer one has the folder. No seccomp filter: the kernel itself is the trusted part.
 */
export function sandboxArgv(sandbox: Sandbox, spec: SandboxSpec): string[] {
	if (sandbox.isolation !== 'os') {
		throw refuse(`A sandbox was asked for, but there is none on this machine: ${sandbox.reason}.`);
	}
	for (const path of [spec.cwd, ...[...spec.readOnly, ...spec.writable].flatMap(({ source, at }) => [source, at])]) {
		if (!isAbsolute(path) || normalize(path) !== path) throw refuse(`Not a plain absolute path: "${path}".`);
	}
	if ([...spec.readOnly, ...spec.writable].some(({ at }) => at === '/'))
		throw refuse('A mount at "/" would hide the system.');
	const mounts = [
		...spec.readOnly.map((mount) => ({ ...mount, option: '--ro-bind' })),
		...spec.writable.map((mount) => ({ ...mount, option: '--bind' })),
	].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)); // an outer folder comes before what lies in it
	return [
		sandbox.program,
		...statusArguments,
		...['--unshare-all', '--unshare-user', '--disable-userns', '--cap-drop', 'ALL'],
		...['--uid', '1000', '--gid', '1000', '--hostname', 'sandbox'],
		...['--die-with-parent', '--new-session'],
		...systemFolders.flatMap(showSystemFolder),
		...systemFiles.flatMap((path) => ['--ro-bind-try', path, path]),
		...syntheticFiles.flatMap((name) => ['--ro-bind', `${syntheticFolder}${name}`, `/etc/${name}`]),
		...['--proc', '/proc', '--dev', '/dev'],
		...kernelFiles.flatMap((name) => ['--ro-bind-try', `/proc/${name}`, `/proc/${name}`]),
		...Object.entries(scratchFolders).flatMap(([path, bytes]) => ['--size', `${bytes}`, '--tmpfs', path]),
		...(spec.devices ?? []).flatMap((path) => ['--dev-bind', path, path]),
		...mounts.flatMap(({ option, source, at }) => [option, source, at]),
		...['--remount-ro', '/dev', '--remount-ro', '/'],
		...['--chdir', spec.cwd, '--', ...spec.argv],
	];
}

function showSystemFolder(path: string): string[] {
	try {
		const found = lstatSync(path);
		if (found.isSymbolicLink()) return ['--symlink', readlinkSync(path), path];
		return ['--ro-bind', path, path];
	} catch {
		return []; // not every system has every one
	}
}

function refuse(message: string): KapsoError {
	return new KapsoError({
		code: 'SANDBOX_SPEC',
		category: 'infrastructure',
		message,
		hint: 'Nothing was run. Give absolute paths without "." and "..", and a sandbox that openSandbox proved.',
	});
}
