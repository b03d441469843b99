// A campaign in a process of its own, which kills itself at the event of the given number: `node … OPTIONS.json AT`.
import { readFileSync } from 'node:fs';
import { evolve, resumeCampaign } from '@kapso-evolve/engine';

const [optionsFile = '', at = '0'] = process.argv.slice(2);
const { resume, ...options } = JSON.parse(readFileSync(optionsFile, 'utf8'));
let events = 0;
const onEvent = () => {
	events += 1;
	if (events === Number(at)) process.kill(process.pid, 'SIGKILL');
};
const environment = { PATH: process.env.PATH };
const solution = resume
	? await resumeCampaign(options.outputPath, { environment, onEvent })
	: await evolve({ ...options, environment, onEvent });
process.stdout.write(JSON.stringify({ events, solution }));
