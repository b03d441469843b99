/** Numbers as a person reads them: six significant digits, no trailing zeros. */
export function formatNumber(value: number | null): string {
	if (value === null) return '–';
	if (!Number.isFinite(value)) return String(value);
	if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
	return String(Number(value.toPrecision(6)));
}

/** `$0.00`, `$0.0042`, `$1.20 or more` where some cost is not known. */
export function formatCost(usd: number, unknown = false): string {
	const digits = usd > 0 && usd < 0.01 ? 4 : 2;
	return `$${usd.toFixed(digits)}${unknown ? ' or more' : ''}`;
}

/** `41.2 s`, `3 min 05 s`, `2 h 07 min`. */
export function formatSeconds(seconds: number): string {
	if (seconds < 60) return `${seconds.toFixed(1)} s`;
	const whole = Math.round(seconds);
	const two = (value: number) => String(value).padStart(2, '0');
	if (whole < 3600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`;
	return `${Math.floor(whole / 3600)} h ${two(Math.floor((whole % 3600) / 60))} min`;
}

/** How far `to` is from `from`, as a signed percentage; empty where that says nothing. */
export function formatChange(from: number | null, to: number | null): string {
	if (from === null || to === null || from === 0) return '';
	const percent = ((to - from) / Math.abs(from)) * 100;
	return `${percent >= 0 ? '+' : '−'}${Math.abs(percent).toFixed(1)} %`;
}

/** Columns padded to the widest cell; the last one is left as it is. */
export function formatTable(rows: readonly (readonly string[])[]): string {
	const widths: number[] = [];
	for (const row of rows)
		for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
	return rows
		.map((row) =>
			row
				.map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index]!)))
				.join('  ')
				.trimEnd(),
		)
		.join('\n');
}

/** A word of a shell that means exactly this text: for commands that people copy. */
export function shellWord(text: string): string {
	return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
