// This thread writes to a SQLite database in turn with the test that started it.

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { transact } from '../../src/base/database/dialect.ts';
import { openDatabase } from '../../src/base/database/open.ts';

export interface WritingThread {
	readonly url: string;
	readonly writeTurn: SharedArrayBuffer | undefined;
	/** The number of transactions, each of which adds one to the first counter. */
	readonly times: number;
	/** How many milliseconds each of them stays open. */
	readonly openMs: number;
	/** Whether each of them stays open until the test sends a message. */
	readonly openUntilTold?: boolean;
	/** Whether the thread ends within its last transaction. */
	readonly endsWithin?: boolean;
}

const { url, writeTurn, times, openMs, openUntilTold, endsWithin } = workerData as WritingThread;
const database = await openDatabase({ url, writeTurn });
for (let n = 1; n <= times; n++) {
	await transact(database, async (transaction) => {
		const { next } = await transaction('counted').first('next');
		const told = openUntilTold ? once(parentPort!, 'message') : undefined;
		if (n === 1) parentPort!.postMessage('writing');
		if (openMs > 0) await sleep(openMs);
		await told;
		if (endsWithin && n === times) process.exit(0);
		await transaction('counted').update({ next: next + 1 });
	});
}
await database.close();
// A thread that has listened for messages ends only when its port is closed.
parentPort!.close();
