/** One of the two output streams of a program. */
export interface Output {
	write(text: string): void;
	readonly isTerminal: boolean;
	readonly stream: NodeJS.WriteStream;
	/** Columns of the terminal; 80 where there is none. */
	columns(): number;
	/** Resolves once everything written has left the process, or the reader is gone. */
	drained(): Promise<void>;
}

/** Everything of the process that a command may touch: nothing else here reads `process`. */
export interface Terminal {
	/** Results. */
	readonly stdout: Output;
	/** Progress, logs and errors. */
	readonly stderr: Output;
	readonly environment: Readonly<Record<string, string | undefined>>;
	readonly workingFolder: string;
}

export function openTerminal(): Terminal {
	return {
		stdout: openOutput(process.stdout),
		stderr: openOutput(process.stderr),
		environment: process.env,
		workingFolder: process.cwd(),
	};
}

/** A reader that goes away (`| head`) ends the output and nothing else: a campaign is worth more than its log. */
function openOutput(stream: NodeJS.WriteStream): Output {
	let open = true;
	stream.on('error', () => {
		open = false;
	});
	return {
		stream,
		isTerminal: stream.isTTY === true,
		columns: () => stream.columns ?? 80,
		write(text) {
			if (open) stream.write(text);
		},
		drained: () =>
			new Promise((resolve) => {
				if (!open) return resolve();
				stream.once('error', () => resolve());
				stream.write('', () => resolve());
			}),
	};
}
