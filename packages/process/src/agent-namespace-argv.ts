import type { Sandbox } from './sandbox.ts';
import { statusArguments } from './sandbox-status.ts';

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
		...['--dev-bind', '/', '/', '--unshare-pid', '--proc', '/proc', '--die-with-parent', '--', ...argv],
	];
}
