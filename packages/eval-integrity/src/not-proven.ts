import type { EvaluationLevel } from '@kapso-evolve/contracts';
import type { Suite } from './suite.ts';

/** What a record may name as not proven, with the sentence that a reader gets. The only place where names are made. */
export const notProvenReasons = {
	'visible-suite': 'the agent could read the suite: answers may be special-cased to what it shows',
	'candidate-in-scorer-process':
		'the scorer loaded the candidate: its code could reach the scorer’s own objects and result file',
	'no-isolation': 'nothing kept the candidate away from the machine, the network, the suite’s folder or the clock',
	'agent-ran-suite': 'the number is the agent’s report: nothing shows that the suite ran, or ran unchanged throughout',
	'no-suite': 'there is no caller’s suite: the agent judged itself',
	bytecode: 'compiled files beside the suite were allowed and may have been loaded in place of its source',
	'report-tree': 'report files that carry source suffixes were allowed in the suite’s folder',
	'single-measurement': 'measured once: noise and lucky retries are not excluded until the winner is scored again',
	'case-feedback': 'per-case scores or text left the scorer: labels can be rebuilt from many of them',
	'unhashed-mount': 'a mounted folder is not part of the digest',
	'passed-environment': 'variables of the machine reached the evaluation, and their values are not recorded',
	'device-timing': 'work on a device ends when the device says so: its timing is not measured from outside',
	'evaluation-awareness': 'a candidate can guess that it is being evaluated',
	'suite-quality': 'a suite that can be satisfied without solving the task is satisfied',
	'repeated-selection': 'the best of many on one suite is partly luck on that suite',
	'agent-conduct': 'what the agent looked up, copied or changed and restored before it handed in is not known',
} as const;
export type NotProven = keyof typeof notProvenReasons;

/** What no evaluation by this suite (null: there is none) at this level can prove, whatever the candidate does. */
export function notProvenAt(level: EvaluationLevel, suite: Suite | null): readonly NotProven[] {
	const evaluation = suite?.evaluation;
	const engineScores = level === 'sealed' || level === 'suite-sealed' || level === 'unsealed';
	const when: readonly (readonly [boolean, NotProven])[] = [
		[suite?.visibility === 'visible', 'visible-suite'],
		[level === 'agent-reported', 'no-suite'],
		[level === 'published-rule', 'agent-ran-suite'],
		[level === 'unsealed', 'no-isolation'],
		[level === 'suite-sealed' || (level === 'unsealed' && !evaluation?.run), 'candidate-in-scorer-process'],
		[engineScores && evaluation?.repeats === 1, 'single-measurement'],
		[engineScores && evaluation!.mounts.some((mount) => mount.digest === 'none'), 'unhashed-mount'],
		[engineScores && evaluation!.env.length > 0, 'passed-environment'],
		[engineScores && evaluation!.devices.length > 0, 'device-timing'],
		[true, 'evaluation-awareness'],
		[true, 'suite-quality'],
		[true, 'repeated-selection'],
		[true, 'agent-conduct'],
	];
	return when.filter(([applies]) => applies).map(([, name]) => name);
}
