// Opens everything around jobs, with the double of the engine. Files go in, jobs run here or in threads, and files come
// out.

import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { BlobStore } from '../../src/base/blobs/blob-store.ts';
import { diskBlobStore } from '../../src/base/blobs/disk.ts';
import type { Dialect } from '../../src/base/database/dialect.ts';
import type { AccountId, JobId } from '../../src/base/database/ids.ts';
import type { TransferEngine } from '../../src/engine/engine.ts';
import type { Area, InputArea } from '../../src/work/drops/drop-names.ts';
import { type DropFile, dropStore, folderOf } from '../../src/work/drops/drop-store.ts';
import { Drops } from '../../src/work/drops/drops.ts';
import { openJobEnds } from '../../src/work/jobs/attempts/end-jobs.ts';
import { type Intake, openIntake } from '../../src/work/jobs/intake.ts';
import type { JobRow } from '../../src/work/jobs/job.ts';
import { type JobFilter, listNewestJobs } from '../../src/work/jobs/job-page-store.ts';
import { jobStore } from '../../src/work/jobs/job-store.ts';
import { Pool, type PoolOptions } from '../../src/work/jobs/queue/pool.ts';
import { queueStore } from '../../src/work/jobs/queue/queue-store.ts';
import type { AttemptParts } from '../../src/work/jobs/worker-parts.ts';
import { openBegunDatabase } from './begun-database.ts';
import type { TestDatabase } from './database.ts';
import { type EngineHooks, engineDouble, ledgersDouble, makeEngineTables } from './engine-double.ts';
import { makeFolder } from './file-parts.ts';
import { messagesOf } from './messages.ts';
import { until } from './until.ts';
import type { WorkerSetup } from './worker-parts.ts';

export interface JobParts extends AttemptParts {
	readonly engine: TransferEngine;
	readonly database: TestDatabase;
	readonly drops: Drops;
	readonly intake: Intake;
	readonly folder: string;
	readonly setup: WorkerSetup;
	/** Uploads a file and returns its job. */
	put(name: string, content: string | Buffer, where?: { accountId?: number; area?: InputArea }): Promise<JobRow>;
	claim(daemonId?: string, now?: number): Promise<JobRow | undefined>;
	job(id: JobId): Promise<JobRow>;
	/** Waits until the job is done or has failed, and returns it. */
	ended(id: JobId): Promise<JobRow>;
	jobs(filter?: Partial<JobFilter>): Promise<JobRow[]>;
	/** Returns the files of an area by name, as the account sees them. */
	files(area: Area, accountId?: number): Promise<DropFile[]>;
	read(file: DropFile): Promise<string>;
	startPool(options?: Partial<PoolOptions>): Pool;
}

export async function openJobParts(
	t: ExecutionContext<unknown>,
	dialect: Dialect = 'sqlite',
	options: { hooks?: EngineHooks; wrap?: (blobs: BlobStore) => BlobStore; maxAttempts?: number } = {},
): Promise<JobParts> {
	const { database, keyRing } = await openBegunDatabase(t, dialect);
	const folder = join(makeFolder(t), 'drops');
	const blobs = options.wrap?.(diskBlobStore(folder)) ?? diskBlobStore(folder);
	await makeEngineTables(database.knex);
	const { knex } = database;
	const maxAttempts = options.maxAttempts ?? 3;
	const setup = { url: database.url, folder, maxAttempts, backoffMs: 10 };
	const drops = new Drops({ database, keyRing, blobs, daemonId: 'one' });
	const intake = openIntake({ database, drops });
	const engine = engineDouble(database, options.hooks);
	const ledgers = ledgersDouble(engine);
	const ends = openJobEnds(database);
	const messages = messagesOf({ database, keyRing });
	const attempt = { database, ends, keyRing, blobs, engine, messages, ledgers, maxAttempts, backoffMs: () => 10 };
	return {
		...attempt,
		drops,
		intake,
		folder,
		setup,
		async put(name, content, { accountId = 7, area = 'tokenize' } = {}) {
			const target = { accountId: accountId as AccountId, area, filter: 'GBT' };
			const upload = await drops.begin({ folder: target, name, createdBy: 'alice' });
			await upload.write(0, Buffer.from(content));
			return intake.accept(upload);
		},
		claim: (daemonId = 'one', now = Date.now()) =>
			queueStore(knex, dialect).claim({ daemonId, now, leaseUntil: now + 60_000 }),
		job: async (id) => (await jobStore(knex).findById(id))!,
		ended: (id) =>
			until(`the end of job ${id}`, async () => {
				const job = (await jobStore(knex).findById(id))!;
				return (job.state === 'done' || job.state === 'failed') && job;
			}),
		jobs: (filter = {}) => listNewestJobs({ knex, dialect }, { limit: 1000, ...filter }),
		files: (area, accountId = 7) =>
			dropStore(knex).listPage({ accountId: accountId as AccountId, area, filter: 'GBT' }, {}, 1000),
		async read(file) {
			const reader = await drops.open(folderOf(file), file);
			try {
				return (await reader.read(0, 1e9)).toString('latin1');
			} finally {
				await reader.close();
			}
		},
		startPool(given = {}) {
			const { engine: _, ledgers: __, messages: ___, ...parts } = attempt;
			const workerModule = new URL('./worker-parts.ts', import.meta.url).href;
			const pool = new Pool({
				settling: parts,
				daemonId: 'one',
				workers: 2,
				start: { workerModule, setup },
				leaseMs: 15_000,
				pollMs: 50,
				...given,
			});
			t.teardown(() => pool.close());
			return pool;
		},
	};
}
