import { join } from 'node:path';
import {
	commitIdSchema,
	evaluationLevelSchema,
	fromDiskNames,
	isolationSchema,
	KapsoError,
	sha256Schema,
	stateFolder,
	toDiskNames,
} from '@kapso-evolve/contracts';
import { readBounded, writeFileDurable } from '@kapso-evolve/durable-fs';
import { z } from 'zod';
import type { EvaluationInputs } from './evaluation-inputs.ts';
import { type LaunchSettings, launchSettingsSchema, type Surroundings } from './settings.ts';
import { engineVersion } from './version.ts';

/** `launch.json`: the resolved start of a campaign. `resume DIR` needs nothing else from the person who types it. */
export const launchSchema = z.strictObject({
	schemaVersion: z.literal(1),
	campaignId: z.string().min(1),
	createdAt: z.string(),
	engineVersion: z.string(),
	settings: launchSettingsSchema,
	evaluationLevel: evaluationLevelSchema,
	isolation: isolationSchema,
	suiteDigest: sha256Schema.nullable(),
	evaluationDigest: sha256Schema.nullable(),
	dataDigest: sha256Schema.nullable(),
	/** What the seed's HEAD was; null without a seed. */
	seedCommit: commitIdSchema.nullable(),
	/** `main` with the suite in it: what `baseline` means. */
	mainCommit: commitIdSchema,
	evaluatorIdentity: z.string().nullable(),
});
export type Launch = z.output<typeof launchSchema>;

const maxLaunchBytes = 4 * 1024 * 1024;

export const launchPath = (folder: string) => join(folder, stateFolder, 'launch.json');
export const ledgerPath = (folder: string) => join(folder, stateFolder, 'ledger.jsonl');

/** The launch of a campaign that begins now, here, in this process. */
export function launchOf(options: {
	readonly settings: LaunchSettings;
	readonly inputs: EvaluationInputs;
	readonly surroundings: Pick<Surroundings, 'clock' | 'ids'>;
	readonly seedCommit: string | null;
	readonly mainCommit: string;
	readonly evaluatorIdentity: string | null;
}): Launch {
	const { settings, inputs, surroundings, seedCommit, mainCommit, evaluatorIdentity } = options;
	return {
		schemaVersion: 1,
		campaignId: surroundings.ids.next('campaign'),
		createdAt: surroundings.clock.now().toISOString(),
		engineVersion,
		settings,
		evaluationLevel: inputs.level,
		isolation: inputs.isolation,
		suiteDigest: inputs.suite?.digest ?? null,
		evaluationDigest: inputs.evaluationDigest,
		dataDigest: inputs.dataDigest,
		seedCommit,
		mainCommit,
		evaluatorIdentity,
	};
}

/** Into a `.kapso` folder. */
export async function saveLaunch(state: string, launch: Launch): Promise<void> {
	await writeFileDurable(join(state, 'launch.json'), launchText(launch));
}

/** The file's very bytes: the first line of the ledger holds their digest. */
export function launchText(launch: Launch): string {
	const record = toDiskNames({ ...launch, settings: toDiskNames(launch.settings) });
	return `${JSON.stringify(record, null, 2)}\n`;
}

/** Throws `CAMPAIGN_MISSING` where there is none and `LAUNCH_CORRUPT` where it cannot be read. */
export async function loadLaunch(folder: string): Promise<Launch> {
	let bytes: Buffer;
	try {
		bytes = await readBounded(launchPath(folder), { maxBytes: maxLaunchBytes });
	} catch (error) {
		if (KapsoError.isInstance(error) && error.code === 'FILE_MISSING') throw campaignMissing(folder);
		throw error;
	}
	try {
		const record = fromDiskNames(JSON.parse(bytes.toString('utf8')) as Record<string, unknown>);
		return launchSchema.parse({ ...record, settings: fromDiskNames(record.settings as Record<string, unknown>) });
	} catch (cause) {
		throw new KapsoError({
			code: 'LAUNCH_CORRUPT',
			category: 'usage',
			message: `${launchPath(folder)} cannot be read: ${cause instanceof z.ZodError ? z.prettifyError(cause) : String(cause)}`,
			hint: 'branches, ledger and history are untouched; restore the file from a backup, or look with: kapso-evolve log DIR',
			data: { folder },
			cause,
		});
	}
}

export function campaignMissing(folder: string): KapsoError {
	return new KapsoError({
		code: 'CAMPAIGN_MISSING',
		category: 'usage',
		message: `there is no campaign in ${folder}`,
		hint: 'nothing was touched; check the path, or start a campaign there with: kapso-evolve evolve --output DIR',
		data: { folder },
	});
}
