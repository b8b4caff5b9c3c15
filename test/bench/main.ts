// `npm run bench [GROUP …]`: prints one table. Groups: files, postgres, baselines, memory, upload, http, relay. Medians of three, all in
// one run on one machine; compare within a table, never with another day's.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { baselineRows } from './baselines.ts';
import { fileRows, postgresRows } from './files.ts';
import { httpRows } from './http.ts';
import { memoryRows } from './memory.ts';
import { openBenchPostgres } from './postgres.ts';
import { relayRows } from './relay.ts';
import { type BenchRow, printTable } from './table.ts';
import { uploadRows } from './upload.ts';

const wanted = process.argv.slice(2);
const isWanted = (group: string) => wanted.length === 0 || wanted.includes(group);

const folder = mkdtempSync(join(tmpdir(), 'tokendrop-bench-'));
const needsPostgres = ['postgres', 'baselines', 'http'].some(isWanted);
const postgres = needsPostgres ? await openBenchPostgres() : undefined;
const rows: BenchRow[] = [];
try {
	if (isWanted('files')) rows.push(...(await fileRows(folder)));
	if (postgres && isWanted('postgres')) rows.push(...(await postgresRows(folder, postgres)));
	if (postgres && isWanted('baselines')) rows.push(...(await baselineRows(folder, postgres)));
	if (isWanted('memory')) rows.push(...(await memoryRows(folder)));
	if (postgres && isWanted('http')) rows.push(...(await httpRows(postgres)));
	if (isWanted('relay')) rows.push(...(await relayRows(folder)));
	if (isWanted('upload')) rows.push(...(await uploadRows(folder)));
} finally {
	await postgres?.close();
	rmSync(folder, { recursive: true, force: true });
	// Also what was measured before something failed.
	printTable(rows);
}
