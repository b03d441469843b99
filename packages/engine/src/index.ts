export { type AgentListing, listAgents } from './agents.ts';
export { createDefaultLogger } from './default-logger.ts';
export { examineMachine, type MachineCheck, type MachineReport } from './doctor/examine-machine.ts';
export { type ExamineSuiteOptions, examineSuite } from './doctor/examine-suite.ts';
export type { Finding, SuiteReport, SuiteTrial } from './doctor/suite-report.ts';
export { type EvaluateFolderOptions, evaluateFolder } from './evaluate-folder.ts';
export type { BestSoFar, CampaignEvent, Phase } from './events.ts';
export { evolve, resumeCampaign } from './evolve.ts';
export { type Launch, loadLaunch } from './launch.ts';
export type { AgentChoice, EvolveOptions, ResumeOptions } from './options.ts';
export { type Divergence, type Replay, replayCampaign } from './replay-campaign.ts';
export {
	type BestCandidate,
	type CandidateCounts,
	type Delivery,
	DeliveryError,
	type SolutionMetadata,
	type SolutionResult,
} from './result.ts';
export { sealedIterationEvaluator } from './sealed-iteration-evaluator.ts';
export type { LaunchSettings } from './settings.ts';
export type { Progress, Stop, StopPredicate } from './steps/should-stop.ts';
export type { TrialAnswer } from './trials/open-trials.ts';
export { engineVersion } from './version.ts';
export type { CampaignView, CandidateView, VerificationReport } from './view/campaign-view.ts';
export { readCampaign } from './view/read-campaign.ts';
export { readCandidate } from './view/read-candidate.ts';
export { replayFolder } from './view/replay-folder.ts';
export { verifyCampaign } from './view/verify/verify-campaign.ts';
