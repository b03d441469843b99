import { join } from 'node:path';
import { createRepository, writeFiles } from '@kapso-evolve/testkit';

/** A problem that costs next to nothing: shell scripts as agent, run phase and scorer. */
export interface Scenario {
	readonly name: string;
	readonly folder: string;
	readonly output: string;
	readonly options: Readonly<Record<string, unknown>>;
}

const suite = {
	'kapso.evaluation.yaml':
		'version: 1\nrun: {command: [sh, run.sh], files: [run.sh]}\nscore: {command: [sh, score.sh]}\n',
	'run.sh': 'cp "$KAPSO_CANDIDATE_DIR/value.txt" "$KAPSO_OUTPUTS_DIR/value.txt"\n',
	'score.sh':
		'printf \'{"schema_version":1,"valid":true,"score":%s}\' "$(cat "$KAPSO_OUTPUTS_DIR/value.txt")" > "$KAPSO_RESULT_PATH"\n',
};

/** Each candidate is its own number: what it must be afterwards is known beforehand. */
const agent = `branch=$(basename "$(dirname "$KAPSO_REPORT_PATH")")
number=$(printf %s "$branch" | sed 's/^generic_exp_//; s/_a.*$//')
cat > /dev/null
printf '%s\\n' "$((number + 2))" > value.txt
printf '{"schema_version":1,"nonce":"%s","summary":"candidate %s","cost_usd":0.5}' "$KAPSO_NONCE" "$number" > "$KAPSO_REPORT_PATH"
`;

export async function createScenario(folder: string, lanes: number): Promise<Scenario> {
	const output = join(folder, 'campaign');
	await createRepository(join(folder, 'seed'), { 'value.txt': '1\n', 'README.md': 'a number\n' });
	await writeFiles(folder, Object.fromEntries(Object.entries(suite).map(([name, text]) => [`suite/${name}`, text])));
	await writeFiles(folder, { 'agent.sh': agent });
	return {
		name: `${lanes} lane${lanes === 1 ? '' : 's'}`,
		folder,
		output,
		options: {
			goal: 'a larger number',
			outputPath: output,
			workDir: join(folder, 'state'),
			initialRepo: join(folder, 'seed'),
			evalDir: join(folder, 'suite'),
			agent: 'command',
			agentCommand: ['sh', join(folder, 'agent.sh')],
			maxIterations: lanes === 1 ? 3 : 1,
			parallel: lanes,
			trialBudget: 0,
		},
	};
}
