// The program behind KAPSO_TRY: asks the engine to score the working tree and prints its answer, one JSON line.
// No imports of ours: it starts in the agent's clone, from source as well as built.
import { connect } from 'node:net';

const socket = connect(process.argv[2]!);
let answer = '';
socket.setEncoding('utf8');
socket.on('data', (text: string) => {
	answer += text;
});
socket.on('error', (error) => {
	process.stderr.write(`KAPSO_TRY: the engine does not answer (${error.message}); the attempt may be over\n`);
	process.exit(3);
});
socket.on('end', () => {
	process.stdout.write(answer);
	process.exitCode = answer.includes('"outcome":"budget-used"') ? 4 : 0;
});
