import { WorkspaceCheckoutError } from './checkout-error.ts';
import { unknownRef } from './references.ts';
import type { Repository } from './repository.ts';
import { findTarget, safeSwitch } from './safe-switch.ts';

/** Checks out the best candidate; a branch that no longer is at its recorded commit is refused, never followed. */
export async function checkoutBest(
	repository: Repository,
	best: { readonly branch: string; readonly commit: string },
): Promise<{ ref: string; commit: string }> {
	const target = await findTarget(repository, best.branch);
	if (target.branch === null) throw unknownRef(best.branch);
	if (target.commit !== best.commit) {
		throw new WorkspaceCheckoutError({
			target: best.branch,
			reason: 'branch-moved',
			paths: [],
			status: [],
			detail: `the branch is at ${target.commit}; the candidate is ${best.commit}`,
			hint: `Nothing was changed. \`git branch best-candidate ${best.commit}\` names the candidate again.`,
		});
	}
	await safeSwitch(repository, target);
	return { ref: best.branch, commit: best.commit };
}
