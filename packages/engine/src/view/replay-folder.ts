import type { ParentPolicy } from '@kapso-evolve/contracts';
import { type Replay, replayCampaign } from '../replay-campaign.ts';
import { openForReading } from './read-campaign.ts';

/** `replayCampaign` for the campaign in a folder, with its own rules or another parent policy. Nothing is touched. */
export async function replayFolder(
	folder: string,
	options: { readonly parentPolicy?: ParentPolicy } = {},
): Promise<Replay & { readonly recordedPolicy: ParentPolicy }> {
	const { launch, lines, suite } = await openForReading(folder);
	const recordedPolicy = launch.settings.parentPolicy;
	const replay = replayCampaign(lines, {
		settings: { ...launch.settings, parentPolicy: options.parentPolicy ?? recordedPolicy },
		objective: suite?.evaluation?.objective ?? 'maximize',
		mainCommit: launch.mainCommit,
	});
	return { ...replay, recordedPolicy };
}
