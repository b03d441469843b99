// One size, one process: its rows as JSON on stdout.
import { openBench } from './bench.ts';
import { measureCandidate } from './candidate.ts';
import { measureIngestion } from './ingestion.ts';
import { measureReaders } from './readers.ts';
import { type Row, rounded } from './row.ts';
import { measureFolders, measureSwitch, measureWorktree } from './trees.ts';

const files = Number(process.argv[2]);
await using bench = await openBench(files);
const rows: Row[] = [await measureSwitch(bench)];
rows.push(...(await measureWorktree(bench)), ...(await measureFolders(bench)), ...(await measureCandidate(bench)));
rows.push(...(await measureReaders(bench)));
if (files < 5000) rows.push(await measureIngestion(bench, 5000));
const peak_mb = rounded(process.resourceUsage().maxRSS / 1024);
const nothing = { ours_ms: null, git_ms: null, ratio: null, limit: null };
rows.push({ files, what: 'peak memory of the engine’s process', ...nothing, peak_mb });
process.stdout.write(JSON.stringify(rows));
