import type { Sandbox } from './sandbox.ts';
import { statusArguments } from './sandbox-status.ts';

/**
 * A sandbox inside mounts its own /proc, and the kernel allows that only where some /proc with nothing on top exists
 * (mount_too_revealing). For root, bubblewrap puts read-only mounts on top of the new one; so a second mount of the old
 * one is left underneath, where no path leads to it.
 */
const keepSandboxesPossible = ['--bind', '/proc', '/proc/driver'];

/**
 * What an agent does not see of the machine as it is: existing folders, absolute. `hidden` ones look empty, and what is
 * written there is gone with the agent; `writable` ones are shown although they lie in a hidden or read-only one. A view
 * and no wall: an agent that runs as root can take mounts off again.
 */
export interface AgentView {
	readonly readOnly?: readonly string[];
	readonly hidden?: readonly string[];
	readonly writable?: readonly string[];
}

/**
 * The command line that runs a program in a PID namespace of its own and sees the machine as it is, but for `view`. Nothing that it
 * starts, however it detaches itself, survives the program or whoever started it, a SIGKILL included. Where there is
 * no sandbox the command line comes back unchanged, and only `killMarked` is left. Start it by `run` (it
 * reports to that on a descriptor).
 */
export function agentNamespaceArgv(sandbox: Sandbox, argv: readonly string[], view: AgentView = {}): string[] {
	if (sandbox.isolation === 'none') return [...argv];
	return [
		sandbox.program,
		...statusArguments,
		...['--dev-bind', '/', '/', ...keepSandboxesPossible, '--proc', '/proc'],
		...(view.readOnly ?? []).flatMap((path) => ['--ro-bind-try', path, path]),
		...(view.hidden ?? []).flatMap((path) => ['--tmpfs', path]),
		...(view.writable ?? []).flatMap((path) => ['--bind', path, path]),
		...['--unshare-pid', '--die-with-parent', '--', ...argv],
	];
}
