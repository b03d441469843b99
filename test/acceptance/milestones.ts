/** The parts that the promises are counted by: the roadmap's nine, the datasets of document 002, and what spans all. */
export const milestones = {
	M1: 'workspace and Git safety',
	M2: 'optional repository memory',
	M3: 'resumable evolution',
	M4: 'external iteration evaluation',
	M5: 'evaluation integrity',
	M6: 'Claude Code authentication modes',
	M7: 'capability-aware gates',
	M8: 'model routing and retry',
	M9: 'parent-selection policies',
	dataset: 'pinned evaluation datasets',
	program: 'goals, non-goals, compatibility, testing policy, rejected behaviours',
	card: 'the design card',
} as const;

export type Milestone = keyof typeof milestones;
