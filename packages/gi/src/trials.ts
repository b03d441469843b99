import type { TryAnswer } from './try-command.ts';
import type { TunableFolder } from './tunable-folder.ts';

/** One text for each tunable literal, and what a trial said about them. */
export interface Measured {
	readonly texts: readonly string[];
	/** Lower is better, whatever the objective; infinite without a score. */
	readonly cost: number;
	readonly score: number | null;
	readonly feedback: string;
}

export interface Trials {
	/** Puts the texts into the files and asks, once for each text. Null: there are no more trials. */
	measure(texts: readonly string[]): Promise<Measured | null>;
	isKnown(texts: readonly string[]): boolean;
	readonly open: boolean;
	readonly count: number;
	/** The best so far, the later one of equals. */
	readonly best: Measured;
	/** Why trials ended before the budget, or null. */
	readonly trouble: string | null;
}

/** Trials in a row without an answer after which the command, and not the candidates, is at fault. */
const patience = 3;

export function createTrials(options: {
	readonly folder: TunableFolder;
	readonly budget: number;
	/** Scores the folder as it stands. */
	readonly attempt: () => Promise<TryAnswer>;
	readonly signal?: AbortSignal;
	readonly onTrial?: (trial: number, score: number | null, best: number | null) => void;
}): Trials {
	const known = new Map<string, Measured>();
	let best = unscored(options.folder.tunables.map(({ text }) => text));
	let count = 0;
	let left = options.budget;
	let unanswered = 0;
	let trouble: string | null = null;
	const isOpen = () => left > 0 && options.signal?.aborted !== true;

	return {
		get open() {
			return isOpen();
		},
		get count() {
			return count;
		},
		get best() {
			return best;
		},
		get trouble() {
			return trouble;
		},
		isKnown: (texts) => known.has(keyOf(texts)),
		async measure(texts) {
			const seen = known.get(keyOf(texts));
			if (seen) return seen;
			if (!isOpen()) return null;
			await options.folder.write(texts);
			const answer = await options.attempt();
			if (answer.status === 'ended') {
				left = 0;
				return null;
			}
			count += 1;
			left -= 1;
			if (answer.status === 'answered') {
				unanswered = 0;
				if (answer.remaining !== null) left = Math.min(left, answer.remaining);
			} else {
				unanswered += 1;
				if (unanswered >= patience) {
					trouble = answer.reason;
					left = 0;
				}
			}
			const measured = judged(texts, answer);
			known.set(keyOf(texts), measured);
			if (measured.score !== null && measured.cost <= best.cost) best = measured;
			options.onTrial?.(count, measured.score, best.score);
			return measured;
		},
	};
}

function keyOf(texts: readonly string[]): string {
	return texts.join('\n');
}

function unscored(texts: readonly string[], feedback = ''): Measured {
	return { texts, cost: Number.POSITIVE_INFINITY, score: null, feedback };
}

/** A trial that crashed, or gave no finite number, is worse than every score. */
function judged(texts: readonly string[], answer: TryAnswer): Measured {
	if (answer.status !== 'answered') return unscored(texts);
	const { score, feedback, objective } = answer;
	if (score === null || !Number.isFinite(score)) return unscored(texts, feedback);
	return { texts, cost: objective === 'maximize' ? -score : score, score, feedback };
}
