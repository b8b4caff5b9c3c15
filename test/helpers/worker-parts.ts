// Opens what a worker thread of a test needs: the engine double over the test's own database, keys and folder.

import { diskBlobStore } from '../../src/base/blobs/disk.ts';
import { openDatabase } from '../../src/base/database/open.ts';
import { openJobEnds } from '../../src/work/jobs/attempts/end-jobs.ts';
import type { WorkerParts } from '../../src/work/jobs/worker-parts.ts';
import { openBegunKeyRing } from './begun-database.ts';
import { engineDouble, ledgersDouble } from './engine-double.ts';
import { messagesOf } from './messages.ts';

export interface WorkerSetup {
	readonly url: string;
	readonly folder: string;
	readonly maxAttempts: number;
	readonly backoffMs: number;
}

export async function openWorkerParts(given: unknown): Promise<WorkerParts> {
	const { url, folder, maxAttempts, backoffMs } = given as WorkerSetup;
	const database = await openDatabase({ url, maxConnections: 3 });
	const keyRing = await openBegunKeyRing(database);
	const engine = engineDouble(database);
	return {
		database,
		ends: openJobEnds(database),
		keyRing,
		blobs: diskBlobStore(folder),
		engine,
		messages: messagesOf({ database, keyRing }),
		ledgers: ledgersDouble(engine),
		maxAttempts,
		backoffMs: () => backoffMs,
		close: () => database.close(),
	};
}
