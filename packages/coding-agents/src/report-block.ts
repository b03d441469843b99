/**
 * The report of an agent that can only talk: in its answer,
 *
 *     <kapso_report nonce="NONCE">{"schema_version":1,"nonce":"NONCE","summary":"…"}</kapso_report>
 *
 * with the attempt's own nonce twice: in the tag, where it makes the block findable, and in the JSON. A quoted log, an
 * older attempt or an echoed template carries another nonce or none and is not even looked at. Inside the JSON the
 * closing tag is written `<\/kapso_report>`.
 */
const closing = '</kapso_report>';
const opening = (nonce: string): string => `<kapso_report nonce="${nonce}">`;

/** Bodies of the complete blocks of this attempt, the last one first. */
export function* reportBlocks(answer: string, nonce: string): Generator<string> {
	const tag = opening(nonce);
	let end = answer.length;
	for (let start = answer.lastIndexOf(tag); start >= 0; start = answer.lastIndexOf(tag, start - 1)) {
		const rest = answer.slice(start + tag.length, end);
		const close = rest.indexOf(closing);
		if (close >= 0) yield rest.slice(0, close);
		if (start === 0) return; // a negative position would be taken for 0 again
		end = start;
	}
}

/**
 * Text for a prompt that tells an agent how to report. It names the nonce, yet an agent that echoes the whole text has
 * reported nothing: the template's nonce is a placeholder.
 */
export function reportInstructions(nonce: string): string {
	return [
		'When you are done, report once. If you can write files, write this JSON to the path in KAPSO_REPORT_PATH:',
		'{"schema_version": 1, "nonce": "<NONCE>", "summary": "what you changed and why"}',
		'Optional keys: score (a number you measured), evaluation_output, technical_difficulties, cost_usd.',
		'If you can only answer in words, end your answer with the same JSON in one block:',
		'<kapso_report nonce="<NONCE>">{…}</kapso_report>',
		`Put this in both places of <NONCE>: ${nonce}`,
	].join('\n');
}
