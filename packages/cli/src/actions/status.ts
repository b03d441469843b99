import { resolve } from 'node:path';
import { readCampaign } from '@kapso-evolve/engine';
import { refuseExternalToAgents } from '../documents/external.ts';
import { type StatusDocument, statusDocument } from '../documents/status-document.ts';
import { exitCodes } from '../exit-codes.ts';
import { formatCost, formatNumber, formatSeconds, formatTable } from '../format.ts';
import { printableLine } from '../printable.ts';
import { readSlice } from '../read-slice.ts';
import type { Session } from '../session.ts';
import { candidatesLine, scoreLine } from '../solution-text.ts';
import type { Style } from '../style.ts';

export async function statusAction(
	session: Session,
	folder: string,
	flags: { external?: true | undefined },
): Promise<number> {
	if (flags.external) refuseExternalToAgents(session.terminal.environment);
	const path = resolve(session.terminal.workingFolder, folder);
	const view = await readCampaign(path);
	const document = statusDocument(view, {
		external: flags.external === true,
		slice: await readSlice(path, { hasLedger: view.legacySchema === null }),
	});
	session.print(document, () =>
		statusText(document, `${view.evaluationLevel}, isolation ${view.isolation}`, session.style),
	);
	return exitCodes.done;
}

function statusText(status: StatusDocument, level: string, style: Style): string {
	const { best, candidates } = status;
	const rows: string[][] = [
		['campaign', printableLine(status.output)],
		['goal', printableLine(status.goal, 200)],
		['state', stateLine(status)],
		['score', scoreLine(status.baseline_score, best?.score ?? null, style)],
		[
			'best',
			best === null
				? 'none yet'
				: `candidate ${best.node_id} on ${best.branch}, commit ${best.commit.slice(0, 12)}, ${best.confirmed ? 'confirmed' : 'not confirmed'}`,
		],
		['level', level],
		['iterations', String(status.cumulative_iterations)],
		['candidates', candidatesLine(candidates)],
		['spent', `${formatSeconds(status.elapsed_seconds)}, ${formatCost(status.cost_usd, status.cost_unknown)}`],
	];
	if (status.last_stop)
		rows.push([
			'last stop',
			`${status.last_stop.reason}${status.last_stop.detail ? ` (${printableLine(status.last_stop.detail)})` : ''}`,
		]);
	for (const [name, value] of Object.entries(status.external?.metrics ?? {}))
		rows.push(['external', `${printableLine(name)} ${formatNumber(value)}`]);
	rows.push(['ledger head', status.ledger_head ?? 'none: nothing of this can be verified']);
	return `${formatTable(rows)}\n`;
}

function stateLine(status: StatusDocument): string {
	if (status.legacy_schema !== null)
		return `${status.status}, written by another release (schema ${status.legacy_schema}): goes on with evolve --resume --adopt`;
	if (status.lock) return `${status.status}, held by process ${status.lock.pid ?? '?'} on ${status.lock.host ?? '?'}`;
	return status.status === 'completed' ? 'completed' : 'resumable, nobody is working on it';
}
