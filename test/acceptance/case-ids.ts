/**
 * Ids of the case lists beside the promises: behaviour facts (A), defects of an older system (D), tamper cases (T) and
 * field reports (E, L, G). Gaps in the numbering are theirs.
 */
const numbers = {
	A: '1-9 11-23 25-29 31-38 40-42 44-46 48-54 56-58 60-68 70-75 77-80 82-103 105-115 117-120 122-131 133 135-136 138-143 145-150 152-162 164-169 171-186 188-200',
	D: '1-14 16-22 24-27 29-33 35-38 41 43 45-49',
	T: '1-4 6 9 11 13 16-19 21-24 26-27 29 31-36 38-41 43-44 47-49 51 53-56 58-59 61-62 64 67-68 70-71 73-74 76-80 83-84 86-89 91 93-117 120-122 124-128 130-135',
	E: '1-4 6-9 11-14 16-19 21-24 26-29 31-34 36-39 41-44 46-49 51-54 56-59 61-64',
	L: '1-4 6-9 11-14 16-19 21-24 26-29 31-34 36-39',
	G: '1-4 6-9 11-14 16 18-19 21 23 27 29 31 33 36 38 41-43 47-49 51-53 56 58 62 64 68-69 72-73 76-79',
} as const;

export type CaseList = keyof typeof numbers;

/** Digits of the shortest number: `A1`, `T001`, `E01`. */
const digits: Readonly<Record<CaseList, number>> = { A: 1, D: 1, T: 3, E: 2, L: 2, G: 2 };

export const caseLists = Object.keys(numbers) as readonly CaseList[];

/** Every id of one list, in order. */
export function caseIds(list: CaseList): readonly string[] {
	return numbers[list].split(' ').flatMap((range) => {
		const [first = 0, last = first] = range.split('-').map(Number);
		return Array.from(
			{ length: last - first + 1 },
			(_, index) => list + String(first + index).padStart(digits[list], '0'),
		);
	});
}
