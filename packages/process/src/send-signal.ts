/** False when nobody is there (any more) or it is not ours to signal; a negative pid means a process group. */
export function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
	try {
		// Windows has no process groups: there the program itself is all that can be reached.
		return process.kill(process.platform === 'win32' ? Math.abs(pid) : pid, signal);
	} catch {
		return false; // ESRCH: already gone; EPERM: changed its user, beyond our reach
	}
}
