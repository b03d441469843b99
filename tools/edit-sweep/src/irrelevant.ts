/** Files that no claim rests on, and why; paths relative to the campaign folder. */
const reasons: readonly (readonly [RegExp, string])[] = [
	[/^(?!\.git\/|\.kapso\/)/, 'the checked-out tree is a copy: claims are about commits'],
	[
		/^\.git\/(refs\/heads\/main|packed-refs)$/,
		'names; those of candidates are checked one by one, the others are anybody’s to move',
	],
	[/^\.git\/(index|ORIG_HEAD|HEAD|config|description|COMMIT_EDITMSG|FETCH_HEAD)$/, 'local state of a work tree'],
	[/^\.git\/(logs|info|hooks|branches)\//, 'local notes and rules of a work tree'],
	[/^\.git\/kapso\//, 'intent records of the safe switch'],
	[/^\.git\/refs\/kapso\//, 'what agents committed beside their final tree: kept, not claimed'],
	[/^\.git\/objects\/pack\/.*\.(rev|bitmap)$/, 'an index that Git can make again'],
	[/^\.kapso\/(lock|progress\.json|campaign\.json|switch\.json)$/, 'who holds the campaign, and where it was'],
	[/^\.kapso\/signatures\.jsonl$/, 'vouches only when a key is pinned, and then each one is checked'],
];

export function whyIrrelevant(path: string): string | null {
	return reasons.find(([pattern]) => pattern.test(path))?.[1] ?? null;
}
