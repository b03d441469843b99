import type { FileContent } from '@kapso-evolve/testkit';
import type { Language } from './language.ts';

type Files = Readonly<Record<string, FileContent>>;

/** `apart`: the candidate runs, then the scorer scores what it left. `together`: the scorer loads the candidate. */
export type Shape = 'apart' | 'together';

export const inputs = [2, 3, 4, 5, 6, 7, 8, 9];
export const labels = inputs.map((n) => n * n);
const lines = (values: readonly number[]): string => values.map((value) => `${value}\n`).join('');

/** `kapso_datasets` of the caller: what is right. Protected, and never shown to a run phase. */
export const dataFiles: Files = { 'labels.txt': lines(labels) };
/** A lock file outside of the suite that the suite protects. */
export const lockedFile = 'locked.txt';

const program: Readonly<Record<Language, string>> = { node: 'node', python: 'python3', shell: 'sh' };
const end: Readonly<Record<Language, string>> = { node: 'mjs', python: 'py', shell: 'sh' };
export const scorerFile = (language: Language): string => `score.${end[language]}`;
export const helperFile = (language: Language): string => `helper.${end[language]}`;
/** What the run phase leaves for the scorer. */
export const answersFile = (language: Language): string => (language === 'shell' ? 'answers.txt' : 'answers.json');

/**
 * A suite as people write them: it tolerates a little, it divides by the number of answers that it got, and it leaves a
 * scratch file in the temporary folder. What a careless scorer leaves open, the engine has to close.
 */
export function suiteFiles(language: Language, shape: Shape): Files {
	const scorer = scorerFile(language);
	const driver = `driver.${end[language]}`;
	const run = `run: {command: [${program[language]}, ${driver}], files: [${driver}, inputs.txt], timeout_seconds: 10}\n`;
	return {
		'kapso.evaluation.yaml': `version: 1
cases: ${inputs.length}
metrics: [right]
${shape === 'apart' ? run : ''}score: {command: [${program[language]}, ${scorer}], timeout_seconds: 10}
artifacts: ['plots/**']
protected_paths: [${lockedFile}]
limits: {cpu_seconds: 4, memory_mb: 1024, processes: 40, output_mb: 4, output_files: 100}
`,
		'inputs.txt': lines(inputs),
		'tolerance.txt': '0\n',
		[helperFile(language)]: helper[language],
		...(shape === 'apart'
			? { [driver]: drivers[language], [scorer]: scorers[language] }
			: { [scorer]: loaders[language] }),
	};
}

const helper: Readonly<Record<Language, string>> = {
	node: `export const isRight = (answer, label, tolerance) => typeof answer === 'number' && Math.abs(answer - label) <= tolerance;\n`,
	python: `import numbers
def is_right(answer, label, tolerance):
    return isinstance(answer, numbers.Number) and abs(answer - label) <= tolerance
`,
	shell: `is_right() {
	case $1 in '' | *[!0-9]*) return 1 ;; esac
	difference=$(($1 - $2))
	[ "\${difference#-}" -le "$3" ]
}
`,
};

const drivers: Readonly<Record<Language, string>> = {
	node: `import { readFileSync, writeFileSync } from 'node:fs';
const { solve } = await import('file://' + process.env.KAPSO_CANDIDATE_DIR + '/solve.js');
const answers = readFileSync('inputs.txt', 'utf8').trim().split('\\n').map((n) => solve(Number(n)));
writeFileSync(process.env.KAPSO_OUTPUTS_DIR + '/answers.json', JSON.stringify(answers));
`,
	python: `import json, os, sys
sys.path.insert(0, os.environ['KAPSO_CANDIDATE_DIR'])
from solve import solve
answers = [solve(int(line)) for line in open('inputs.txt')]
json.dump(answers, open(os.environ['KAPSO_OUTPUTS_DIR'] + '/answers.json', 'w'))
`,
	shell: `. "$KAPSO_CANDIDATE_DIR/solve.sh"
while read -r case_input; do solve "$case_input"; done < inputs.txt > "$KAPSO_OUTPUTS_DIR/answers.txt"
`,
};

const result = '{"schema_version":1,"valid":true,"score":%.6f,"metrics":{"right":%d},"cases":%d}';

const scorers: Readonly<Record<Language, string>> = {
	node: `import { readFileSync, writeFileSync } from 'node:fs';
import { isRight } from './helper.mjs';
const numbers = (path) => readFileSync(path, 'utf8').trim().split('\\n').map(Number);
const labels = numbers(process.env.KAPSO_DATA_DIR + '/labels.txt');
const [tolerance] = numbers('tolerance.txt');
const answers = JSON.parse(readFileSync(process.env.KAPSO_OUTPUTS_DIR + '/answers.json', 'utf8'));
writeFileSync(process.env.TMPDIR + '/labels-cache.txt', labels.join('\\n'));
const right = answers.filter((answer, index) => isRight(answer, labels[index], tolerance)).length;
const result = { schema_version: 1, valid: true, score: right / answers.length, metrics: { right }, cases: answers.length };
writeFileSync(process.env.KAPSO_RESULT_PATH, JSON.stringify(result));
`,
	python: `import json, os
from helper import is_right
labels = [int(line) for line in open(os.environ['KAPSO_DATA_DIR'] + '/labels.txt')]
tolerance = float(open('tolerance.txt').read())
answers = json.load(open(os.environ['KAPSO_OUTPUTS_DIR'] + '/answers.json'))
open(os.environ['TMPDIR'] + '/labels-cache.txt', 'w').write('\\n'.join(map(str, labels)))
right = sum(1 for answer, label in zip(answers, labels) if is_right(answer, label, tolerance))
result = {'schema_version': 1, 'valid': True, 'score': right / len(answers), 'metrics': {'right': right}, 'cases': len(answers)}
json.dump(result, open(os.environ['KAPSO_RESULT_PATH'], 'w'))
`,
	shell: `. ./helper.sh
exec 3< "$KAPSO_DATA_DIR/labels.txt"
read -r tolerance < tolerance.txt
cp "$KAPSO_DATA_DIR/labels.txt" "$TMPDIR/labels-cache.txt"
right=0 total=0
while read -r answer && read -r label <&3; do
	total=$((total + 1))
	if is_right "$answer" "$label" "$tolerance"; then right=$((right + 1)); fi
done < "$KAPSO_OUTPUTS_DIR/answers.txt"
awk -v right=$right -v total=$total 'BEGIN { printf "${result.replaceAll('"', '\\"')}", right / total, right, total }' > "$KAPSO_RESULT_PATH"
`,
};

/** Started from the suite's folder by the engine, or from the root of the repository by an agent: both are usual. */
const loaders: Readonly<Record<Language, string>> = {
	node: `import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isRight } from './helper.mjs';
const { KAPSO_CANDIDATE_DIR: candidate = process.cwd(), KAPSO_DATA_DIR: data = join(candidate, 'kapso_datasets') } = process.env;
const here = import.meta.dirname;
const { KAPSO_RESULT_PATH: resultPath = join(here, 'result.json') } = process.env;
const numbers = (path) => readFileSync(path, 'utf8').trim().split('\\n').map(Number);
const labels = numbers(join(data, 'labels.txt'));
const [tolerance] = numbers(join(here, 'tolerance.txt'));
const { solve } = await import('file://' + join(candidate, 'solve.js'));
const answers = numbers(join(here, 'inputs.txt')).map((n) => solve(n));
const right = answers.filter((answer, index) => isRight(answer, labels[index], tolerance)).length;
const result = { schema_version: 1, valid: true, score: right / answers.length, metrics: { right }, cases: answers.length };
writeFileSync(resultPath, JSON.stringify(result));
`,
	python: `import json, os, sys
here = os.path.dirname(os.path.abspath(__file__))
candidate = os.environ.get('KAPSO_CANDIDATE_DIR', os.getcwd())
data = os.environ.get('KAPSO_DATA_DIR', os.path.join(candidate, 'kapso_datasets'))
result_path = os.environ.get('KAPSO_RESULT_PATH', os.path.join(here, 'result.json'))
sys.path.insert(0, candidate)
from helper import is_right
from solve import solve
def main():
    labels = [int(line) for line in open(os.path.join(data, 'labels.txt'))]
    tolerance = float(open(os.path.join(here, 'tolerance.txt')).read())
    answers = [solve(int(line)) for line in open(os.path.join(here, 'inputs.txt'))]
    right = sum(1 for answer, label in zip(answers, labels) if is_right(answer, label, tolerance))
    result = {'schema_version': 1, 'valid': True, 'score': right / len(answers), 'metrics': {'right': right}, 'cases': len(answers)}
    json.dump(result, open(result_path, 'w'))
main()
`,
	shell: `here=$(cd "$(dirname "$0")" && pwd)
candidate=\${KAPSO_CANDIDATE_DIR:-$PWD}
data=\${KAPSO_DATA_DIR:-$candidate/kapso_datasets}
result_path=\${KAPSO_RESULT_PATH:-$here/result.json}
. "$here/helper.sh"
read -r tolerance < "$here/tolerance.txt"
. "$candidate/solve.sh"
exec 3< "$data/labels.txt"
right=0 total=0
while read -r case_input && read -r label <&3; do
	total=$((total + 1))
	answer=$(solve "$case_input")
	if is_right "$answer" "$label" "$tolerance"; then right=$((right + 1)); fi
done < "$here/inputs.txt"
awk -v right=$right -v total=$total 'BEGIN { printf "${result.replaceAll('"', '\\"')}", right / total, right, total }' > "$result_path"
`,
};
