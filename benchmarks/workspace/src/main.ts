import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Row } from './row.ts';

// `--files N` measures one size only. Every size has a process of its own, so that its peak memory is its own.
const at = process.argv.indexOf('--files');
const sizes = at === -1 ? [50, 5000, 50_000] : [Number(process.argv[at + 1])];
const rows: Row[] = [];
for (const files of sizes) rows.push(...(await measure(files)));
if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
else console.table(rows);

function measure(files: number): Promise<Row[]> {
	return new Promise((resolve, reject) => {
		const program = fileURLToPath(new URL('./measure.ts', import.meta.url));
		const child = spawn(process.execPath, [program, String(files)], { stdio: ['ignore', 'pipe', 'inherit'] });
		let output = '';
		child.stdout.setEncoding('utf8').on('data', (text: string) => {
			output += text;
		});
		child.on('error', reject);
		child.on('close', (code) => {
			if (code === 0) resolve(JSON.parse(output) as Row[]);
			else reject(new Error(`the measurement of ${files} files ended with ${code}`));
		});
	});
}
