// `npm run -s tamper -- [--level LEVEL] [--only ID or WORD] [--json] [--controls] [--race N]`
import { parseArgs } from 'node:util';
import { openSandbox } from '@kapso-evolve/process';
import { temporaryFolder } from '@kapso-evolve/testkit';
import type { Place } from './arena.ts';
import { honestCases, tamperCases } from './cases/index.ts';
import { controlNames, runControls } from './controls.ts';
import { race } from './race.ts';
import { type Level, sweep } from './sweep.ts';

const { values } = parseArgs({
	options: {
		level: { type: 'string', default: 'sealed' },
		only: { type: 'string' },
		json: { type: 'boolean', default: false },
		controls: { type: 'boolean', default: false },
		race: { type: 'string' },
	},
});
const path = process.env.PATH ?? '/usr/bin:/bin';
const sandbox = await openSandbox({ path });
if (sandbox.isolation === 'none') throw new Error(`the corpus needs a sandbox: ${sandbox.reason}`);
await using folder = await temporaryFolder('tamper');
const place: Place = { folder: folder.path, sandbox, path, programHashes: new Map() };
const { only } = values;
const isWanted = (what: { readonly name: string; readonly ids?: readonly string[] }): boolean =>
	only === undefined || (what.ids?.includes(only) ?? false) || what.name.includes(only);
const progress = values.json ? undefined : (line: string) => process.stderr.write(`${line}\n`);
const print = (report: object): void => {
	process.stdout.write(`${JSON.stringify(report, null, values.json ? undefined : 2)}\n`);
};

if (values.race !== undefined) {
	const report = await race({ place, rounds: Number(values.race) });
	print(report);
	process.exitCode = report.mismatches > 0 || report.control.mismatches === 0 ? 1 : 0;
} else if (values.controls) {
	const one = only !== undefined && controlNames.includes(only);
	const report = await runControls({
		place,
		cases: one ? tamperCases : tamperCases.filter(isWanted),
		...(one ? { names: [only] } : {}),
		...(progress === undefined ? {} : { progress }),
	});
	print(report);
	process.exitCode = report.silent.length > 0 ? 1 : 0;
} else {
	await runSweep();
}

async function runSweep(): Promise<void> {
	const report = await sweep({
		place,
		level: values.level as Level,
		cases: tamperCases.filter(isWanted),
		honest: honestCases.filter(isWanted),
		published: values.level === 'sealed',
		...(progress === undefined ? {} : { progress }),
	});
	print(report);
	process.exitCode = report.unexpected.length > 0 ? 1 : 0;
}
