export { type CaptureDatasetOptions, captureDataset, type Dataset, maxDatasetBytes } from './capture-dataset.ts';
export { type Case, caseSchema, datasetJsonSchemas, type Manifest, manifestSchema, maxFileBytes } from './manifest.ts';
export type { RefusalCode } from './refusal.ts';
export { type VerifiedManifest, type VerifyManifestOptions, verifyCase, verifyManifest } from './verify-manifest.ts';
export { verifyRevision } from './verify-revision.ts';
