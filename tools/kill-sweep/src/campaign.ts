// The campaign under the axe, in a process of its own: `node … campaign.ts OPTIONS.json` starts or resumes it.
import { readFileSync } from 'node:fs';
import { evolve, resumeCampaign } from '@kapso-evolve/engine';

const { resume, ...options } = JSON.parse(readFileSync(process.argv[2]!, 'utf8'));
const environment = { PATH: process.env.PATH };
const solution = resume
	? await resumeCampaign(options.outputPath, { environment })
	: await evolve({ ...options, environment });
process.stdout.write(JSON.stringify(solution.candidates));
