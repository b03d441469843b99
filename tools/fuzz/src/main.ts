// `pnpm -s fuzz workspace|hostile|parallel|kills|zoo [--json] …`; README.md has the options of each.
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { fuzzHostile } from './hostile.ts';
import { fuzzKills } from './kills.ts';
import { fuzzParallel } from './parallel.ts';
import { plants } from './plants.ts';
import { fuzzWorkspace } from './workspace.ts';
import { fuzzZoo } from './zoo.ts';

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		cases: { type: 'string', default: '2000' },
		seed: { type: 'string', default: '1' },
		case: { type: 'string' },
		plant: { type: 'string' },
		workers: { type: 'string', default: '8' },
		each: { type: 'string', default: '50' },
		kills: { type: 'string', default: '200' },
		runs: { type: 'string', default: '200' },
		gigabytes: { type: 'string', default: '10' },
		json: { type: 'boolean', default: false },
	},
});
// In memory where that can be: thousands of small repositories, each call of which waits for the disk.
if (existsSync('/dev/shm')) process.env.TMPDIR ??= '/dev/shm';
const say = (line: string) => void process.stderr.write(`${line}\n`);
const lanes = 3;

const commands: Readonly<Record<string, () => Promise<{ report: object; ok: boolean }>>> = {
	async workspace() {
		const only = values.case === undefined ? undefined : Number(values.case);
		if (values.plant !== undefined) return plantAll(values.plant);
		const {
			operations,
			refused,
			damaged: _,
			...report
		} = await fuzzWorkspace({
			seed: values.seed,
			cases: Number(values.cases),
			only,
			lanes: only === undefined ? lanes : 1,
			say,
		});
		say(`${refused} refused by name; ${JSON.stringify(operations)}`);
		return { report, ok: report.bytes_lost + report.refs_lost + report.unexplained === 0 };
	},
	async hostile() {
		const report = await fuzzHostile(say);
		return { report, ok: report.private_seed && report.different + report.programs_run + report.config_changed === 0 };
	},
	async parallel() {
		const [workers, each] = [Number(values.workers), Number(values.each)];
		const report = await fuzzParallel({ workers, each, say });
		const all = `${workers * each} of ${workers * each}`;
		return { report, ok: report.lanes === all && report.processes === all && report.leaked === 0 };
	},
	async kills() {
		const report = await fuzzKills({ kills: Number(values.kills), seed: values.seed, say });
		return { report, ok: report.lost + report.leaked + report.unexplained === 0 };
	},
	async zoo() {
		const report = await fuzzZoo({ runs: Number(values.runs), gigabytes: Number(values.gigabytes), say });
		return { report, ok: report.survivors + report.late + report.unexplained === 0 && report.memory_growth_mb < 150 };
	},
};

/** Takes out one protection after the other; each must be missed. */
async function plantAll(name: string): Promise<{ report: object; ok: boolean }> {
	const wanted = plants.filter((plant) => name === 'all' || plant.name === name);
	if (wanted.length === 0)
		throw new Error(`no protection is called ${name}: ${plants.map((plant) => plant.name).join(', ')}`);
	const missed: string[] = [];
	for (const plant of wanted) {
		let found = '';
		// A case that does damage without the plant, too, shows nothing.
		const except = new Set<number>();
		for (let isOver = false; !isOver; ) {
			let first = '';
			const tell = (line: string) => {
				first ||= line;
			};
			const options = { seed: values.seed, cases: Number(values.cases) };
			const { damaged, cases } = await fuzzWorkspace({ ...options, plant, except, lanes, untilFound: true, say: tell });
			isOver = damaged.length === 0;
			for (const only of damaged) {
				const control = { ...plant, edits: [] };
				const without = await fuzzWorkspace({ ...options, only, plant: control, lanes: 1, say: () => {} });
				if (without.damaged.length > 0) except.add(only);
				else {
					found = `after ${cases} cases: ${first}`;
					isOver = true;
				}
			}
		}
		say(`${found === '' ? 'MISSED' : 'found '} ${plant.name} ${found.slice(0, 200)}`);
		if (found === '') missed.push(plant.name);
		for (const number of except) say(`  case ${number} does damage without it`);
	}
	return { report: { planted: wanted.length, found: wanted.length - missed.length, missed }, ok: missed.length === 0 };
}

const command = commands[positionals[0] ?? ''];
if (command === undefined) {
	say(`which one? ${Object.keys(commands).join(', ')}`);
	process.exitCode = 2;
} else {
	const { report, ok } = await command();
	process.stdout.write(`${values.json ? JSON.stringify(report) : JSON.stringify(report, null, 2)}\n`);
	process.exitCode = ok ? 0 : 1;
}
