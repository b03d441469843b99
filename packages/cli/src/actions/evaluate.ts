import { resolve } from 'node:path';
import type { EvaluationFileInput } from '@kapso-evolve/contracts';
import { evaluateFolder } from '@kapso-evolve/engine';
import { readConfiguration } from '../configuration/read-configuration.ts';
import { evaluateDocument } from '../documents/evaluate-document.ts';
import { evaluationText } from '../evaluation-text.ts';
import { defined, usage } from '../evolve-plan.ts';
import { exitCodes } from '../exit-codes.ts';
import { watchInterrupts } from '../interrupts.ts';
import type { Session } from '../session.ts';

export interface EvaluateFlags {
	readonly evalDir?: string | undefined;
	readonly dataDir?: string | undefined;
	readonly config?: string | undefined;
	readonly mode?: string | undefined;
}

export async function evaluateAction(session: Session, folder: string, flags: EvaluateFlags): Promise<number> {
	const { workingFolder, environment } = session.terminal;
	if (flags.evalDir === undefined) throw usage('SUITE_MISSING', 'an evaluation needs a suite', 'add --eval-dir DIR');
	const configuration = await readConfiguration({ file: flags.config, mode: flags.mode, workingFolder });
	for (const warning of configuration.warnings) session.note(`warning ${warning}\n`);
	using interrupts = watchInterrupts(() => session.note('stopping\n'));
	const record = await evaluateFolder({
		folder: resolve(workingFolder, folder),
		evalDir: resolve(workingFolder, flags.evalDir),
		environment,
		workingFolder,
		signal: interrupts.signal,
		...defined({
			dataDir: flags.dataDir === undefined ? undefined : resolve(workingFolder, flags.dataDir),
			evaluation: (configuration.evaluation ?? undefined) as EvaluationFileInput | undefined,
			requireIsolation: configuration.settings.require_isolation,
		}),
	}).catch((error: unknown) => {
		throw interrupts.explain(error);
	});
	session.print(evaluateDocument(record), () => evaluationText(record, session.style));
	const signalled = interrupts.exitCode();
	if (signalled !== null) return signalled;
	if (record.outcome === 'scored') return exitCodes.done;
	return record.outcome === 'infrastructure' ? exitCodes.infrastructure : exitCodes.verdict;
}
