import type { CampaignEvent } from '@kapso-evolve/engine';
import { formatCost, formatNumber } from '../format.ts';
import { outcomeText } from '../log-tree.ts';
import { printableLine } from '../printable.ts';

/** One event as one line, for logs of CI and for pipes. */
export function eventLine(event: CampaignEvent): string {
	switch (event.type) {
		case 'opened':
			return `${event.resumed ? 'resumed' : 'opened'} ${printableLine(event.output)}: ${event.level}, isolation ${event.isolation} (${printableLine(event.reason)})`;
		case 'warning':
			return `warning ${event.code}: ${printableLine(event.message)}`;
		case 'baseline':
			return `baseline ${event.score === null ? event.outcome : formatNumber(event.score)}${event.error ? `: ${printableLine(event.error, 160)}` : ''}`;
		case 'iteration':
			return `iteration ${event.iteration}: candidate ${event.nodeId} on ${printableLine(event.parentBranch)}${event.attempt > 1 ? `, attempt ${event.attempt}` : ''}`;
		case 'phase':
			return `candidate ${event.nodeId}: ${event.phase}`;
		case 'activity':
			return `candidate ${event.nodeId}: ${printableLine(event.text, 160)}`;
		case 'trial':
			return `candidate ${event.nodeId}: trial ${event.score === null ? event.outcome : formatNumber(event.score)}, ${event.remaining} left`;
		case 'recorded': {
			const { node, best } = event;
			const result = node.score === null ? outcomeText(node) : formatNumber(node.score);
			const lead = best === null ? 'no best yet' : `best ${formatNumber(best.score)} (candidate ${best.nodeId})`;
			return `candidate ${node.nodeId}: ${result}; ${lead}; ${formatCost(event.costUsd)}`;
		}
		case 'confirming':
			return `candidate ${event.nodeId}: confirming from scratch`;
		case 'stopped':
			return `stopped: ${event.reason}${event.detail ? ` (${printableLine(event.detail)})` : ''}`;
	}
}
