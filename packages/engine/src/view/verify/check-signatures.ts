import type { KeyObject } from 'node:crypto';
import { isSigned, needsSignature } from '../../signature.ts';
import type { ReadCampaign } from '../read-campaign.ts';
import type { Problem } from './problem.ts';

/** With a pinned key nothing that matters may be unsigned: a signature that was left out is a false claim. */
export function checkSignatures(
	{ launch, lines }: ReadCampaign,
	signed: { readonly key: KeyObject; readonly envelopes: ReadonlyMap<number, unknown> },
): Problem[] {
	return lines
		.filter(needsSignature)
		.filter((line) => {
			const envelope = signed.envelopes.get(line.seq);
			return !isSigned({ campaignId: launch.campaignId, line, key: signed.key, envelope });
		})
		.map((line) => ({
			code: 'NOT_SIGNED',
			message: `ledger line ${line.seq} (${line.type}) is not signed by the given key`,
		}));
}
