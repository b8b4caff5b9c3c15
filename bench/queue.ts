// Measures how many jobs a second a daemon ends when thousands of small files wait in the queue, as after a partner's
// nightly upload.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AccountId } from '../src/base/database/ids.ts';
import { Drops } from '../src/work/drops/drops.ts';
import { openIntake } from '../src/work/jobs/intake.ts';
import { jobStore } from '../src/work/jobs/job-store.ts';
import type { Installation } from '../test/helpers/daemon.ts';
import { amount } from './amounts.ts';
import { figure } from './figures.ts';
import { generate } from './generate.ts';
import type { BenchPostgres } from './postgres.ts';
import { readProcess } from './process-usage.ts';
import type { BenchRow } from './table.ts';
import { withDaemon } from './with-daemon.ts';

const JOBS = Math.max(100, amount('BENCH_QUEUED', 10_000));
const FILE_BYTES = 10 * 1024;
const GOALS = {
	sqlite: { target: '400 jobs/s (1,500)', must: 400, aim: 1500 },
	postgres: { target: '300 jobs/s (1,000)', must: 300, aim: 1000 },
} as const;

export async function queueRows(folder: string, postgres: BenchPostgres): Promise<BenchRow[]> {
	const content = readFileSync(generate('SIMPLECSV', join(folder, 'queued.csv'), FILE_BYTES).path);
	return [
		await measure('sqlite', content, {}),
		await measure('postgres', content, { TOKENDROP_DATABASE_URL: await postgres.createDatabase() }),
	];
}

async function measure(
	name: keyof typeof GOALS,
	content: Buffer,
	variables: Record<string, string>,
): Promise<BenchRow> {
	return withDaemon(variables, async (_url, { userId }, installation, daemon) => {
		await daemon.stop();
		await queueAll(installation, userId, content);
		const { pid } = await installation.start();
		const started = readProcess(pid).processorSeconds;
		const rate = await measureRate(installation);
		const eachMs = ((readProcess(pid).processorSeconds - started) * 1000) / JOBS;
		const { target, ...goal } = GOALS[name];
		return {
			what: `${JOBS.toLocaleString('en')} files of 10 KiB in the queue, ${name}`,
			result: `${Math.round(rate)} jobs/s, ${eachMs.toFixed(1)} ms of processor time each`,
			target,
			figures: [figure(`queue/${name}/jobs`, 'jobs/s', rate, goal), figure(`queue/${name}/processor`, 'ms', eachMs)],
		};
	});
}

/** Queues the files while the daemon is stopped, as the doors do with uploads. */
async function queueAll({ parts }: Installation, userId: string, content: Buffer): Promise<void> {
	const { database, keyRing, blobs, identity } = await parts();
	const drops = new Drops({ database, keyRing, blobs, daemonId: 'bench' });
	const intake = openIntake({ database, drops });
	const { id } = await identity.accounts.get(userId);
	const folder = { accountId: id as AccountId, area: 'tokenize', filter: 'SIMPLECSV' } as const;
	for (let n = 0; n < JOBS; n++) {
		const upload = await drops.begin({ folder, name: `${n}.csv`, createdBy: userId });
		await upload.write(0, content);
		await intake.accept(upload);
	}
	await drops.close();
	// PostgreSQL would do this by itself within a minute. It is done here, so that the rate does not depend on when that is.
	if (database.dialect === 'postgres') await database.knex.raw('analyze');
}

/** Returns the rate in jobs a second. It counts from the first hundredth of the jobs on, when the threads have started. */
async function measureRate({ parts }: Installation): Promise<number> {
	const { database } = await parts();
	const ended = async () => {
		const { done, failed } = await jobStore(database.knex).countByState();
		if (failed > 0) throw new Error(`${failed} jobs have failed`);
		return done;
	};
	let first: { readonly at: number; readonly jobs: number } | undefined;
	for (;;) {
		const jobs = await ended();
		const at = performance.now();
		if (!first && jobs >= JOBS / 100) first = { at, jobs };
		if (first && jobs === JOBS) return ((jobs - first.jobs) / (at - first.at)) * 1000;
		await sleep(100);
	}
}
