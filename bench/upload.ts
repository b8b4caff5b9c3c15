// Measures the time from the first byte of an upload over sFTP until the output can be seen, with OpenSSH's client and the
// real daemon.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startInstallation } from '../test/helpers/daemon.ts';
import { type Door, opensshSftp } from '../test/helpers/daemon-clients.ts';
import { runs, tellBytes } from './amounts.ts';
import { figure, median } from './figures.ts';
import { FILE_BYTES } from './files.ts';
import { generate } from './generate.ts';
import { findMissingPrograms, missingRow } from './missing.ts';
import type { BenchRow } from './table.ts';
import { makeUnlimitedAccount } from './unlimited-account.ts';
import { BENCH_WORKERS } from './with-daemon.ts';

const RUNS = runs(3);
const LOOK_EVERY_MS = 20;

const WHAT = `sFTP upload of ${tellBytes(FILE_BYTES)} until its output is visible`;
const TARGET = '(1.2 times the upload alone)';

/** Uploads one file several times. The output is looked for in the database, because that costs next to nothing. */
export async function uploadRows(folder: string): Promise<BenchRow[]> {
	const missing = findMissingPrograms('sftp');
	if (missing.length > 0) return [missingRow(WHAT, missing, TARGET)];
	const releases: (() => unknown)[] = [];
	const { installation, daemon } = await startInstallation(
		{ teardown: (release) => releases.push(release) },
		{ variables: BENCH_WORKERS },
	);
	try {
		const { userId: userName, apiKey: password } = await makeUnlimitedAccount(installation);
		const door: Door = { port: daemon.sftpPort, folder: installation.folder, userName, password };
		const file = generate('SIMPLECSV', join(folder, 'upload.csv'), FILE_BYTES);
		const { database } = await installation.parts();
		const uploads: number[] = [];
		const visible: number[] = [];
		for (let n = 0; n < RUNS; n++) {
			const name = `file${n}.csv`;
			const started = performance.now();
			const { code, stderr } = await opensshSftp(door, [`put ${file.path} /tokenize/SIMPLECSV/${name}`]);
			if (code !== 0) throw new Error(`sftp: ${stderr}`);
			uploads.push(performance.now() - started);
			while (!(await database.knex('drop_files').where({ area: 'tokenized', name }).first('id'))) {
				await sleep(LOOK_EVERY_MS);
			}
			visible.push(performance.now() - started);
		}
		rmSync(file.path);
		const [upload, total] = [median(uploads) / 1000, median(visible) / 1000];
		const rate = (file.bytes / 1e6 / upload).toFixed(0);
		return [
			{
				what: WHAT,
				result: `upload ${upload.toFixed(2)} s (${rate} MB/s), visible after ${total.toFixed(2)} s: ${(total / upload).toFixed(1)} times`,
				target: TARGET,
				figures: [
					figure(
						'upload/rate',
						'MB/s',
						uploads.map((ms) => file.bytes / 1000 / ms),
					),
					figure(
						'upload/visible',
						's',
						visible.map((ms) => ms / 1000),
					),
					figure('upload/times', 'times', total / upload, { larger: 'worse', aim: 1.2 }),
				],
			},
		];
	} finally {
		for (const release of releases.reverse()) await release();
	}
}
