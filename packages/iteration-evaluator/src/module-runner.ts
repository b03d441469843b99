// The main file of a module evaluator's process: argv names module and export, stdin holds the nonce and the context.
// The answer is one line that starts with the nonce; whatever else the module prints stands beside it.
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { deepFreeze } from './deep-freeze.ts';
import { parseResult } from './parse-result.ts';

const [path = '', exportName = ''] = process.argv.slice(2);
const { nonce, context } = JSON.parse(await text(process.stdin)) as { nonce: string; context: object | null };

await answer(await evaluate());
process.exit(0);

async function evaluate(): Promise<object> {
	try {
		const exported: unknown = ((await import(pathToFileURL(path).href)) as Record<string, unknown>)[exportName];
		if (typeof exported !== 'function') throw new TypeError(`${path} exports no function ${exportName}`);
		if (context === null) return { result: null }; // only asked whether it could be called
		const given = Object.freeze({ ...deepFreeze(context), signal: new AbortController().signal });
		// checked here, because JSON would turn NaN into null and a date into text on the way
		return { result: parseResult(await exported(given)) };
	} catch (thrown) {
		const error = thrown instanceof Error ? thrown : { name: typeof thrown, message: String(thrown) };
		return { error: { name: String(error.name), message: String(error.message) } };
	}
}

function answer(value: object): Promise<void> {
	return new Promise((resolve) => {
		process.stdout.write(`\n${nonce} ${JSON.stringify(value)}\n`, () => resolve());
	});
}
