import { KapsoError } from '@kapso-evolve/contracts';

export type CheckoutRefusal =
	| 'local-changes'
	| 'untracked-collision'
	| 'link-in-the-way'
	| 'nested-repository'
	| 'locked'
	| 'operation-in-progress'
	| 'branch-moved'
	| 'checked-out-elsewhere'
	| 'unfinished-switch'
	| 'git-refused';

/** The root work tree stays as it is: nothing was overwritten, deleted or stashed. */
export class WorkspaceCheckoutError extends KapsoError {
	constructor(options: {
		/** The branch or commit that was asked for. */
		readonly target: string;
		readonly reason: CheckoutRefusal;
		/** What stands in the way, relative to the root. */
		readonly paths: readonly string[];
		/** `git status --porcelain` lines of the work tree. */
		readonly status: readonly string[];
		readonly detail?: string;
		readonly hint?: string;
	}) {
		const { target, reason, paths, status } = options;
		const shown = paths.slice(0, 5).join(', ') + (paths.length > 5 ? `, … (${paths.length})` : '');
		super({
			code: 'CHECKOUT_REFUSED',
			category: 'usage',
			message: [
				`cannot check out ${target} (${reason})${shown === '' ? '' : `: ${shown}`}`,
				...(options.detail === undefined ? [] : [options.detail]),
				...status.slice(0, 10),
			].join('\n'),
			hint: options.hint ?? 'Nothing was changed. Commit, move or delete what is named, then run again.',
			data: { target, branchName: target, reason, paths: [...paths], status: [...status] },
		});
	}
}
