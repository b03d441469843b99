// Before packing: copies the bundled problem into the package. After packing (--remove): takes the copy away again,
// so that the repository always runs the example itself.
import { cp, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const at = (place) => fileURLToPath(new URL(place, import.meta.url));
const copy = at('../assets/tsp-heuristic');
await rm(at('../assets'), { recursive: true, force: true });
if (!process.argv.includes('--remove')) {
	for (const part of ['repository', 'evaluation', 'hidden'])
		await cp(at(`../../../examples/tsp-heuristic/${part}`), `${copy}/${part}`, { recursive: true });
}
