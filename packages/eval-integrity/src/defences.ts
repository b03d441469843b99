/**
 * What stands between a candidate and a better score than its program earns, one name each. The public functions always
 * have all of them. `./testing` can leave one out, so that each can be seen to matter.
 */
export const defenceNames = [
	// verifyCandidate
	...(['provided-bytes', 'provided-modes', 'provided-presence', 'new-files', 'links', 'spellings'] as const),
	...(['data-folder', 'protected-paths'] as const),
	// evaluate
	...([
		'shown-files',
		'empty-environment',
		'network',
		'process-namespace',
		'private-temporaries',
		'suite-cwd',
	] as const),
	...(['output-kinds', 'limits', 'case-count', 'exit-status'] as const),
] as const;
export type Defence = (typeof defenceNames)[number];

/** Whether a defence holds. */
export type Defences = (defence: Defence) => boolean;

export const everyDefence: Defences = () => true;
