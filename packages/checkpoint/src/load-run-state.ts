import { KapsoError, toDiskNames } from '@kapso-evolve/contracts';
import { RunCheckpointCorruptError, RunCheckpointIncompatibleError, RunCheckpointMissingError } from './errors.ts';
import { readKept } from './read-kept.ts';
import { type RunState, runStateSchema, runStateVersion } from './run-state.ts';
import { checkRunStateDigest, decodeRunState } from './run-state-file.ts';

/** What `readKept` says of a path that is there and is no file of ours. */
const strangeFiles: ReadonlySet<string> = new Set(['FILE_KIND', 'FILE_TOO_LARGE']);

/**
 * The recorded state. Throws `RunCheckpointMissingError`, `RunCheckpointCorruptError` (any byte other than written, any
 * field other than promised) or `RunCheckpointIncompatibleError` (another `schema_version`, named); never writes.
 */
export async function loadRunState(path: string): Promise<RunState> {
	const bytes = await readStateFile(path);
	if (bytes === null) throw new RunCheckpointMissingError({ path });
	return parseRunState(bytes, path);
}

/** Null without a file. Throws `RunCheckpointCorruptError` for a link, a folder and the like. */
export async function readStateFile(path: string): Promise<Buffer | null> {
	try {
		return await readKept(path);
	} catch (thrown) {
		if (KapsoError.isInstance(thrown) && strangeFiles.has(thrown.code)) {
			throw new RunCheckpointCorruptError({ path, reason: thrown.message, cause: thrown });
		}
		throw thrown;
	}
}

/** The same for bytes that were read already. */
export function parseRunState(bytes: Buffer, path: string): RunState {
	const corrupt = (reason: string, cause?: unknown) => new RunCheckpointCorruptError({ path, reason, cause });
	const digest = checkRunStateDigest(bytes);
	if (digest === 'wrong') throw corrupt('its bytes do not have the SHA-256 that it carries');
	let fields: unknown;
	try {
		fields = JSON.parse(bytes.toString('utf8'));
	} catch (thrown) {
		throw corrupt('it is not JSON', thrown);
	}
	if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) throw corrupt('it is not a JSON object');
	const record = fields as Record<string, unknown>;
	const version = record.schema_version;
	if (Number.isInteger(version) && version !== runStateVersion) throw otherVersion(path, version as number);
	if (digest === 'none' && version === runStateVersion) throw corrupt('sha256 does not stand in its second line');
	const parsed = runStateSchema.safeParse(decodeRunState(record));
	if (!parsed.success) throw corrupt(parsed.error.issues.map(describeIssue).join('; '), parsed.error);
	return parsed.data;
}

/** `completed_iterations: …`: names as they stand in the file. */
export function describeIssue({
	path,
	message,
}: {
	readonly path: readonly PropertyKey[];
	readonly message: string;
}): string {
	const [field = 'file', ...inner] = path.map(String);
	return `${[...Object.keys(toDiskNames({ [field]: null })), ...inner].join('.')}: ${message}`;
}

function otherVersion(path: string, version: number): RunCheckpointIncompatibleError {
	const known = String(runStateVersion);
	return new RunCheckpointIncompatibleError({
		message: `The checkpoint ${path} has schema_version ${version}; this version resumes schema_version ${known}.`,
		hint:
			version > runStateVersion
				? 'Nothing was changed. A newer kapso-evolve wrote it: resume with that version.'
				: 'Nothing was changed. An older release wrote it: "kapso-evolve status DIR" and "log DIR" read it, and "kapso-evolve evolve --output DIR --resume --adopt" with all settings continues it.',
		mismatches: [{ key: 'schema_version', recorded: String(version), requested: known }],
	});
}
