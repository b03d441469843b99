/** Program of the lock tests: waits for a moment, tries to take the lock, says what came of it, holds it until stdin ends. */
import { acquireCampaignLock } from '../src/index.ts';

const [folder = '', at = '0'] = process.argv.slice(2);
while (Date.now() < Number(at)) {}
try {
	const lock = await acquireCampaignLock({ folder });
	console.log(`won ${lock.nonce}`);
	for await (const _ of process.stdin) {
	}
	await lock.release();
} catch (error) {
	console.log((error as { code?: string }).code ?? String(error));
}
