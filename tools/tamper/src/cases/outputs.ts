import type { TamperCase } from '../case.ts';
import { atEnd } from '../language.ts';
import { answersFile } from '../suite.ts';
import { each } from './plan.ts';

const trick = (name: string, script: string): TamperCase[] =>
	each({
		...{ name: `leaves ${name}`, ids: 'T133', expect: 'REJ', needsRun: true, needsSandbox: true },
		change: (language) =>
			atEnd(language, `cd "$KAPSO_OUTPUTS_DIR" && ${script.replaceAll('ANSWERS', answersFile(language))}`),
	});

/** What a scorer would follow, or choke on. */
export const outputCases: readonly TamperCase[] = [
	...each({
		...{ name: 'leaves a link to the labels', ids: 'T133 E41', expect: 'REJ', needsRun: true, needsSandbox: true },
		change: (language) =>
			atEnd(
				language,
				// A list of numbers, a line each, is what the shell's scorer reads; the others get there by a file they can parse.
				language === 'shell'
					? 'cd "$KAPSO_OUTPUTS_DIR" && rm -f answers.txt && ln -s /kapso/data/labels.txt answers.txt'
					: 'cd "$KAPSO_OUTPUTS_DIR" && mv answers.json real.json && ln -s real.json answers.json',
			),
	}),
	...trick('a link to a folder', 'ln -s / all'),
	...trick('a link deep in a folder', 'mkdir -p a/b && ln -s ../../.. a/b/c'),
	...trick('a hard link', 'ln ANSWERS again'),
	...trick('a named pipe', 'rm -f ANSWERS && mkfifo ANSWERS'),
	...trick('a sparse bomb', 'truncate -s 900M bomb'),
	...trick('more bytes than allowed', 'head -c 6000000 /dev/zero > much'),
	...trick('more files than allowed', 'i=0; while [ $i -lt 150 ]; do : > f$i; i=$((i + 1)); done'),
	...trick('a million files', 'mkdir m && cd m && seq -f f%.0f 1000000 | xargs touch'),
	...trick('a name that is not UTF-8', 'touch "$(printf "a\\\\377b")"'),
	...trick('folders without end', 'i=0; while [ $i -lt 150 ]; do mkdir d && cd d || break; i=$((i + 1)); done'),
	...trick('a folder in place of the answers', 'rm -f ANSWERS && mkdir ANSWERS'),
	...trick('a socket', 'python3 -c "import socket; socket.socket(socket.AF_UNIX).bind(\\"s\\")"'),
];
