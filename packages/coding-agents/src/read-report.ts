import {
	type AgentReport,
	agentReportSchema,
	describeThrown,
	KapsoError,
	maxReportBytes,
} from '@kapso-evolve/contracts';
import { readBounded } from '@kapso-evolve/durable-fs';
import { z } from 'zod';
import { reportBlocks } from './report-block.ts';

export interface ReportSource {
	/** Where the agent was told to write. */
	readonly path: string;
	readonly nonce: string;
	/** What the agent printed, for agents that can only talk. */
	readonly answer?: string;
}

/** A report, or why there is none. `problem` is null when the agent never tried. */
export type ReportReading =
	| { readonly report: AgentReport; readonly problem: null }
	| { readonly report: null; readonly problem: string | null };

/** The report of an attempt, or null: see {@link findReport} for the reason. */
export async function readReport(source: ReportSource): Promise<AgentReport | null> {
	return (await findReport(source)).report;
}

/**
 * The file at `path` when it is a whole report of this attempt, else the last block of the answer that is one. The file
 * is the agent's: it is read without following links, regular files only, at most 1 MiB.
 */
export async function findReport(source: ReportSource): Promise<ReportReading> {
	const written = await readReportFile(source);
	if (written.report !== null) return written;
	let problem = written.problem;
	for (const block of reportBlocks(source.answer ?? '', source.nonce)) {
		const told = Buffer.byteLength(block) > maxReportBytes ? tooLarge : parseReport(block, source.nonce);
		if (told.report !== null) return told;
		problem ??= told.problem;
	}
	return { report: null, problem };
}

const tooLarge: ReportReading = { report: null, problem: `the report is larger than ${maxReportBytes} bytes` };

async function readReportFile({ path, nonce }: ReportSource): Promise<ReportReading> {
	let bytes: Buffer;
	try {
		bytes = await readBounded(path, { maxBytes: maxReportBytes });
	} catch (thrown) {
		if (KapsoError.isInstance(thrown) && thrown.code === 'FILE_MISSING') return { report: null, problem: null };
		// Whatever stands at that path is the agent's doing: a link, a folder, a FIFO, a file that may not be read.
		return { report: null, problem: `the report file was not read: ${describeThrown(thrown)}` };
	}
	try {
		return parseReport(new TextDecoder('utf-8', { fatal: true }).decode(bytes), nonce);
	} catch {
		return { report: null, problem: 'the report file is not UTF-8' };
	}
}

function parseReport(text: string, nonce: string): ReportReading {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch (thrown) {
		return { report: null, problem: `the report is not JSON: ${describeThrown(thrown)}` };
	}
	const parsed = agentReportSchema.safeParse(value);
	if (!parsed.success) return { report: null, problem: `the report was refused: ${z.prettifyError(parsed.error)}` };
	if (parsed.data.nonce !== nonce) return { report: null, problem: 'the report carries the nonce of another attempt' };
	return { report: parsed.data, problem: null };
}
