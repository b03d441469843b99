/**
 * bubblewrap tells on a descriptor of its own how far it came, so that "the sandbox could not be made" and "the program
 * failed" stay two different results although both exit with 1. The program inside does not get that descriptor.
 */
export const statusDescriptor = 3;

export const statusArguments: readonly string[] = ['--json-status-fd', `${statusDescriptor}`];

/** Also when the sandbox is started through another program, such as one that sets limits first. */
export function reportsStatus(argv: readonly string[]): boolean {
	const at = argv.indexOf(statusArguments[0]!);
	return at > 0 && argv[at + 1] === statusArguments[1];
}

/** It writes the exit code only of a program that it has really started. */
export function hasStarted(status: string): boolean {
	return status.includes('"exit-code"');
}
