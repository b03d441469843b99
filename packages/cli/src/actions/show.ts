import { resolve } from 'node:path';
import { readCandidate } from '@kapso-evolve/engine';
import { refuseExternalToAgents } from '../documents/external.ts';
import { showDocument } from '../documents/show-document.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Session } from '../session.ts';
import { showText } from '../show-text.ts';

export async function showAction(
	session: Session,
	folder: string,
	nodeId: number,
	flags: { external?: true | undefined },
): Promise<number> {
	if (flags.external) refuseExternalToAgents(session.terminal.environment);
	const view = await readCandidate(resolve(session.terminal.workingFolder, folder), nodeId);
	const external = flags.external === true;
	session.print(showDocument(view, { external }), () => showText(view, { external, style: session.style }));
	return exitCodes.done;
}
