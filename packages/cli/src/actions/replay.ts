import { resolve } from 'node:path';
import type { ParentPolicy } from '@kapso-evolve/contracts';
import { replayFolder } from '@kapso-evolve/engine';
import { type ReplayDocument, replayDocument } from '../documents/replay-document.ts';
import { exitCodes } from '../exit-codes.ts';
import { printableLine } from '../printable.ts';
import type { Session } from '../session.ts';

/** Under the recorded policy another choice than the recorded one is a false claim; under another it is the answer. */
export async function replayAction(
	session: Session,
	folder: string,
	flags: { parentPolicy?: ParentPolicy | undefined },
): Promise<number> {
	const { parentPolicy } = flags;
	const replay = await replayFolder(
		resolve(session.terminal.workingFolder, folder),
		parentPolicy === undefined ? {} : { parentPolicy },
	);
	const document = replayDocument(replay);
	session.print(document, () => replayText(document));
	const isFalse = !document.identical && document.parent_policy === document.recorded_policy;
	return isFalse ? exitCodes.verdict : exitCodes.done;
}

function replayText({ divergence, decisions, parent_policy: policy }: ReplayDocument): string {
	if (divergence === null) return `identical: ${decisions} parents chosen again with policy "${policy}"\n`;
	const { recorded, replayed } = divergence;
	const describe = ({ branch, commit, reason }: typeof recorded) =>
		`${printableLine(branch)} at ${commit.slice(0, 12)}: ${printableLine(reason, 300)}`;
	return [
		`candidate ${divergence.node_id} (iteration ${divergence.iteration}) would have had another parent with policy "${policy}"`,
		`  recorded  ${describe(recorded)}`,
		`  replayed  ${describe(replayed)}`,
		'',
	].join('\n');
}
