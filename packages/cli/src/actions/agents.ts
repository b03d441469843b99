import { listAgents } from '@kapso-evolve/engine';
import { agentsDocument } from '../documents/agents-document.ts';
import { exitCodes } from '../exit-codes.ts';
import { formatTable } from '../format.ts';
import { printableLine } from '../printable.ts';
import type { Session } from '../session.ts';

export async function agentsAction(session: Session): Promise<number> {
	const document = agentsDocument(await listAgents({ environment: session.terminal.environment }));
	session.print(document, () => {
		const rows = document.agents.map((agent) => [
			agent.name,
			agent.status === 'later' ? 'not in this release' : agent.status,
			printableLine(agent.version ?? ''),
			printableLine(agent.authentication),
			printableLine(agent.billing),
		]);
		return `${formatTable([['agent', 'status', 'version', 'authentication', 'billing'], ...rows])}\n`;
	});
	return exitCodes.done;
}
