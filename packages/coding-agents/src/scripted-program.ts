/** The text of a scripted agent: needs only Node, knows only its own folder, its environment and its stdin. */
export const scriptedProgram = `import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const own = import.meta.dirname;
const attempts = JSON.parse(readFileSync(join(own, 'attempts.json'), 'utf8'));
const prompt = readFileSync(0, 'utf8');
const { KAPSO_NONCE: nonce, KAPSO_REPORT_PATH: reportPath, KAPSO_TRY: tryCommand } = process.env;

const call = { prompt, folder: process.cwd(), environment: { ...process.env }, tries: [] };
const { number, file } = claim();
const attempt = attempts[number];
if (attempt === undefined) fail('attempt ' + (number + 1) + ' was not scripted, only ' + attempts.length);

for (let count = 0; count < (attempt.tries ?? 0); count++) {
	if (tryCommand === undefined) fail('there is nothing to try with');
	const [program, ...args] = JSON.parse(tryCommand);
	const tried = spawnSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
	const line = tried.stdout?.trim().split('\\n').at(-1);
	call.tries.push({ exitCode: tried.status, answer: line ? JSON.parse(line) : null });
}
for (const [path, text] of Object.entries(attempt.files ?? {})) {
	if (text === null) rmSync(path);
	else {
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, text);
	}
}
if (attempt.says !== undefined) console.log(attempt.says.replaceAll('NONCE', nonce));
if (attempt.report !== null) {
	const report = { schema_version: 1, nonce, summary: 'scripted attempt ' + (number + 1), ...attempt.report };
	writeFileSync(reportPath, JSON.stringify(report));
}
writeFileSync(file, JSON.stringify(call));
if (attempt.hangs) setInterval(() => {}, 60_000);
process.exitCode = attempt.exitCode ?? 0;

/** The first number that no attempt has: two that run at a time never share one. */
function claim() {
	for (let number = 0; ; number++) {
		const file = join(own, 'calls', String(number).padStart(6, '0') + '.json');
		try {
			writeFileSync(file, JSON.stringify(call), { flag: 'wx' });
			return { number, file };
		} catch (error) {
			if (error.code !== 'EEXIST') throw error;
		}
	}
}

function fail(message) {
	console.error('scripted agent: ' + message);
	process.exit(70);
}
`;
