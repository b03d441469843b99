import { findProgram, openSandbox, run } from '@kapso-evolve/process';
import { type AgentListing, listAgents } from '../agents.ts';

/** One thing a campaign needs of the machine. */
export interface MachineCheck {
	readonly name: 'node' | 'git' | 'sandbox';
	readonly status: 'ok' | 'warn' | 'fail';
	readonly what: string;
	/** What to do about it; empty when there is nothing to do. */
	readonly advice: string;
}

export interface MachineReport {
	readonly checks: readonly MachineCheck[];
	readonly agents: readonly AgentListing[];
}

const oldestGit = [2, 38] as const;

/** What this machine offers a campaign. Starts git once and one sandbox; spends nothing. */
export async function examineMachine(options: {
	readonly environment: Readonly<Record<string, string | undefined>>;
}): Promise<MachineReport> {
	const path = options.environment.PATH ?? '';
	return {
		checks: [
			{ name: 'node', status: 'ok', what: `Node.js ${process.version}`, advice: '' },
			await checkGit(path),
			await checkSandbox(path),
		],
		agents: await listAgents(options),
	};
}

async function checkGit(path: string): Promise<MachineCheck> {
	const program = await findProgram('git', path);
	if (program === null)
		return { name: 'git', status: 'fail', what: 'there is no git on PATH', advice: 'install git 2.38 or newer' };
	const { stdout } = await run({ argv: [program, 'version'], cwd: '/', env: { LC_ALL: 'C' }, deadlineMs: 10_000 });
	const version = stdout.trim();
	const [major = 0, minor = 0] = version
		.replace(/^git version /, '')
		.split('.')
		.map(Number);
	const old = major < oldestGit[0] || (major === oldestGit[0] && minor < oldestGit[1]);
	return { name: 'git', status: old ? 'fail' : 'ok', what: version, advice: old ? 'install git 2.38 or newer' : '' };
}

async function checkSandbox(path: string): Promise<MachineCheck> {
	const sandbox = await openSandbox({ path });
	if (sandbox.isolation === 'os')
		return { name: 'sandbox', status: 'ok', what: `bubblewrap ${sandbox.version}: suites can run sealed`, advice: '' };
	const advice =
		'install bubblewrap (apt-get install bubblewrap) and allow user namespaces; until then scores are unsealed';
	return { name: 'sandbox', status: 'warn', what: `no sandbox: ${sandbox.reason}`, advice };
}
