// Measures the time from the first byte of an upload over sFTP until the output can be seen, with OpenSSH's client and the
// real daemon.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Installation, startInstallation } from '../test/helpers/daemon.ts';
import { type Door, opensshSftp } from '../test/helpers/daemon-clients.ts';
import { runs, tellBytes } from './amounts.ts';
import { type FigureNotes, figure, median } from './figures.ts';
import { FILE_BYTES } from './files.ts';
import { type BenchFile, generate } from './generate.ts';
import { findMissingPrograms, missingRow } from './missing.ts';
import type { BenchRow } from './table.ts';
import { Teardowns } from './teardowns.ts';
import { makeUnlimitedAccount } from './unlimited-account.ts';
import { BENCH_WORKERS } from './with-daemon.ts';

const RUNS = runs(3);
const LOOK_EVERY_MS = 20;

const BYTES = tellBytes(FILE_BYTES);

interface Pace {
	readonly what: string;
	readonly name: string;
	readonly options: readonly string[];
	readonly target: string;
	readonly goal: FigureNotes;
}

/** How fast the client sends: as fast as it can, and 40 MB/s (in kilobits for OpenSSH), as over a good line. */
const PACES: readonly Pace[] = [
	{
		what: `sFTP upload of ${BYTES} until its output is visible`,
		name: 'upload',
		options: [],
		target: '(1.2 times the upload alone)',
		goal: { larger: 'worse', aim: 1.2 },
	},
	{
		what: `the same at 40 MB/s`,
		name: 'upload/40 MB a second',
		options: ['-l', '320000'],
		target: '1.3 times the upload alone (1.05)',
		goal: { larger: 'worse', must: 1.3, aim: 1.05 },
	},
];

/** Uploads one file several times. The output is looked for in the database, because that costs next to nothing. */
export async function uploadRows(folder: string): Promise<BenchRow[]> {
	const missing = findMissingPrograms('sftp');
	if (missing.length > 0) return PACES.map(({ what, target }) => missingRow(what, missing, target));
	await using t = new Teardowns();
	const { installation, daemon } = await startInstallation(t, { variables: BENCH_WORKERS });
	const { userId: userName, apiKey: password } = await makeUnlimitedAccount(installation);
	const door: Door = { port: daemon.sftpPort, folder: installation.folder, userName, password };
	const file = generate('SIMPLECSV', join(folder, 'upload.csv'), FILE_BYTES);
	const rows: BenchRow[] = [];
	for (const pace of PACES) rows.push(await rowOf(installation, door, pace, file));
	rmSync(file.path);
	return rows;
}

async function rowOf(
	installation: Installation,
	door: Door,
	{ what, name, options, target, goal }: Pace,
	file: BenchFile,
): Promise<BenchRow> {
	const { database } = await installation.parts();
	const uploads: number[] = [];
	const visible: number[] = [];
	for (let n = 0; n < RUNS; n++) {
		const fileName = `${options.length}-${n}.csv`;
		const started = performance.now();
		const { code, stderr } = await opensshSftp(door, [`put ${file.path} /tokenize/SIMPLECSV/${fileName}`], options);
		if (code !== 0) throw new Error(`sftp: ${stderr}`);
		uploads.push(performance.now() - started);
		while (!(await database.knex('drop_files').where({ area: 'tokenized', name: fileName }).first('id'))) {
			await sleep(LOOK_EVERY_MS);
		}
		visible.push(performance.now() - started);
	}
	const [upload, total] = [median(uploads) / 1000, median(visible) / 1000];
	const rate = (file.bytes / 1e6 / upload).toFixed(0);
	const rates = uploads.map((ms) => file.bytes / 1000 / ms);
	const seconds = visible.map((ms) => ms / 1000);
	return {
		what,
		result: `upload ${upload.toFixed(2)} s (${rate} MB/s), visible after ${total.toFixed(2)} s: ${(total / upload).toFixed(1)} times`,
		target,
		figures: [
			figure(`${name}/rate`, 'MB/s', rates),
			figure(`${name}/visible`, 's', seconds),
			figure(`${name}/times`, 'times', total / upload, goal),
		],
	};
}
