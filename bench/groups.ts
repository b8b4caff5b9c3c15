// Lists the function that measures each group, in the order of `BENCH_GROUPS`.

import type { BenchGroup } from '../src/commands/installation/bench.ts';
import { baselineRows } from './baselines.ts';
import { budgetRows } from './budget.ts';
import { callLogRows } from './call-log.ts';
import { clientRows } from './clients.ts';
import { eventRows } from './events.ts';
import { falseFindingRows } from './false-findings.ts';
import { fileRows, postgresRows } from './files.ts';
import { formatRows } from './formats.ts';
import { httpRows } from './http.ts';
import { laneRows } from './lanes.ts';
import { memoryRows } from './memory.ts';
import { missesRows } from './misses.ts';
import { pagesRows } from './pages.ts';
import { pgpRows } from './pgp.ts';
import { portalRows } from './portal.ts';
import type { BenchPostgres } from './postgres.ts';
import { processesRows } from './processes.ts';
import { questionRows } from './questions.ts';
import { queueRows } from './queue.ts';
import { recoveryRows } from './recovery.ts';
import { relayRows } from './relay.ts';
import { reportRows } from './report.ts';
import { routeRows } from './routes.ts';
import { s3Rows } from './s3.ts';
import { sessionRows } from './sessions.ts';
import { sftpRows } from './sftp.ts';
import { sizeRows } from './sizes.ts';
import { stallRows } from './stalls.ts';
import { startRows } from './start.ts';
import type { BenchRow } from './table.ts';
import { uploadRows } from './upload.ts';
import { vaultRows } from './vault.ts';

/**
 * Measures a group. It gets a folder of its own to write to, and a function that starts a PostgreSQL when it is first
 * called.
 */
export type Measure = (folder: string, openPostgres: () => Promise<BenchPostgres>) => Promise<BenchRow[]>;

export const MEASURES: Record<BenchGroup, Measure> = {
	files: fileRows,
	postgres: async (folder, openPostgres) => postgresRows(folder, await openPostgres()),
	baselines: async (folder, openPostgres) => baselineRows(folder, await openPostgres()),
	formats: formatRows,
	memory: memoryRows,
	report: reportRows,
	http: async (_folder, openPostgres) => httpRows(await openPostgres()),
	budget: budgetRows,
	processes: async (folder, openPostgres) => processesRows(folder, await openPostgres()),
	lanes: async (_folder, openPostgres) => laneRows(await openPostgres()),
	relay: relayRows,
	pgp: pgpRows,
	vault: vaultRows,
	routes: routeRows,
	events: async (_folder, openPostgres) => eventRows(openPostgres),
	stalls: stallRows,
	recovery: recoveryRows,
	upload: uploadRows,
	sftp: sftpRows,
	sizes: sizeRows,
	sessions: sessionRows,
	s3: s3Rows,
	queue: async (folder, openPostgres) => queueRows(folder, await openPostgres()),
	clients: clientRows,
	misses: missesRows,
	'false-findings': falseFindingRows,
	'call-log': callLogRows,
	pages: pagesRows,
	portal: portalRows,
	questions: async (folder, openPostgres) => questionRows(folder, await openPostgres()),
	start: startRows,
};
