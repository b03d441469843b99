import { agentVariables } from '@kapso-evolve/contracts';
import type { AgentRequest } from './agent.ts';

/**
 * The whole environment of an agent, by allow-list: nothing of the engine's own environment is in it. The engine's
 * variables win over extra ones of the same name.
 */
export function agentEnvironment(
	request: AgentRequest,
	extra: Readonly<Record<string, string>>,
): Record<string, string> {
	const environment: Record<string, string> = {
		LANG: 'C.UTF-8',
		...extra,
		...request.environment,
		PATH: request.path,
		HOME: request.home,
		TMPDIR: request.temporaryFolder,
		[agentVariables.runId]: request.runId,
		[agentVariables.nonce]: request.nonce,
		[agentVariables.reportPath]: request.reportPath,
	};
	if (request.tryCommand === null) delete environment[agentVariables.try];
	else environment[agentVariables.try] = JSON.stringify(request.tryCommand);
	return environment;
}
