import { isAbsolute } from 'node:path';
import { canonicalJson, KapsoError, sha256 } from '@kapso-evolve/contracts';
import { agentNamespaceArgv, type RunResult, run } from '@kapso-evolve/process';
import type { AgentOutcome, AgentRequest, AgentStatus, CodingAgent } from './agent.ts';
import { agentEnvironment } from './agent-environment.ts';
import { createOutputTail } from './output-tail.ts';
import { findReport, type ReportReading } from './read-report.ts';
import { requireProgram } from './require-program.ts';

const maxTranscriptBytes = 1024 * 1024;

export interface CommandAgentOptions {
	/** Default `command`. */
	readonly name?: string;
	/** Program and arguments: an absolute path or a name on the request's `PATH`. Never given to a shell. */
	readonly command: readonly string[];
	/** Variables for every attempt. */
	readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Any executable as a coding agent (CONTRACTS 3): prompt on stdin, work in its clone, report in a file or in a block of
 * its answer. Throws `KapsoError` `AGENT_COMMAND` (usage) for a command that cannot be meant.
 */
export function createCommandAgent(options: CommandAgentOptions): CodingAgent {
	const { name = 'command', command, environment = {} } = options;
	const program = command[0] ?? '';
	if (program === '' || (program.includes('/') && !isAbsolute(program))) throw unusableCommand(command);
	return {
		name,
		version: `command ${sha256(canonicalJson(command)).slice(0, 16)}`,
		async run(request) {
			await requireProgram(program, request.path);
			const transcript = createOutputTail(maxTranscriptBytes);
			const answer = createOutputTail(maxTranscriptBytes);
			const result = await run({
				argv: agentNamespaceArgv(request.sandbox, command, request.view),
				cwd: request.folder,
				env: agentEnvironment(request, environment),
				stdin: request.prompt,
				deadlineMs: request.deadlineMs,
				runMarker: request.runId,
				...(request.signal && { signal: request.signal }),
				onOutput(stream, chunk) {
					transcript.push(chunk);
					if (stream === 'stdout') answer.push(chunk);
					tell(request, chunk);
				},
			});
			const reading = await findReport({ path: request.reportPath, nonce: request.nonce, answer: answer.text() });
			return toOutcome(request, result, reading, transcript.text());
		},
	};
}

function toOutcome(request: AgentRequest, result: RunResult, reading: ReportReading, transcript: string): AgentOutcome {
	const [status, reason] = judge(request, result, reading);
	return {
		status,
		report: reading.report,
		exitCode: result.exitCode,
		reason,
		costUsd: reading.report?.cost_usd ?? null,
		sessionId: reading.report?.session_id ?? null,
		model: reading.report?.model ?? null,
		transcript,
		durationMs: result.wallMs,
	};
}

function judge(request: AgentRequest, result: RunResult, reading: ReportReading): [AgentStatus, string | null] {
	if (result.status === 'aborted') return ['aborted', 'the attempt was interrupted'];
	if (result.status === 'timed-out') return ['timed-out', `the deadline of ${request.deadlineMs / 1000} s passed`];
	if (result.status === 'limit-exceeded') return ['failed', `the limit of ${result.limit} was passed`];
	if (result.signalName !== null) return ['failed', `ended by ${result.signalName}${lastWords(result)}`];
	if (result.exitCode !== 0) return ['failed', `exit ${result.exitCode}${lastWords(result)}`];
	if (reading.report === null) return ['no-report', reading.problem ?? 'the agent left no report'];
	return ['reported', null];
}

/** The last line of stderr: usually the one that says what went wrong. */
function lastWords(result: RunResult): string {
	const line = result.stderr.trimEnd().split('\n').at(-1)!.trim();
	return line === '' ? '' : `: ${line.slice(0, 500)}`;
}

function tell(request: AgentRequest, chunk: Uint8Array): void {
	try {
		request.onActivity?.(Buffer.from(chunk).toString('utf8'));
	} catch {
		// an observer that fails must not cost a paid attempt
	}
}

function unusableCommand(command: readonly string[]): KapsoError {
	return new KapsoError({
		code: 'AGENT_COMMAND',
		category: 'usage',
		message: `The agent command ${JSON.stringify(command)} must start with an absolute path or a name on PATH.`,
		hint: 'A relative path would be looked for in the candidate. Give the absolute path.',
		data: { command },
	});
}
