import { KapsoError } from '@kapso-evolve/contracts';
import { exitCodes } from './exit-codes.ts';

export interface Interrupts extends Disposable {
	/** Aborted by the first signal. */
	readonly signal: AbortSignal;
	/** 130 or 143 once a signal came. */
	exitCode(): number | null;
	/** What was thrown; where that is the abort itself, an error that says how to go on. */
	explain(thrown: unknown): unknown;
}

/** The first signal asks for saving and leaving; this much later, or at the second one, the process just goes. */
const patienceMs = 4_800;

/**
 * Ctrl-C and SIGTERM for one command. Leaving without waiting is safe at any moment, because every write of a campaign
 * survives a `kill -9`; the wait only spares the next resume some work.
 */
export function watchInterrupts(onFirst: () => void): Interrupts {
	const controller = new AbortController();
	let code: number | null = null;
	const onSignal = (name: NodeJS.Signals): void => {
		const wanted = name === 'SIGTERM' ? exitCodes.terminated : exitCodes.interrupted;
		if (code !== null) process.exit(wanted);
		code = wanted;
		setTimeout(() => process.exit(wanted), patienceMs).unref();
		onFirst();
		controller.abort(new DOMException(`stopped by ${name}`, 'AbortError'));
	};
	process.on('SIGINT', onSignal);
	process.on('SIGTERM', onSignal);
	return {
		signal: controller.signal,
		exitCode: () => code,
		explain: (thrown) => (code === null ? thrown : explainAbort(thrown, code)),
		[Symbol.dispose]() {
			process.off('SIGINT', onSignal);
			process.off('SIGTERM', onSignal);
		},
	};
}

function explainAbort(thrown: unknown, code: number): unknown {
	if (KapsoError.isInstance(thrown)) {
		if (thrown.category !== 'interrupted') return thrown;
	} else if ((thrown as Error | null)?.name !== 'AbortError') return thrown;
	return new KapsoError({
		code: 'INTERRUPTED',
		category: 'interrupted',
		message: 'stopped by a signal before there was a result',
		hint: KapsoError.isInstance(thrown)
			? thrown.hint
			: 'what was recorded is saved; kapso-evolve status DIR shows it, kapso-evolve resume DIR continues',
		data: { exit_code: code },
		cause: thrown,
	});
}
