import { resolve } from 'node:path';
import type { SearchNode } from '@kapso-evolve/contracts';
import { readCampaign } from '@kapso-evolve/engine';
import { refuseExternalToAgents } from '../documents/external.ts';
import { logDocument } from '../documents/log-document.ts';
import { exitCodes } from '../exit-codes.ts';
import { logTree } from '../log-tree.ts';
import type { Session } from '../session.ts';

export async function logAction(
	session: Session,
	folder: string,
	flags: { external?: true | undefined },
): Promise<number> {
	if (flags.external) refuseExternalToAgents(session.terminal.environment);
	const view = await readCampaign(resolve(session.terminal.workingFolder, folder));
	const external = flags.external === true;
	session.print(logDocument(view, { external }), () =>
		logTree({
			nodes: view.nodes as readonly SearchNode[],
			baselineScore: view.baselineScore,
			bestNodeId: view.best?.nodeId ?? null,
			external,
			style: session.style,
		}),
	);
	return exitCodes.done;
}
