import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { suiteFolder } from '@kapso-evolve/contracts';
import { captureSuite, type EvaluateOptions, type EvaluationRecord } from '@kapso-evolve/eval-integrity';
import { type Defence, defenceNames, evaluateWithout, verifyWithout } from '@kapso-evolve/eval-integrity/testing';
import { git } from '@kapso-evolve/testkit';
import type { Place } from './arena.ts';
import { attempt } from './attempt.ts';
import type { TamperCase } from './case.ts';
import type { Language } from './language.ts';
import { openOracle } from './oracle.ts';
import { isHidden, realSteps, type Steps } from './steps.ts';
import type { Shape } from './suite.ts';
import { expectedKind, isApplicable, kindOf, type Level, openIn } from './sweep.ts';

/** A way from a clone to a record with one defence missing. */
interface Control {
	readonly name: string;
	/** Ids and names of the cases that it is tried with. */
	readonly tries: readonly string[];
	readonly steps: Steps;
	readonly level: Level;
	/** The suite that it is tried with; `sealed` and a scorer that loads the candidate is the control of separation. */
	readonly shape: Shape;
}

/** Which cases each defence of the package must let through when it is left out. */
const triedWith: Readonly<Record<Defence, { readonly tries: readonly string[]; readonly together?: true }>> = {
	'provided-bytes': { tries: ['T001'] },
	'provided-modes': { tries: ['makes a data file executable'] },
	'provided-presence': { tries: ['T002'] },
	'new-files': { tries: ['T003', 'adds extra.mjs', 'adds a program without a suffix'] },
	links: { tries: ['T016'] },
	spellings: { tries: ['T013'] },
	'data-folder': { tries: ['rewrites the labels', 'deletes the labels'] },
	'protected-paths': { tries: ['T035'] },
	'shown-files': { tries: ['reads files of the suite that it was not shown'] },
	'empty-environment': { tries: ['T105'] },
	network: { tries: ['T032', 'T087'] },
	'process-namespace': { tries: ['T084'] },
	'private-temporaries': { tries: ['T106'] },
	'suite-cwd': { tries: ['T022'], together: true },
	'output-kinds': { tries: ['leaves a link to the labels', 'leaves a hard link', 'leaves a link to a folder'] },
	limits: { tries: ['starts more processes than allowed'] },
	'case-count': { tries: ['T112'] },
	'exit-status': { tries: ['answers before it crashes'] },
};
const ofVerdict: readonly Defence[] = defenceNames.slice(0, defenceNames.indexOf('shown-files'));

/** What an engine does that leaves one of its own steps to the agent's repository or to a name. */
const careless: readonly (Pick<Control, 'name' | 'tries'> & {
	readonly steps: Partial<Steps>;
	readonly shape?: Shape;
})[] = [
	{
		name: 'caller-snapshot',
		tries: ['T004', 'T017'],
		steps: {
			async evaluate(options, candidate) {
				const { arena, commit } = candidate;
				const theirs = join(options.workFolder, '..', 'theirs');
				const exclude = (path: string): boolean => path.split('/', 1)[0] !== suiteFolder;
				await arena.workspace.materializeTree(commit, { to: theirs, exclude });
				const to = join(options.workFolder, '..', 'their-snapshot');
				const suite = await captureSuite({ from: join(theirs, suiteFolder), to, visibility: 'visible' });
				return await realSteps.evaluate({ ...options, suite }, candidate);
			},
		},
	},
	{ name: 'separate-process', tries: ['T038', 'T039', 'T040', 'T044', 'E48'], steps: {}, shape: 'together' },
	{
		name: 'own-checkout',
		tries: ['T059', 'T061'],
		steps: {
			async write(_, { clone }, to) {
				await git(clone.folder, 'add', '--all');
				await git(clone.folder, 'commit', '--quiet', '--message', 'candidate');
				await git(clone.folder, 'worktree', 'add', '--quiet', '--force', '--detach', `${to}-worktree`, 'HEAD');
				await cp(`${to}-worktree`, to, {
					recursive: true,
					verbatimSymlinks: true,
					filter: (from) => !isHidden(from.slice(to.length + 10)),
				});
			},
		},
	},
	{
		name: 'bound-commit',
		tries: ['T068'],
		steps: {
			write: async ({ workspace }, { branch }, to) =>
				workspace.materializeTree(await workspace.resolve(branch), { to, exclude: isHidden }),
		},
	},
	{
		name: 'sealed-copy',
		tries: ['T079'],
		steps: {
			write: async (_, { clone }, to) => {
				const filter = (from: string): boolean => !isHidden(from.slice(clone.folder.length + 1));
				await cp(clone.folder, to, { recursive: true, verbatimSymlinks: true, filter });
			},
		},
	},
	{
		name: 'object-checks',
		tries: ['T076'],
		steps: {
			async finalise(arena, clone, branch) {
				const { workspace } = arena;
				const made = await realSteps.finalise(arena, clone, branch);
				if (made !== null) return made;
				const heads = await git(clone.folder, 'for-each-ref', '--format=%(refname)', 'refs/heads/odd');
				if (heads === '') return null;
				await git(workspace.root, 'fetch', '--quiet', '--no-tags', clone.folder, `${heads}:refs/heads/${branch}`);
				return workspace.resolve(branch);
			},
		},
	},
	{
		name: 'transport',
		tries: ['T067'],
		steps: {
			async clone({ workspace, parent }, folder) {
				await git(workspace.root, 'clone', '--quiet', '--local', '--no-checkout', workspace.root, folder);
				await git(folder, 'checkout', '--quiet', '-B', 'candidate', parent);
				return { folder, parentCommit: parent };
			},
		},
	},
	{
		name: 'own-history-only',
		tries: ['T098'],
		steps: {
			async clone({ workspace, parent }, folder) {
				await git(workspace.root, 'clone', '--quiet', '--no-local', '--no-checkout', workspace.root, folder);
				await git(folder, 'checkout', '--quiet', '-B', 'candidate', parent);
				return { folder, parentCommit: parent };
			},
		},
	},
];

const controls: readonly Control[] = [
	...defenceNames.map((name): Control => {
		const { tries, together } = triedWith[name];
		const steps: Steps = ofVerdict.includes(name)
			? { ...realSteps, verify: (options) => verifyWithout(name, options) }
			: { ...realSteps, evaluate: (options) => evaluatePoorly(name, options) };
		return {
			name,
			tries,
			steps,
			level: together ? 'suite-sealed' : 'sealed',
			shape: together ? 'together' : 'apart',
		};
	}),
	...careless.map(
		({ name, tries, steps, shape }): Control => ({
			...{ name, tries, steps: { ...realSteps, ...steps } },
			...{ level: shape === 'together' ? 'suite-sealed' : 'sealed', shape: shape ?? 'apart' },
		}),
	),
];

export interface ControlsReport {
	readonly controls: { readonly name: string; readonly leaked: readonly string[] }[];
	/** Defences that can be left out without anything getting through: either needless or untested. */
	readonly silent: string[];
}

/**
 * Leaves out one defence at a time. A case has leaked when it ended better for the candidate than it must: one to be
 * rejected got a score, one to be neutralised got a better score or had another effect.
 */
export async function runControls(options: {
	readonly place: Place;
	readonly cases: readonly TamperCase[];
	/** Default: every control. */
	readonly names?: readonly string[];
	readonly progress?: (line: string) => void;
}): Promise<ControlsReport> {
	await using oracle = await openOracle();
	const report: ControlsReport = { controls: [], silent: [] };
	for (const control of controls) {
		if (options.names?.includes(control.name) === false) continue;
		const { name, tries, steps, level, shape } = control;
		const cases = options.cases.filter(
			(what) => [what.name, ...what.ids].some((one) => tries.includes(one)) && isApplicable(what, level),
		);
		const leaked: string[] = [];
		for (const language of [...new Set(cases.map((what) => what.language))] as Language[]) {
			const arena = await openIn(options.place, { language, level, shape }, `control-${name}`);
			try {
				for (const what of cases.filter((one) => one.language === language)) {
					const ended = await attempt(arena, what, { steps, oracle });
					const kind = kindOf(what, ended);
					// Separation is what is missing here: what it would have kept out counts.
					const expected = name === 'separate-process' ? expectedKind(what, 'sealed') : expectedKind(what, level);
					const isWorse =
						kind === 'accepted' ? expected !== 'accepted' : expected === 'rejected' && kind !== 'rejected';
					if (isWorse) leaked.push(`${language}: ${what.name}`);
				}
			} finally {
				await arena.workspace.close();
			}
		}
		report.controls.push({ name, leaked });
		if (leaked.length === 0) report.silent.push(name);
		options.progress?.(`without ${name}: ${leaked.length} of ${cases.length} got through`);
	}
	return report;
}

/** Where temporary folders are shared, the scratch file of an earlier scoring is part of the situation. */
async function evaluatePoorly(name: Defence, options: EvaluateOptions): Promise<EvaluationRecord> {
	if (name === 'private-temporaries') {
		const workFolder = `${options.workFolder}-before`;
		await mkdir(workFolder);
		await evaluateWithout(name, { ...options, workFolder });
	}
	return evaluateWithout(name, options);
}

export const controlNames: readonly string[] = controls.map(({ name }) => name);
