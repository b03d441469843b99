import { randomInt, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { agentNamespaceArgv, openSandbox, run } from '@kapso-evolve/process';

export interface ZooReport {
	runs: number;
	survivors: number;
	/** Runs that came back more than a second after deadline and grace. */
	late: number;
	worst_overshoot_ms: number;
	memory_growth_mb: number;
	unexplained: number;
}

interface Animal {
	readonly name: string;
	/** `$S` is a number of seconds that nobody else sleeps. */
	readonly script: string;
	/** Only an own PID namespace holds this one. */
	readonly namespace?: boolean;
	/** Ends by itself: no deadline is needed. */
	readonly ends?: boolean;
}

const animals: readonly Animal[] = [
	{ name: 'sleeps', script: 'sleep $S' },
	{ name: 'ignores SIGTERM', script: 'trap "" TERM HUP INT; while :; do sleep $S; done' },
	{ name: 'a session of its own', script: 'setsid sleep $S & sleep $S' },
	{ name: 'a double fork into a session', script: "(setsid sh -c 'sleep $S & exit' &); sleep $S" },
	{ name: 'a session that ignores SIGTERM', script: 'setsid sh -c \'trap "" TERM; sleep $S; sleep $S\' & sleep $S' },
	{
		name: 'a session without its environment',
		script: "(env -i setsid sh -c 'sleep $S & exit' &); sleep $S",
		namespace: true,
	},
	{
		name: 'the same, the program over',
		script: "(env -i setsid sh -c 'sleep $S & exit' &); sleep 0.1",
		namespace: true,
		ends: true,
	},
	{ name: 'a pipe held open by a grandchild', script: '(setsid sleep $S &) ; echo done', ends: true },
	{ name: 'a closed stdout', script: 'exec >&- 2>&-; setsid sleep $S & sleep $S' },
	{ name: 'stopped', script: "setsid sh -c 'kill -STOP $$; sleep $S' & kill -STOP $$" },
	{ name: 'many children', script: 'i=0; while [ $i -lt 30 ]; do sleep $S & i=$((i+1)); done; wait' },
	{ name: 'children that beget children', script: 'f() { sleep $S & [ $1 -gt 0 ] && (f $(($1-1)) &); wait; }; f 6' },
	{ name: 'endless output', script: 'yes $S' },
	{ name: 'endless output on both, SIGTERM ignored', script: 'trap "" TERM; yes $S & yes $S >&2' },
	{ name: 'no reading of its input', script: 'exec <&-; sleep $S' },
	{ name: 'a busy loop', script: ': $S; while :; do :; done' },
];

const deadlineMs = 250;
const graceMs = 250;

/** Programs of every bad habit against one deadline; nobody may be alive afterwards. */
export async function fuzzZoo(o: { runs: number; gigabytes: number; say: (line: string) => void }): Promise<ZooReport> {
	const sandbox = await openSandbox({ path: process.env.PATH ?? '' });
	if (sandbox.isolation === 'none')
		o.say(`no PID namespaces here (${sandbox.reason}): the animals that need one are left out`);
	const report: ZooReport = {
		runs: 0,
		survivors: 0,
		late: 0,
		worst_overshoot_ms: 0,
		memory_growth_mb: 0,
		unexplained: 0,
	};
	const zoo = animals.filter(({ namespace }) => namespace !== true || sandbox.isolation !== 'none');
	globalThis.gc?.();
	const before = process.memoryUsage.rss();
	await flood(o, report);
	for (let number = 0; number < o.runs; number++) {
		const animal = zoo[number % zoo.length]!;
		const seconds = `97.${randomInt(10 ** 9, 10 ** 10)}`;
		const argv = ['/bin/sh', '-c', animal.script.replaceAll('$S', seconds)];
		const result = await run({
			argv: animal.namespace ? agentNamespaceArgv(sandbox, argv) : argv,
			cwd: '/',
			env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' },
			runMarker: randomUUID(),
			deadlineMs,
			graceMs,
			...(animal.ends ? { deadlineMs: 5000 } : {}),
		});
		report.runs++;
		const overshoot = result.wallMs - (animal.ends ? 5000 : deadlineMs + graceMs);
		report.worst_overshoot_ms = Math.max(report.worst_overshoot_ms, Math.round(overshoot));
		if (overshoot > 1000) {
			report.late++;
			o.say(`${animal.name}: ${Math.round(overshoot)} ms late`);
		}
		if (result.status !== (animal.ends ? 'exited' : 'timed-out')) {
			report.unexplained++;
			o.say(`${animal.name}: ${result.status}`);
		}
		// A process that was just killed may take a moment to be gone.
		for (let wait = 0; wait < 20 && livingWith(seconds).length > 0; wait++) await sleep(5);
		const left = livingWith(seconds);
		report.survivors += left.length;
		for (const pid of left) {
			o.say(`${animal.name}: ${pid} lives`);
			process.kill(pid, 'SIGKILL');
		}
	}
	globalThis.gc?.();
	report.memory_growth_mb = Math.max(0, Math.round((process.memoryUsage.rss() - before) / 1e6));
	return report;
}

/** So much output that keeping it would kill us. */
async function flood(o: { gigabytes: number; say: (line: string) => void }, report: ZooReport): Promise<void> {
	const bytes = o.gigabytes * 1e9;
	const result = await run({
		argv: ['/bin/sh', '-c', `head -c ${bytes} /dev/zero`],
		cwd: '/',
		env: { PATH: '/usr/bin:/bin' },
		deadlineMs: 300_000,
	});
	report.runs++;
	if (result.status === 'exited' && result.stdoutBytes === bytes && result.stdout.length < 64e6) return;
	report.unexplained++;
	o.say(`${o.gigabytes} GB of output: ${result.status}, ${result.stdoutBytes} bytes`);
}

function livingWith(text: string): number[] {
	return readdirSync('/proc')
		.map(Number)
		.filter(
			(pid) =>
				pid > 0 &&
				pid !== process.pid &&
				read(pid, 'cmdline').includes(text) &&
				/^State:\s+[^ZX]/m.test(read(pid, 'status')),
		);
}

function read(pid: number, file: string): string {
	try {
		return readFileSync(`/proc/${pid}/${file}`, 'latin1');
	} catch {
		return ''; // it ended
	}
}
