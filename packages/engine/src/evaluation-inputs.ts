import { canonicalJson, type EvaluationLevel, type Isolation, sha256 } from '@kapso-evolve/contracts';
import { hashTree } from '@kapso-evolve/durable-fs';
import { chooseLevel, inspectSuite, type Suite } from '@kapso-evolve/eval-integrity';
import type { Sandbox } from '@kapso-evolve/process';
import type { LaunchSettings } from './settings.ts';

/** The caller's suite and data as they are now, and the level that this machine can give them. Nothing is created. */
export interface EvaluationInputs {
	readonly suite: Suite | null;
	readonly dataDigest: string | null;
	readonly evaluationDigest: string | null;
	readonly level: EvaluationLevel;
	readonly isolation: Isolation;
	readonly reason: string;
}

export async function inspectInputs(options: {
	readonly settings: LaunchSettings;
	readonly output: string;
	readonly sandbox: Sandbox;
}): Promise<EvaluationInputs> {
	const { settings, output, sandbox } = options;
	const from = settings.evalDir ?? settings.privateEvalDir;
	const suite =
		from === null
			? null
			: await inspectSuite({
					from,
					output,
					evaluation: settings.evaluation,
					visibility: settings.privateEvalDir === null ? 'visible' : 'private',
				});
	const dataDigest = settings.dataDir === null ? null : (await hashTree(settings.dataDir)).digest;
	const chosen = chooseLevel({ suite, sandbox, requireIsolation: settings.requireIsolation });
	const evaluationDigest = suite?.evaluation ? sha256(canonicalJson(suite.evaluation)) : null;
	return { suite, dataDigest, evaluationDigest, ...chosen };
}
