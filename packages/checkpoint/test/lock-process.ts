/**
 * Program of the lock tests. Each line on stdin is a command, each is answered with one line: `take FOLDER TIME` waits
 * for that millisecond and tries to take the lock; `release` gives it back.
 */
import { createInterface } from 'node:readline';
import { acquireCampaignLock, type CampaignLock } from '../src/index.ts';

const held: CampaignLock[] = [];

console.log('ready');
for await (const command of createInterface({ input: process.stdin })) {
	const [verb, folder = '', at = '0'] = command.split('\t');
	if (verb === 'take') console.log(await take(folder, Number(at)));
	else {
		await held.pop()?.release();
		console.log('released');
	}
}

async function take(folder: string, at: number): Promise<string> {
	while (Date.now() < at) {} // Busy on purpose: a timer would spread the two processes by milliseconds.
	try {
		const lock = await acquireCampaignLock({ folder });
		held.push(lock);
		return `won ${lock.nonce}`;
	} catch (error) {
		return (error as { code?: string }).code ?? String(error);
	}
}
