import { dataFolder, suiteFolder } from '@kapso-evolve/contracts';
import { type Campaign, isEngineScored, objectiveOf } from '../campaign.ts';
import type { Flight } from '../state.ts';

/** What the agent is told. Values stand in fences and are substituted once; no external metric is ever among them. */
export function agentPrompt(campaign: Campaign, flight: Flight): string {
	return [
		`# Goal\n\n${campaign.settings.goal}`,
		`# Where you are\n\nYou are in a clone of the repository at branch ${flight.parent.branch}. Change the files here; ` +
			'you may commit, and whatever you leave uncommitted is committed for you. Nothing outside this folder is kept.',
		flight.sessionId === null ? '' : interrupted,
		evaluationText(campaign),
		parentText(campaign, flight),
		reportText(campaign),
	]
		.filter((part) => part !== '')
		.join('\n\n');
}

const interrupted =
	'# You were interrupted\n\nThe machine stopped while you were working on this. The files are as they were when you began: do again what of your changes is worth it.';

function evaluationText(campaign: Campaign): string {
	if (campaign.suite === null) {
		return `# Evaluation\n\nNo suite was provided. You may build one in ${suiteFolder}/, run it, and report its score.`;
	}
	if (campaign.suite.visibility === 'private') {
		return `# Evaluation\n\nYour work is scored by a private suite (${objectiveOf(campaign)}). It is not in this repository.`;
	}
	const belongs = campaign.data === null ? 'belongs' : `and the data in ${dataFolder}/ belong`;
	return (
		`# Evaluation\n\nThe suite in ${suiteFolder}/ ${belongs} to the caller. Do not modify, delete, replace or extend them: a ` +
		`candidate that does is rejected without a score. Runtime outputs such as ${suiteFolder}/result.json and logs are allowed. ` +
		scoringText(campaign)
	);
}

function scoringText(campaign: Campaign): string {
	if (!isEngineScored(campaign.level)) return 'Run the suite and report the score that it prints.';
	const trials = campaign.settings.trialBudget;
	const trying = `The command in KAPSO_TRY (a JSON array of arguments) scores the files as they are now, exactly as the engine will; it may be used ${trials} times.`;
	return `The engine scores your commit itself with the caller's copy of the suite (${objectiveOf(campaign)}).${trials === 0 ? '' : ` ${trying}`}`;
}

function parentText(campaign: Campaign, flight: Flight): string {
	const nodes = campaign.state().nodes;
	const parent = nodes.find((node) => node.nodeId === flight.parent.nodeId);
	const rejected = nodes.filter((node) => !node.evaluationValid).slice(-3);
	const lines = [
		parent?.score != null ? `The code you start from scored ${parent.score}.` : '',
		nodes.at(-1)?.feedback ? `Feedback on the latest candidate:\n${fence(nodes.at(-1)!.feedback)}` : '',
		...rejected.map(
			(node) => `INVALID EVALUATION: ${node.branchName} was rejected:\n${fence(node.evaluationIntegrityError ?? '')}`,
		),
	].filter((line) => line !== '');
	return lines.length === 0 ? '' : `# What was tried\n\n${lines.join('\n\n')}`;
}

function reportText(campaign: Campaign): string {
	const score = isEngineScored(campaign.level)
		? ''
		: ' and "score" (a finite number, or null when nothing was measured)';
	return (
		'# Report\n\nWhen you are done, write JSON to the path in KAPSO_REPORT_PATH: {"schema_version":1,"nonce":<KAPSO_NONCE>,' +
		`"summary":"what changed and why"}${score}. Optional keys: evaluation_output, technical_difficulties, cost_usd, usage, session_id, model.`
	);
}

/** Quotes text so that no line of it can close the quotation. */
function fence(text: string): string {
	return text
		.slice(0, 4000)
		.split('\n')
		.map((line) => `> ${line}`)
		.join('\n');
}
