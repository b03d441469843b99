// `pnpm -s bench NAME [arguments]` runs benchmarks/NAME/src/main.ts; its stdout is the benchmark's own.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from './program.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = join(root, 'benchmarks');
const [name, ...args] = process.argv.slice(2);
const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
const known = entries
	.filter((entry) => entry.isDirectory())
	.map((entry) => entry.name)
	.sort();

if (name !== undefined && known.includes(name)) {
	const main = join(folder, name, 'src', 'main.ts');
	const { exitCode } = await runProgram({ argv: [process.execPath, main, ...args], cwd: root, show: 'always' });
	process.exitCode = exitCode ?? 1;
} else {
	console.error(name === undefined ? 'bench needs a name' : `no benchmark is named ${name}`);
	console.error(`  benchmarks: ${known.join(', ') || 'none yet'}\n  type: npm run -s bench -- NAME [--json]`);
	process.exitCode = 2;
}
