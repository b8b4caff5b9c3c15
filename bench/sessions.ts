// Measures one to fifty sessions that upload at once over sFTP, beside OpenSSH's server: the rate of all together, and
// memory.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { cutBytes, runs, tellBytes } from './amounts.ts';
import { figure, median } from './figures.ts';
import { generate } from './generate.ts';
import { findMissingPrograms, missingRow } from './missing.ts';
import { familyPeakMb, forgetPeak, readProcess } from './process-usage.ts';
import { besideRow, GCM, inTurns, outputs, type Server, type Servers, send, withServers } from './sftp-servers.ts';
import type { BenchRow } from './table.ts';

/** The numbers of sessions that upload at once. */
export const SESSIONS = [1, 5, 20, 50];
const BYTES = cutBytes(20 * 1024 * 1024);
const RUNS = runs(3);
/** The target for the greatest number of sessions. */
const TARGET = '1.0; 400 MB (1.3; 300 MB)';
const RATE_GOAL = { must: 1, aim: 1.3 };
const MEMORY_GOAL = { must: 400, aim: 300 };

/** So many sessions are also measured with the jobs of their files, which take memory in the worker threads. */
const SESSIONS_WITH_JOBS = 20;
const WITH_JOBS = `${SESSIONS_WITH_JOBS} sessions of ${tellBytes(BYTES)} and their jobs`;
const WITH_JOBS_GOAL = { must: 500, aim: 400 };
const WITH_JOBS_TARGET = '500 MB (400 MB)';

const whatOf = (count: number) => `${count} session${count === 1 ? '' : 's'} of ${tellBytes(BYTES)}, total; memory`;

/** Returns a row for each number of sessions. */
export async function sessionRows(folder: string): Promise<BenchRow[]> {
	const missing = findMissingPrograms('sftp');
	if (missing.length > 0) return [...SESSIONS.map(whatOf), WITH_JOBS].map((what) => missingRow(what, missing));
	return withServers(async (servers) => {
		const file = generate('NOCARD', join(folder, 'session.csv'), BYTES);
		const rows: BenchRow[] = [];
		for (const count of SESSIONS) rows.push(await rowOf(servers, count, file));
		rows.push(await withJobs(servers, file.path));
		rmSync(file.path);
		return rows;
	});
}

/**
 * Returns the address of the n-th client. Each has its own, because only so many connections of one address may wait for
 * their login.
 */
const addressOf = (n: number) => `127.0.${n + 1}.1`;

/** Returns the row of sessions whose files are tokenized, which has the most memory until the last job has ended. */
async function withJobs({ installation, ours }: Servers, path: string): Promise<BenchRow> {
	const peaks: number[] = [];
	for (let run = 0; run < RUNS; run++) {
		forgetPeak(ours.pid);
		const put = (n: number) =>
			send(ours, [`put ${path} ${ours.inbox}/jobs${run}-${n}.csv`], [...GCM, '-o', `BindAddress=${addressOf(n)}`]);
		await Promise.all(Array.from({ length: SESSIONS_WITH_JOBS }, (_, n) => put(n)));
		await outputs(installation, `jobs${run}-%`, SESSIONS_WITH_JOBS);
		peaks.push(readProcess(ours.pid).peakMb);
	}
	return {
		what: WITH_JOBS,
		result: `${median(peaks).toFixed(0)} MB`,
		target: WITH_JOBS_TARGET,
		figures: [figure('sessions/with jobs/memory', 'MB', peaks, WITH_JOBS_GOAL)],
	};
}

async function rowOf(
	servers: Servers,
	count: number,
	{ path, bytes }: { readonly path: string; readonly bytes: number },
): Promise<BenchRow> {
	const ours: number[] = [];
	const all = (server: Server) => {
		const one = (n: number) =>
			// The files have partial names, for which no jobs begin, so that only the uploads are measured.
			send(server, [`put ${path} ${server.inbox}/${n}.filepart`], [...GCM, '-o', `BindAddress=${addressOf(n)}`]);
		return Promise.all(Array.from({ length: count }, (_, n) => one(n)));
	};
	const rates = await inTurns(servers, RUNS, async (server) => {
		const isOurs = server === servers.ours;
		if (isOurs) forgetPeak(server.pid);
		const started = performance.now();
		await all(server);
		const seconds = (performance.now() - started) / 1000;
		if (isOurs) ours.push(readProcess(server.pid).peakMb);
		return (count * bytes) / 1e6 / seconds;
	});
	// The memory of OpenSSH is measured in a run of its own, because looking at so many processes takes time.
	const { openssh } = servers;
	const theirs = openssh && (await familyPeakMb(openssh.pid, () => all(openssh)));
	const isMost = count === SESSIONS.at(-1);
	const row = besideRow({
		...{ what: whatOf(count), name: `sessions/${count}`, rates },
		...(isMost && { target: TARGET, goal: RATE_GOAL }),
		more: `; ${median(ours).toFixed(0)} MB${theirs === undefined ? '' : `, OpenSSH ${theirs.toFixed(0)} MB`}`,
	});
	const figures = [figure(`sessions/${count}/memory ours`, 'MB', ours, isMost ? MEMORY_GOAL : {})];
	if (theirs !== undefined) {
		figures.push(figure(`sessions/${count}/memory OpenSSH`, 'MB', theirs, { larger: 'neither' }));
	}
	return { ...row, figures: [...row.figures, ...figures] };
}
