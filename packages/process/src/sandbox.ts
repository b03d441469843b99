import { findProgram } from './find-program.ts';
import { run } from './run.ts';
import { sandboxArgv } from './sandbox-argv.ts';

/** What this machine can isolate with. `none` says why; whoever needs isolation refuses with that reason. */
export type Sandbox =
	| { readonly isolation: 'os'; readonly program: string; readonly version: string }
	| { readonly isolation: 'none'; readonly reason: string };

export interface OpenSandboxOptions {
	/** The `PATH` value to search `bwrap` on. */
	readonly path: string;
	/** Default 5000. */
	readonly probeDeadlineMs?: number;
}

/** Finds bubblewrap on a `PATH` value and proves it by really starting `/bin/true` in a sandbox. Never throws. */
export async function openSandbox(options: OpenSandboxOptions): Promise<Sandbox> {
	const { path, probeDeadlineMs = 5_000 } = options;
	if (process.platform !== 'linux') return none(`bubblewrap needs Linux, this is ${process.platform}`);
	const program = await findProgram('bwrap', path);
	if (program === null) return none('bubblewrap (bwrap) was not found on PATH');
	const start = (argv: readonly string[]) =>
		run({ argv, cwd: '/', env: { LC_ALL: 'C' }, deadlineMs: probeDeadlineMs, graceMs: 0, maxOutputBytes: 4096 });
	try {
		const version = (await start([program, '--version'])).stdout.trim().replace(/^bubblewrap /, '');
		const sandbox: Sandbox = { isolation: 'os', program, version };
		const probe = await start(sandboxArgv(sandbox, { argv: ['/bin/true'], cwd: '/', readOnly: [], writable: [] }));
		if (probe.status === 'exited' && probe.exitCode === 0) return sandbox;
		return none(`${program} ${version} could not start a sandbox (${describe(probe)})`);
	} catch (error) {
		return none(`${program} could not be run: ${(error as Error).message}`);
	}
}

function describe(probe: {
	readonly status: string;
	readonly exitCode: number | null;
	readonly stderr: string;
}): string {
	const said = probe.stderr.trim().split('\n', 1)[0] ?? '';
	return said === '' ? `${probe.status}, exit code ${probe.exitCode}` : said;
}

function none(reason: string): Sandbox {
	return { isolation: 'none', reason };
}
