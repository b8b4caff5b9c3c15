// Measures uploads and downloads of files from 1 KiB to 2 GB over sFTP, beside OpenSSH's server. Several small files go in
// one session, so that more than the login is measured.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { amount, runs, tellBytes } from './amounts.ts';
import { figure, median } from './figures.ts';
import { generate } from './generate.ts';
import { findMissingPrograms, missingRow } from './missing.ts';
import { besideRow, inTurns, offer, type Server, type Servers, send, withServers } from './sftp-servers.ts';
import type { BenchRow } from './table.ts';

const KIBI = 1024;
const MEBI = 1024 * KIBI;
/** The lengths of the files, in bytes. */
export const SIZES = [KIBI, 16 * KIBI, 256 * KIBI, 4 * MEBI, 64 * MEBI, 512 * MEBI];
/** The length of the file that is measured only with BENCH_LARGE=1. */
export const LARGEST = 2_000_000_000;
const RUNS = runs(3);
/** A session sends as many files as make this many bytes, but no more than MOST_FILES. */
const SESSION_BYTES = 64 * MEBI;
const MOST_FILES = 200;

/** Returns two rows for each length. */
export async function sizeRows(folder: string): Promise<BenchRow[]> {
	const most = amount('BENCH_MAX_BYTES', LARGEST);
	const sizes = [...SIZES, ...(amount('BENCH_LARGE', 0) === 1 ? [LARGEST] : [])].filter((size) => size <= most);
	const missing = findMissingPrograms('sftp');
	if (missing.length > 0) return sizes.map((size) => missingRow(`upload and download, ${tellBytes(size)}`, missing));
	return withServers(async (servers) => {
		const rows: BenchRow[] = [];
		for (const size of sizes) rows.push(...(await rowsOf(servers, folder, size)));
		return rows;
	});
}

async function rowsOf(servers: Servers, folder: string, size: number): Promise<BenchRow[]> {
	// The file has no card, so that what is fetched is as long as what was sent.
	const { path, bytes } = generate('NOCARD', join(folder, 'size.csv'), size);
	const label = tellBytes(size);
	const count = Math.min(MOST_FILES, Math.max(1, Math.floor(SESSION_BYTES / size)));
	await offer(servers, path, `${size}.csv`);
	// The upload has a partial name, for which no job begins, so that only the upload is measured.
	const put = (server: Server) => `put ${path} ${server.inbox}/up.filepart`;
	const get = (server: Server) => `get ${server.outbox}/${size}.csv ${path}`;
	const rows: BenchRow[] = [];
	for (const [verb, command] of [
		['upload', put],
		['download', get],
	] as const) {
		const rates = await inTurns(servers, RUNS, async (server) => {
			const seconds = await send(
				server,
				Array.from({ length: count }, () => command(server)),
			);
			return (count * bytes) / 1e6 / seconds;
		});
		const eachMs = rates.ours.map((rate) => bytes / 1000 / rate);
		const name = `sizes/${verb}/${label}`;
		const more = `, ${median(eachMs).toFixed(1)} ms a file`;
		const row = besideRow({ what: `${verb} of ${told(count, label)}`, name, rates, more });
		rows.push({ ...row, figures: [...row.figures, figure(`${name}/ours a file`, 'ms', eachMs)] });
	}
	rmSync(path);
	return rows;
}

const told = (count: number, label: string) => (count === 1 ? label : `${count} files of ${label}, one session`);
