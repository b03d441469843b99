import { resolve } from 'node:path';
import type { EvaluationFileInput } from '@kapso-evolve/contracts';
import { examineMachine, examineSuite, type SuiteReport } from '@kapso-evolve/engine';
import { readConfiguration } from '../configuration/read-configuration.ts';
import { doctorText } from '../doctor-text.ts';
import { doctorDocument } from '../documents/doctor-document.ts';
import { defined } from '../evolve-plan.ts';
import { exitCodes } from '../exit-codes.ts';
import { watchInterrupts } from '../interrupts.ts';
import type { Session } from '../session.ts';
import type { EvaluateFlags } from './evaluate.ts';

export async function doctorAction(
	session: Session,
	folder: string,
	flags: EvaluateFlags & { readonly pairs?: number | undefined },
): Promise<number> {
	using interrupts = watchInterrupts(() => session.note('stopping\n'));
	const machine = await examineMachine({ environment: session.terminal.environment });
	const suite =
		flags.evalDir === undefined
			? null
			: await trySuite(session, { ...flags, evalDir: flags.evalDir, folder, signal: interrupts.signal }).catch(
					(error: unknown) => {
						throw interrupts.explain(error);
					},
				);
	const document = doctorDocument(machine, suite);
	session.print(document, () => doctorText(document, session.style));
	const signalled = interrupts.exitCode();
	if (signalled !== null) return signalled;
	const blocked = suite?.grade === 'F' || machine.checks.some((check) => check.status === 'fail');
	return blocked ? exitCodes.verdict : exitCodes.done;
}

async function trySuite(
	session: Session,
	o: EvaluateFlags & { evalDir: string; folder: string; pairs?: number | undefined; signal: AbortSignal },
): Promise<SuiteReport> {
	const { workingFolder, environment } = session.terminal;
	const configuration = await readConfiguration({ file: o.config, mode: o.mode, workingFolder });
	for (const warning of configuration.warnings) session.note(`warning ${warning}\n`);
	return await examineSuite({
		folder: resolve(workingFolder, o.folder),
		evalDir: resolve(workingFolder, o.evalDir),
		environment,
		workingFolder,
		signal: o.signal,
		onTrial: (trial) => {
			if (!session.options.quiet)
				session.note(
					`${trial.passed ? 'ok  ' : 'FAIL'} ${trial.name}: ${trial.score ?? trial.code ?? trial.outcome}\n`,
				);
		},
		...defined({
			pairs: o.pairs,
			dataDir: o.dataDir === undefined ? undefined : resolve(workingFolder, o.dataDir),
			evaluation: (configuration.evaluation ?? undefined) as EvaluationFileInput | undefined,
			requireIsolation: configuration.settings.require_isolation,
		}),
	});
}
