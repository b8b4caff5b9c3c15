// Measures one pass over one file in a process of its own: `node transfer-once.ts '{…}'` prints one line of JSON.

import { open } from 'node:fs/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { formats } from '../formats/index.ts';
import { diskBlobStore } from '../src/base/blobs/disk.ts';
import type { SpoolStore } from '../src/base/blobs/spool.ts';
import { systemClock } from '../src/base/clock.ts';
import type { AccountId, PassId } from '../src/base/database/ids.ts';
import { openDatabase } from '../src/base/database/open.ts';
import { migrate } from '../src/base/database/schema.ts';
import { makeUlid } from '../src/base/database/ulid.ts';
import { openKeyRing } from '../src/base/keys/key-ring.ts';
import { localRootKey } from '../src/base/keys/providers/local.ts';
import { transferEngine } from '../src/engine/engine.ts';
import { readPieces } from '../src/engine/file-source.ts';
import type { Direction } from '../src/engine/format.ts';
import type { Summary } from '../src/engine/report.ts';
import type { DropFolder } from '../src/work/drops/drop-store.ts';
import { type AttemptReport, openAttemptReport, writeReports } from '../src/work/jobs/attempts/attempt-report.ts';
import { WORKER_LIMITS } from '../src/work/jobs/queue/worker-slot.ts';

const FOLDER: DropFolder = { accountId: 1 as AccountId, area: 'reports', filter: 'BENCH' };

export interface TransferOnce {
	readonly databaseUrl: string;
	readonly filter: string;
	readonly direction: Direction;
	readonly input: string;
	readonly output: string;
	/** The folder for the sealed files of a report, as a job has them; if undefined, nothing is reported. */
	readonly reportFolder?: string;
	/** True to pass the file twice and measure the second pass, without what the first one compiles and allocates. */
	readonly isWarm?: boolean;
}

export interface TransferOnceResult {
	readonly seconds: number;
	/** The time of all processors for the pass, in which the threads of the engine of JavaScript count too. */
	readonly processorSeconds: number;
	readonly cards: number;
	readonly bytes: number;
	/** The largest resident memory of the process in MB, start-up included. */
	readonly peakMb: number;
	/** The length of the report as JSON, 0 if there is none. */
	readonly reportBytes: number;
}

/** Runs one pass over the file, or two of which the second is measured. */
async function run(task: TransferOnce): Promise<TransferOnceResult> {
	if (task.isWarm) await pass(task);
	return pass(task);
}

async function pass(task: TransferOnce): Promise<TransferOnceResult> {
	const database = await openDatabase({ url: task.databaseUrl });
	await migrate(database);
	const root = localRootKey(Buffer.alloc(32, 1), 'benchmark');
	const keyRing = await openKeyRing({ database, root, environment: 'sandbox' });
	const accountId = 1 as AccountId;
	const engine = transferEngine({
		database,
		keyRing,
		formats,
		accounts: {
			getAccount: async () => ({ ownerId: accountId, accountId, hasCvvRetention: false }),
			resolveMerchant: async () => accountId,
		},
		clock: systemClock,
	});
	const spool = task.reportFolder === undefined ? undefined : { keyRing, blobs: diskBlobStore(task.reportFolder) };
	const report = spool && (await openAttemptReport(spool, FOLDER, {}));
	const passId = `01bench${Date.now()}${process.pid}` as PassId;
	const output = await open(task.output, 'w');
	const usage = process.cpuUsage();
	const started = performance.now();
	const summary = await engine.run({
		pass: { id: passId, begunAt: Date.now() },
		accountId,
		direction: task.direction,
		filter: task.filter,
		options: {},
		source: readPieces(task.input, 262_144),
		sink: {
			async write(bytes) {
				await output.write(bytes);
			},
		},
		report: report?.book ?? { entry: () => undefined },
	});
	const reportBytes = report ? await writeReport(spool!, report, task, summary) : 0;
	await database.knex.transaction((transaction) => engine.adopt(transaction, [passId]));
	const seconds = (performance.now() - started) / 1000;
	const { user, system } = process.cpuUsage(usage);
	await output.close();
	await database.close();
	return {
		seconds,
		processorSeconds: (user + system) / 1e6,
		cards: summary.cards,
		bytes: summary.bytesRead,
		// Node tells kilobytes of 1,024 bytes.
		peakMb: (process.resourceUsage().maxRSS * 1024) / 1e6,
		reportBytes,
	};
}

async function writeReport(spool: SpoolStore, report: AttemptReport, task: TransferOnce, summary: Summary) {
	const { bytesRead, cards, refused, warned, otherNumbers } = summary;
	const job = {
		...{ state: 'done' as const, filter: task.filter, operation: task.direction, name: 'bench', error: null },
		...{ bytesRead, bytesTotal: bytesRead, cards, refused, warned, otherNumbers, createdAt: '', finishedAt: null },
	};
	const made = await writeReports(
		spool,
		FOLDER,
		{ job, counts: summary },
		{
			told: report,
			makeBlobId: () => makeUlid(Date.now()),
		},
	);
	return made.jsonReport.size;
}

// The pass runs in a thread with the limits of a job's thread, so that memory and speed are those of a job.
if (isMainThread) {
	const task = JSON.parse(process.argv[2]) as TransferOnce;
	const worker = new Worker(new URL(import.meta.url), { workerData: task, resourceLimits: WORKER_LIMITS });
	worker.on('message', (result) => process.stdout.write(`${JSON.stringify(result)}\n`));
} else {
	parentPort!.postMessage(await run(workerData as TransferOnce));
}
