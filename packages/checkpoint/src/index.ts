export {
	type Mismatch,
	RunCheckpointCompletedError,
	RunCheckpointCorruptError,
	RunCheckpointError,
	RunCheckpointIncompatibleError,
	RunCheckpointMissingError,
} from './errors.ts';
export { createFingerprint, type Fingerprint, type FingerprintSettings, fingerprintKeys } from './fingerprint.ts';
export { loadHistory, saveHistory } from './history.ts';
export { type Ledger, type LedgerOptions, openLedger } from './ledger.ts';
export { ledgerGenesis } from './ledger-line.ts';
export type { LegacyCampaign, LegacyNode } from './legacy/legacy-campaign.ts';
export { parseLegacyCheckpoint, readLegacyCheckpoint } from './legacy/read-legacy-checkpoint.ts';
export { readPythonRunState } from './legacy/read-python-run-state.ts';
export { loadRunState } from './load-run-state.ts';
export { acquireCampaignLock, type CampaignLock, readLock } from './lock.ts';
export { CampaignLockedError } from './lock-error.ts';
export type { LockHolder } from './lock-holder.ts';
export { decodeNode } from './node-record.ts';
export { type LedgerContents, readLedger } from './read-ledger.ts';
export { openRecords, type RecordPlace, type Records } from './records.ts';
export { type RunState, runStateSchema, runStateVersion } from './run-state.ts';
export { createRunStateSaver, saveRunState } from './save-run-state.ts';
export { validateResume } from './validate-resume.ts';
