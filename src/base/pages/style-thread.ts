// The entry point of the thread that reads style sheets of others. It opens no files and no connections.

import { parentPort } from 'node:worker_threads';
import { giveWay } from '../threads/thread-priority.ts';
import type { FromThread } from '../threads/thread-slot.ts';
import { type SafeSheet, safeSheet } from './css.ts';

giveWay();
// The parser makes an error for everything that it cannot read. To note where an error was made takes most of its time.
Error.stackTraceLimit = 0;

parentPort!.on('message', (css: string) => {
	let answer: FromThread<SafeSheet>;
	try {
		answer = { kind: 'done', result: safeSheet(css) };
	} catch (error) {
		answer = { kind: 'broken', name: error instanceof Error ? error.name : typeof error };
	}
	parentPort!.postMessage(answer);
});
parentPort!.postMessage({ kind: 'ready' } satisfies FromThread<SafeSheet>);
