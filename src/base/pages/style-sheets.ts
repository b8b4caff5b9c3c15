// Makes style sheets of others harmless in a thread, each once: what was made of it is remembered.

import { createHash } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import { FairQueue } from '../threads/fair-queue.ts';
import { ThreadSlot } from '../threads/thread-slot.ts';
import type { SafeSheet } from './css.ts';

/** The longest time for one sheet. The longest sheet that is accepted takes some tens of milliseconds. */
const MAX_MS = 5_000;
const HEAP_MB = 64;
/** At most this many sheets of one account wait for the thread. */
const MAX_WAITING = 32;
/** At most this many sheets are remembered, those used most recently. */
const MAX_KEPT = 100;

interface Waiting {
	readonly css: string;
	readonly resolve: (sheet: SafeSheet) => void;
	readonly reject: (error: unknown) => void;
}

export interface StyleSheets {
	/**
	 * Returns the harmless part of a sheet, or why the sheet is refused. Accounts take turns in the thread.
	 * @throws ServiceError `too-many-calls` if too many sheets of the account wait
	 */
	read(account: unknown, css: string): Promise<SafeSheet>;
}

/** Opens the reader of style sheets. Its thread starts when a sheet is new, and ends by itself. */
export function openStyleSheets({ maxMs = MAX_MS }: { readonly maxMs?: number } = {}): StyleSheets {
	const file = new URL('./style-thread.ts', import.meta.url);
	const slot = new ThreadSlot<string, SafeSheet>({ file, heapMb: HEAP_MB, maxMs, field: 'css' });
	const waiting = new FairQueue<Waiting>();
	/** The sheets by their hash, the one used last at the end. Those that are being read are among them. */
	const kept = new Map<string, Promise<SafeSheet>>();

	const dispatch = () => {
		const next = slot.isBusy ? undefined : waiting.take();
		if (next) void slot.run(next.css).then(next.resolve, next.reject).finally(dispatch);
	};
	const readAnew = async (account: unknown, css: string): Promise<SafeSheet> => {
		if (waiting.sizeOf(account) >= MAX_WAITING) throw new ServiceError('too-many-calls');
		const { promise, resolve, reject } = Promise.withResolvers<SafeSheet>();
		waiting.add(account, { css, resolve, reject });
		dispatch();
		return promise.catch((error: unknown) => {
			// A sheet that takes too long is remembered as refused. Otherwise each page would have it read again.
			const problem = error instanceof ServiceError ? error.said.problem : undefined;
			if (problem === undefined) throw error;
			return { css: '', problem };
		});
	};
	return {
		read(account, css) {
			const hash = createHash('sha256').update(css).digest('base64');
			const read = kept.get(hash) ?? readAnew(account, css);
			kept.delete(hash);
			kept.set(hash, read);
			if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!);
			read.catch(() => kept.get(hash) === read && kept.delete(hash));
			return read;
		},
	};
}
