// The entry point of a worker thread: it opens its own database connection, keys and engine, and then runs attempts at
// jobs, several at once if the files are small.

import { parentPort, workerData } from 'node:worker_threads';
import { collectStartGarbage, freeCompiledCode } from '../../../base/threads/start-memory.ts';
import { giveWay } from '../../../base/threads/thread-priority.ts';
import type { Progress } from '../../../engine/report.ts';
import { runAttempt } from '../attempts/attempt.ts';
import type { JobRow } from '../job.ts';
import type { WorkerModule } from '../worker-parts.ts';
import type { FromWorker, ToWorker, WorkerStart } from './worker-messages.ts';

const PROGRESS_EVERY_MS = 250;

// Lowers the priority of this thread, because clients wait for the main thread and not for jobs, which would otherwise
// take the processor cores from it.
giveWay();

const { workerModule, setup } = workerData as WorkerStart;
const { openWorkerParts } = (await import(workerModule)) as WorkerModule;
freeCompiledCode();
const parts = await openWorkerParts(setup);

freeCompiledCode();
await collectStartGarbage();

const say = (message: FromWorker) => parentPort!.postMessage(message);
say({ kind: 'ready' });

async function run(job: JobRow): Promise<void> {
	const { id: jobId } = job;
	let saidAtMs = 0;
	const onProgress = (progress: Progress) => {
		const now = performance.now();
		if (now - saidAtMs < PROGRESS_EVERY_MS) return;
		saidAtMs = now;
		const { bytesRead, cards, refused, warned } = progress;
		say({ kind: 'progress', jobId, progress: { bytesRead, cards, refused, warned } });
	};
	try {
		const { state, error, unexpected } = await runAttempt(parts, job, { onProgress });
		const isSpent = unexpected !== undefined;
		if (isSpent) parts.onUnexpected?.(unexpected, jobId);
		say({ kind: 'settled', jobId, state, error, isSpent });
	} catch (error) {
		say({ kind: 'unsettled', jobId, error: error instanceof Error ? error.message : String(error) });
	}
}

async function close(): Promise<void> {
	parentPort!.close();
	await parts.close();
}

parentPort!.on('message', (message: ToWorker) => {
	if (message.kind === 'close') void close();
	else void run(message.job);
});
