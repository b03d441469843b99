export {
	parseRepoMemorySettings,
	type RepoMemoryFailurePolicy,
	type RepoMemorySettings,
	repoMemoryFailurePolicySchema,
} from './failure-policy.ts';
export { parseRepoMemory } from './parse-repo-memory.ts';
export { renderSummary } from './render-summary.ts';
export { buildRepoMap, type RepoMap, repoMapSchema } from './repo-map.ts';
export { coreSections, type RepoMemory, repoMemoryPath, repoMemorySchema } from './repo-memory.ts';
