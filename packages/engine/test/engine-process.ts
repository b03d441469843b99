// A campaign's engine in a process of its own. Each line on stdin is `resume FOLDER TIME HOLD`: it waits for that
// millisecond, resumes the campaign for one candidate whose agent takes HOLD milliseconds, and answers with one line.
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { createScriptedWorld } from '../src/testing.ts';
import { scriptedAgent } from './scripted-agent.ts';

const world = createScriptedWorld();
console.log('ready');
for await (const command of createInterface({ input: process.stdin })) {
	const [, folder = '', at = '0', hold = '0'] = command.split('\t');
	while (Date.now() < Number(at)) {} // Busy on purpose: a timer would spread the processes by milliseconds.
	const started = Date.now();
	const agent = scriptedAgent(async () => {
		console.log('holding');
		await sleep(Number(hold));
		return { score: 1 };
	});
	const answer = await world
		.resume(folder, { agent, maxIterations: 1, environment: { PATH: process.env.PATH } })
		.then(() => 'ran')
		.catch((error: { code?: string; category?: string }) => `${error.category} ${error.code}`);
	console.log(`${answer} after ${started - Number(at)}`);
}
