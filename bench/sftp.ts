// Measures large files and many small ones through the sFTP door, beside OpenSSH's server.

import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cutBytes, runs, tellBytes } from './amounts.ts';
import { type Figure, figure, median } from './figures.ts';
import { type BenchFile, generate } from './generate.ts';
import { findMissingPrograms, missingRow, tellMissing } from './missing.ts';
import {
	besideRow,
	GCM,
	inTurns,
	offer,
	outputs,
	processorSeconds,
	type Servers,
	send,
	withServers,
} from './sftp-servers.ts';
import type { BenchRow } from './table.ts';

const RUNS = runs(5);
const LARGE_BYTES = cutBytes(256 * 1024 * 1024);
const LARGE = tellBytes(LARGE_BYTES);
const SMALL_FILES = 1_000;
const SMALL_BYTES = 10 * 1024;

const CHACHA = ['-o', 'Ciphers=chacha20-poly1305@openssh.com'];
const LARGE_PACKETS = ['-B', '261120'];

/** How the client is run, and how many times OpenSSH's rate must be reached and is aimed at, for uploads and downloads. */
const WAYS = [
	{ label: 'aes-gcm', options: GCM, up: { must: 1, aim: 1.5 }, down: { must: 0.9, aim: 1.3 } },
	{
		...{ label: 'aes-gcm, -B 261120', options: [...GCM, ...LARGE_PACKETS] },
		...{ up: { must: 1, aim: 1.5 }, down: { must: 0.9, aim: 1.3 } },
	},
	{ label: 'chacha20-poly1305', options: CHACHA, up: { must: 0.9, aim: 1.2 }, down: { must: 0.9, aim: 1.3 } },
] as const;

/** Measures transfers of large files and of many small ones. */
export async function sftpRows(folder: string): Promise<BenchRow[]> {
	const missing = findMissingPrograms('sftp');
	if (missing.length > 0) return [missingRow('uploads and downloads over sFTP', missing)];
	return withServers(async (servers) => [
		...(await largeFiles(servers, folder)),
		...(await smallFiles(servers, folder)),
	]);
}

async function largeFiles(servers: Servers, folder: string): Promise<BenchRow[]> {
	// The file has no card, so that what is fetched is as long as what was sent.
	const file = generate('NOCARD', join(folder, 'large.csv'), LARGE_BYTES);
	await offer(servers, file.path, 'large.csv');
	const rows: BenchRow[] = [];
	for (const verb of ['upload', 'download'] as const) {
		for (const way of WAYS) rows.push(await largeRow(servers, verb, way, { ...file, path: join(folder, 'large.csv') }));
	}
	rmSync(file.path);
	return rows;
}

async function largeRow(
	servers: Servers,
	verb: 'upload' | 'download',
	{ label, options, up, down }: (typeof WAYS)[number],
	{ path, bytes }: BenchFile,
): Promise<BenchRow> {
	const goal = verb === 'upload' ? up : down;
	const processor: number[] = [];
	const rates = await inTurns(servers, RUNS, async (server) => {
		// The upload has a partial name, for which no job begins, so that only the upload is measured.
		const put = `put ${path} ${server.inbox}/up.filepart`;
		const get = `get ${server.outbox}/large.csv ${path}`;
		let seconds = 0;
		const spent = await processorSeconds(servers, async () => {
			seconds = await send(server, [verb === 'upload' ? put : get], options);
		});
		if (server === servers.ours) processor.push(spent);
		return bytes / 1e6 / seconds;
	});
	const name = `sftp/${verb}/${label}`;
	const row = besideRow({
		...{ what: `${verb} ${LARGE}, ${label}`, name, rates, goal },
		target: `${goal.must} (${goal.aim})`,
		more: ` (${median(processor).toFixed(2)} s of processor time)`,
	});
	return { ...row, figures: [...row.figures, figure(`${name}/processor`, 's', processor)] };
}

/** Measures one session that uploads a thousand files: once with their jobs, and once under partial names, without jobs. */
async function smallFiles(servers: Servers, folder: string): Promise<BenchRow[]> {
	const local = join(folder, 'small');
	mkdirSync(local);
	const names = Array.from({ length: SMALL_FILES }, (_, n) => `s${n}.csv`);
	const { path } = generate('SIMPLECSV', join(folder, 'small.csv'), SMALL_BYTES);
	for (const name of names) copyFileSync(path, join(local, name));
	const { ours, openssh, installation } = servers;
	const times = { ours: [] as number[], synced: [] as number[], partial: [] as number[], plain: [] as number[] };
	for (let n = 0; n < Math.min(RUNS, 3); n++) {
		const each = (line: (name: string) => string) => names.map(line);
		if (openssh) {
			const put = (verb: string) => each((name) => `${verb} ${local}/${name} ${openssh.inbox}/${name}`);
			times.plain.push(await send(openssh, put('put')));
			times.synced.push(await send(openssh, put('put -f')));
		}
		const partial = each((name) => `put ${local}/${name} ${ours.inbox}/${name}.filepart`);
		times.partial.push(await send(ours, partial));
		const whole = each((name) => `put ${local}/${name} ${ours.inbox}/run${n}-${name}`);
		times.ours.push(await send(ours, whole));
		await outputs(installation, `run${n}-%`, SMALL_FILES);
	}
	rmSync(local, { recursive: true });
	return smallRows(times);
}

function smallRows(times: Record<'ours' | 'synced' | 'partial' | 'plain', number[]>): BenchRow[] {
	const what = `${SMALL_FILES} files of 10 KiB, one session, jobs running`;
	const without = 'the same under partial names, without jobs';
	const [mine, partial] = [median(times.ours), median(times.partial)];
	const figures = [figure('sftp/small files/ours', 's', times.ours)];
	const partials = [figure('sftp/small files/partial names', 's', times.partial)];
	if (times.synced.length === 0) {
		const said = `OpenSSH ${tellMissing(['sshd'])}`;
		return [
			{ what, result: `${mine.toFixed(2)} s; ${said}`, target: '0.6 (0.8)', figures },
			{ what: without, result: `${partial.toFixed(2)} s; ${said}`, target: '', figures: partials },
		];
	}
	const [plain, synced] = [median(times.plain), median(times.synced)];
	const theirs: Figure[] = [
		figure('sftp/small files/OpenSSH put -f', 's', times.synced, { larger: 'neither' }),
		figure('sftp/small files/OpenSSH put', 's', times.plain, { larger: 'neither' }),
		figure('sftp/small files/of put -f', 'times', synced / mine, { must: 0.6, aim: 0.8 }),
	];
	partials.push(figure('sftp/small files/partial names of put -f', 'times', synced / partial));
	return [
		{
			what,
			result: `${mine.toFixed(2)} s; OpenSSH put -f ${synced.toFixed(2)} s, put ${plain.toFixed(2)} s: ${(synced / mine).toFixed(2)} of put -f`,
			target: '0.6 (0.8)',
			figures: [...figures, ...theirs],
		},
		{
			what: without,
			result: `${partial.toFixed(2)} s: ${(synced / partial).toFixed(2)} of put -f`,
			target: '',
			figures: partials,
		},
	];
}
