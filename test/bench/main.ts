// `npm run bench [GROUP …]`: prints one table of the groups, or of those that are named. Medians of three, all in one run on
// one machine; compare within a table, never with another day's.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BENCH_GROUPS, type BenchGroup } from '../../src/commands/bench.ts';
import { EXIT } from '../../src/commands/command.ts';
import { baselineRows } from './baselines.ts';
import { callLogRows } from './call-log.ts';
import { falseFindingRows } from './false-findings.ts';
import { fileRows, postgresRows } from './files.ts';
import { httpRows } from './http.ts';
import { memoryRows } from './memory.ts';
import { missesRows } from './misses.ts';
import { type BenchPostgres, openBenchPostgres } from './postgres.ts';
import { recoveryRows } from './recovery.ts';
import { relayRows } from './relay.ts';
import { reportRows } from './report.ts';
import { sftpRows } from './sftp.ts';
import { stallRows } from './stalls.ts';
import { type BenchRow, printTable } from './table.ts';
import { uploadRows } from './upload.ts';

type Measure = (folder: string, openPostgres: () => Promise<BenchPostgres>) => Promise<BenchRow[]>;

const MEASURES: Record<BenchGroup, Measure> = {
	files: fileRows,
	postgres: async (folder, openPostgres) => postgresRows(folder, await openPostgres()),
	baselines: async (folder, openPostgres) => baselineRows(folder, await openPostgres()),
	memory: memoryRows,
	report: reportRows,
	http: async (_folder, openPostgres) => httpRows(await openPostgres()),
	relay: relayRows,
	stalls: stallRows,
	recovery: recoveryRows,
	upload: uploadRows,
	sftp: sftpRows,
	misses: missesRows,
	'false-findings': falseFindingRows,
	'call-log': callLogRows,
};

const named = process.argv.slice(2);
const unknown = named.find((name) => !BENCH_GROUPS.some((group) => group === name));
if (unknown !== undefined) {
	process.stderr.write(`${unknown} is no group of benchmarks: ${BENCH_GROUPS.join(', ')}\n`);
	process.exit(EXIT.usage);
}

const folder = mkdtempSync(join(tmpdir(), 'tokendrop-bench-'));
let postgres: BenchPostgres | undefined;
const openPostgres = async () => (postgres ??= await openBenchPostgres());
const rows: BenchRow[] = [];
try {
	for (const group of BENCH_GROUPS) {
		if (named.length > 0 && !named.includes(group)) continue;
		rows.push(...(await MEASURES[group](folder, openPostgres)));
	}
} finally {
	await postgres?.close();
	rmSync(folder, { recursive: true, force: true });
	// Also what was measured before something failed.
	printTable(rows);
}
