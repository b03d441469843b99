import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalJson, KapsoError, sha256 } from '@kapso-evolve/contracts';
import { captureSuite, evaluate, verifyCandidate } from '@kapso-evolve/eval-integrity';
import { writeFiles } from '@kapso-evolve/testkit';
import type { AgentClone } from '@kapso-evolve/workspace-git';
import { type Arena, openArena, type Place } from './arena.ts';
import { isHidden, realSteps, type Steps } from './steps.ts';

export interface RaceReport {
	/** Rounds that went all the way to a score. */
	rounds: number;
	/** Rounds in which the files could not become a candidate, or the suite in them was hit. */
	refused: number;
	/** Rounds in which other bytes ran than those of the digest that was recorded. */
	mismatches: number;
	/** Different candidates among the rounds: an attack that changes nothing shows nothing. */
	distinct: number;
	/** The same with the live folder copied in place of the commit: what the rounds would see if it happened. */
	control: { rounds: number; mismatches: number };
}

/** The candidate's own files, as the run phase finds them: modes, hashes of bytes, links by their targets. */
const listing = `cd "$KAPSO_CANDIDATE_DIR"
find . -type f -printf 'mode %m %P\\n' > "$KAPSO_OUTPUTS_DIR/seen.txt"
find . -type f -printf '%P\\0' | xargs -0 -r sha256sum >> "$KAPSO_OUTPUTS_DIR/seen.txt"
find . -type l -printf 'link %l %P\\n' >> "$KAPSO_OUTPUTS_DIR/seen.txt"
`;
const suite = {
	'kapso.evaluation.yaml':
		'version: 1\nrun: {command: [sh, list.sh], files: [list.sh]}\nscore: {command: [sh, score.sh]}\n',
	'list.sh': listing,
	'score.sh': 'printf \'{"schema_version":1,"valid":true,"score":1}\' > "$KAPSO_RESULT_PATH"\n',
};

/** Renames, links, truncates, rewrites and memory-maps the files of a folder until it is ended. */
const attacker = `import mmap, os, random, sys, time
os.chdir(sys.argv[1])
names = ['a%d.txt' % i for i in range(8)]
def write(name):
    with open(name, 'wb') as f:
        f.write(bytes([random.randrange(97, 123)]) * random.choice([1, 100, 5000]))
def mapped(name):
    with open(name, 'r+b') as f:
        with mmap.mmap(f.fileno(), 0) as m:
            m[0:1] = bytes([random.randrange(97, 123)])
            m[len(m) - 1:] = bytes([random.randrange(97, 123)])
def linked(name):
    os.symlink(random.choice(names), name + '~')
    os.replace(name + '~', name)
def hard(name):
    os.link(random.choice(names), name + '~')
    os.replace(name + '~', name)
def folder(name):
    os.rename(name, name + '~')
    os.mkdir(name)
    os.rmdir(name)
    os.rename(name + '~', name)
def cut(name):
    os.truncate(name, random.choice([0, 1, 50]))
def swap(name):
    os.rename(name, 'swap~')
    os.rename(random.choice(names), name)
    os.rename('swap~', random.choice(names))
def gone(name):
    os.unlink(name)
    write(name)
print('ready', flush=True)
while True:
    name = random.choice(names)
    try:
        random.choice([write, mapped, mapped, linked, hard, folder, cut, swap, gone])(name)
    except (OSError, ValueError):
        try:
            os.path.isdir(name) and os.rmdir(name)
            os.path.lexists(name) or write(name)
        except OSError:
            pass
    time.sleep(random.random() * 0.004)
`;

export async function race(options: { readonly place: Place; readonly rounds: number }): Promise<RaceReport> {
	const { place, rounds } = options;
	const report: RaceReport = {
		rounds: 0,
		refused: 0,
		mismatches: 0,
		distinct: 0,
		control: { rounds: 0, mismatches: 0 },
	};
	const arena = await openRaceArena(place);
	const digests = new Set<string>();
	try {
		const lane = async (number: number): Promise<void> => {
			await using clone = await attackedClone(arena, number);
			for (let tries = 0; report.rounds < rounds && tries < 3 * rounds; tries++) {
				const ended = await round(arena, clone, `race_${number}_${tries}`, realSteps);
				if (ended === null) report.refused++;
				else {
					report.rounds++;
					if (!ended.exact) report.mismatches++;
					digests.add(ended.digest);
				}
			}
			for (let tries = 0; report.control.rounds < Math.min(40, rounds) && tries < 100; tries++) {
				const ended = await round(arena, clone, `control_${number}_${tries}`, { ...realSteps, write: copyLive });
				if (ended === null) continue;
				report.control.rounds++;
				if (!ended.exact) report.control.mismatches++;
			}
		};
		await Promise.all([lane(0), lane(1)]);
	} finally {
		await arena.workspace.close();
	}
	return { ...report, distinct: digests.size };
}

/** What an engine would do that trusts the folder to stay as it was judged. */
const copyLive: Steps['write'] = async (_, { clone }, to) => {
	const filter = (from: string): boolean => !isHidden(from.slice(clone.folder.length + 1));
	await cp(clone.folder, to, { recursive: true, verbatimSymlinks: true, filter });
};

async function openRaceArena(place: Place): Promise<Arena> {
	const folder = join(place.folder, 'race');
	await mkdir(folder);
	const arena = await openArena({ ...place, folder }, { language: 'shell', level: 'sealed', shape: 'apart' });
	await writeFiles(join(folder, 'listing'), suite);
	const listingSuite = await captureSuite({
		from: join(folder, 'listing'),
		to: join(folder, 'listed'),
		visibility: 'private',
	});
	return { ...arena, suite: listingSuite };
}

async function attackedClone(arena: Arena, number: number): Promise<AgentClone & AsyncDisposable> {
	const folder = join(arena.folder, 'clones', `race-${number}`);
	const clone = await arena.workspace.createAgentClone({ commit: arena.parent, folder });
	await writeFiles(
		folder,
		Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`a${index}.txt`, `${index}\n`])),
	);
	const child = spawn('python3', ['-c', attacker, folder], {
		stdio: ['ignore', 'pipe', 'inherit'],
		env: { PATH: arena.path },
	});
	await once(child.stdout, 'data');
	return {
		...clone,
		async [Symbol.asyncDispose]() {
			const gone = once(child, 'exit');
			child.kill('SIGKILL');
			await gone;
		},
	};
}

/** Null: no candidate, or not a valid one. */
async function round(
	arena: Arena,
	clone: AgentClone,
	branch: string,
	steps: Steps,
): Promise<{ readonly exact: boolean; readonly digest: string } | null> {
	const { workspace, suite: listed, data, parent, sandbox, path, programHashes } = arena;
	const workFolder = join(arena.folder, 'work', branch);
	try {
		const made = await workspace.finalise({ clone, parentCommit: parent, branch, message: branch });
		if (made.status === 'no-change') return null;
		const { commit, treeDigest } = made;
		const verdict = await verifyCandidate({
			tree: workspace.candidateTree(commit),
			suite: listed,
			data,
			level: 'sealed',
		});
		if (!verdict.valid) return null;
		const candidateFolder = join(workFolder, 'candidate');
		await mkdir(join(workFolder, 'work'), { recursive: true });
		await steps.write(arena, { arena, clone, commit, branch }, candidateFolder);
		const record = await evaluate({
			...{ suite: listed, data, level: 'sealed', sandbox, path, programHashes, candidateFolder },
			workFolder: join(workFolder, 'work'),
			nodeProgram: process.execPath,
			environment: {},
		});
		if (record.outcome !== 'scored') throw new Error(`a round gave no score: ${record.code} ${record.error}`);
		const seen = await readFile(join(workFolder, 'work', 'repeat-1', 'run', 'collected', 'seen.txt'), 'utf8');
		return { exact: (await digestOf(arena, commit, seen)) === treeDigest, digest: treeDigest };
	} catch (thrown) {
		if (KapsoError.isInstance(thrown) && thrown.category === 'verdict') return null;
		// The control copies a folder under its feet.
		if (steps !== realSteps && (thrown as NodeJS.ErrnoException).syscall !== undefined) return null;
		throw thrown;
	} finally {
		await rm(workFolder, { recursive: true, force: true });
	}
}

/** The digest of the recorded tree, computed from what the run phase saw: hidden folders are the commit's. */
async function digestOf(arena: Arena, commit: string, seen: string): Promise<string> {
	const tree = arena.workspace.candidateTree(commit);
	const entries = [];
	for (const { path, mode, type } of await tree.entries()) {
		if (isHidden(path)) entries.push({ path, mode, type, sha256: sha256(await tree.read(path)) });
	}
	const modes = new Map<string, string>();
	for (const line of seen.trim().split('\n')) {
		const [first = '', second = '', path = ''] = line.split(/ {1,2}/);
		if (first === 'mode') modes.set(path, Number.parseInt(second, 8) & 0o100 ? '100755' : '100644');
		else if (first === 'link')
			entries.push({ path, mode: '120000', type: 'link', sha256: sha256(Buffer.from(second)) });
		else entries.push({ path: second, mode: modes.get(second), type: 'file', sha256: first });
	}
	entries.sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
	return sha256(canonicalJson(entries));
}
