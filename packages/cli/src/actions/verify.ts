import { resolve } from 'node:path';
import { verifyCampaign } from '@kapso-evolve/engine';
import { type NotProven, notProvenReasons } from '@kapso-evolve/eval-integrity';
import { type VerifyDocument, verifyDocument } from '../documents/verify-document.ts';
import { defined } from '../evolve-plan.ts';
import { exitCodes } from '../exit-codes.ts';
import { printableLine } from '../printable.ts';
import { readKey } from '../read-key.ts';
import type { Session } from '../session.ts';
import type { Style } from '../style.ts';

export async function verifyAction(
	session: Session,
	folder: string,
	flags: { head?: string | undefined; rescore?: true | undefined; publicKey?: string | undefined },
): Promise<number> {
	const report = await verifyCampaign(resolve(session.terminal.workingFolder, folder), {
		environment: session.terminal.environment,
		...defined({
			head: flags.head,
			rescore: flags.rescore,
			publicKey: await readKey(session, flags.publicKey, 'public key'),
		}),
	});
	const document = verifyDocument(report);
	session.print(document, () => verifyText(document, session.style));
	return document.ok ? exitCodes.done : exitCodes.verdict;
}

/** What follows from the bytes in the folder, and what does not. */
export function verifyText(report: VerifyDocument, style: Style): string {
	const lines: string[] = [];
	if (report.ok) {
		lines.push(style('green', 'every claim checked holds'));
		lines.push('proven:');
		lines.push(`  the chain of ${report.lines} ledger lines, none missing or changed in between`);
		lines.push(
			`  ${report.candidates} candidates: their commits, their suite and data digests, their recorded results`,
		);
	} else {
		lines.push(
			style(
				'red',
				`${report.problems.length} false ${report.problems.length === 1 ? 'claim' : 'claims'} in ${report.lines} ledger lines:`,
			),
		);
		for (const problem of report.problems) lines.push(`  ${problem.code}: ${printableLine(problem.message)}`);
	}
	if (report.anchored) lines.push('anchored: the ledger ends in the head that you gave');
	const open = report.not_proven.map((name) => `  ${printableLine(name)}${meaning(name)}`);
	if (open.length > 0) lines.push('not proven:', ...open);
	return `${lines.join('\n')}\n`;
}

function meaning(name: string): string {
	if (name === 'unanchored-ledger')
		return ': without --head SHA, kept elsewhere, the owner of the folder could have written another ledger';
	if (name === 'adopted-history')
		return ': candidates of another release were taken over: their scores are what that release reported';
	return name in notProvenReasons ? `: ${notProvenReasons[name as NotProven]}` : '';
}
