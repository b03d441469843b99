import type { Sandbox } from './sandbox.ts';
import { statusArguments } from './sandbox-status.ts';

/**
 * A sandbox inside mounts its own /proc, and the kernel allows that only where some /proc with nothing on top exists
 * (mount_too_revealing). For root, bubblewrap puts read-only mounts on top of the new one; so a second mount of the old
 * one is left underneath, where no path leads to it.
 */
const keepSandboxesPossible = ['--bind', '/proc', '/proc/driver'];

/**
 * The command line that runs a program in a PID namespace of its own and sees the machine as it is. Nothing that it
 * starts, however it detaches itself, survives the program or whoever started it, a SIGKILL included. Where there is
 * no sandbox the command line comes back unchanged, and only `killMarked` is left. Start it by `run` (it
 * reports to that on a descriptor).
 */
export function agentNamespaceArgv(sandbox: Sandbox, argv: readonly string[]): string[] {
	if (sandbox.isolation === 'none') return [...argv];
	return [
		sandbox.program,
		...statusArguments,
		...['--dev-bind', '/', '/', ...keepSandboxesPossible, '--proc', '/proc'],
		...['--unshare-pid', '--die-with-parent', '--', ...argv],
	];
}
