// Runs threads in which large bodies are read, so that other requests need not wait. The memory of all threads together
// is limited, and the bodies of one account do not keep those of others waiting.

import { ServiceError } from '../../../base/errors.ts';
import { FairQueue } from '../../../base/threads/fair-queue.ts';
import { ThreadSlot } from '../../../base/threads/thread-slot.ts';
import { MAX_JSON_TAPE_BYTES } from '../selectors/json/tape.ts';
import { MAX_XML_TAPE_BYTES } from '../selectors/xml/tape.ts';
import type { BodyResult, BodyTask, ToBodyThread } from './body-task.ts';

export interface BodyPoolOptions {
	readonly bodyThreads: number;
	/** The memory that waiting bodies, bodies in threads and their results may use together. */
	readonly bodyMemoryBytes: number;
	readonly maxMs?: number;
}

/** At most this many bodies wait for a thread. Of more, the last would not be read in the time of a call. */
const MAX_WAITING = 256;
const MAX_MS = 5_000;

/** The heap is small, because it holds the values found in bodies, but not the bodies. */
const HEAP_MB = 112;

interface Waiting {
	readonly account: unknown;
	readonly task: BodyTask;
	readonly bytes: Uint8Array<ArrayBuffer>;
	readonly resolve: (result: BodyResult) => void;
	readonly reject: (error: unknown) => void;
}

export class BodyPool {
	readonly #options: BodyPoolOptions;
	readonly #slots: ThreadSlot<ToBodyThread, BodyResult>[];
	readonly #waiting = new FairQueue<Waiting>();
	/** The accounts whose bodies are in a thread. If there are several threads, one account never uses all of them. */
	readonly #running: unknown[] = [];
	#bodyBytes = 0;
	/** The bytes that the threads need in addition to the bodies themselves, for searching them and for the results. */
	#workBytes = 0;
	#isClosed = false;

	constructor(options: BodyPoolOptions) {
		this.#options = options;
		const file = new URL('./body-thread.ts', import.meta.url);
		const slot = { file, heapMb: HEAP_MB, maxMs: options.maxMs ?? MAX_MS, field: 'body' };
		this.#slots = Array.from({ length: options.bodyThreads }, () => new ThreadSlot(slot));
	}

	get usedBytes(): number {
		return this.#bodyBytes + this.#workBytes;
	}

	/**
	 * Does a task in a thread. The caller must not use the given bytes any more.
	 * @throws ServiceError `too-many-calls` if the memory for bodies is used up, otherwise the reason why the task is
	 * refused
	 */
	run(account: unknown, task: BodyTask, bytes: Uint8Array<ArrayBuffer>): Promise<BodyResult> {
		const { bodyMemoryBytes } = this.#options;
		// A body is accepted only if the memory for working on it is also free. Otherwise bodies that wait could take all
		// the memory, and none of them could be worked on.
		const isTooMuch = this.#bodyBytes + bytes.length + workBytes(task, bytes.length) > bodyMemoryBytes;
		if (this.#isClosed || isTooMuch || this.#waiting.size >= MAX_WAITING) {
			// The pool has taken the bytes over from the caller, so it frees their memory.
			bytes.buffer.transfer(0);
			return Promise.reject(new ServiceError('too-many-calls'));
		}
		this.#bodyBytes += bytes.length;
		const { promise, resolve, reject } = Promise.withResolvers<BodyResult>();
		this.#waiting.add(account, { account, task, bytes, resolve, reject });
		this.#dispatch();
		return promise;
	}

	/** Ends the threads at once; waiting bodies are refused. */
	async close(): Promise<void> {
		this.#isClosed = true;
		for (let left = this.#waiting.take(); left !== undefined; left = this.#waiting.take()) {
			left.reject(new ServiceError('too-many-calls'));
		}
		await Promise.all(this.#slots.map((slot) => slot.close()));
	}

	#dispatch(): void {
		for (;;) {
			const slot = this.#slots.find((each) => !each.isBusy);
			const next = slot && this.#next();
			if (next === undefined) return;
			const { account, task, bytes, resolve, reject } = next;
			this.#running.push(account);
			const length = bytes.length;
			const work = workBytes(task, length);
			this.#workBytes += work;
			slot!
				.run({ task, bytes }, [bytes.buffer])
				.then(resolve, reject)
				.finally(() => {
					this.#running.splice(this.#running.indexOf(account), 1);
					this.#bodyBytes -= length;
					this.#workBytes -= work;
					this.#dispatch();
				});
		}
	}

	/**
	 * Returns the next waiting body for which there is enough memory. While no thread works on a body, memory is not
	 * checked: nothing would become free later, so the waiting bodies would block each other for ever.
	 */
	#next(): Waiting | undefined {
		const isIdle = this.#slots.every((slot) => !slot.isBusy);
		return this.#waiting.take((account, { task, bytes }) => {
			const own = this.#running.filter((each) => each === account).length;
			if (own > 0 && own >= this.#options.bodyThreads - 1) return false;
			return isIdle || this.usedBytes + workBytes(task, bytes.length) <= this.#options.bodyMemoryBytes;
		});
	}
}

/**
 * The memory that one byte of a body may take on a tape, the list of the body's values. The worst cases are JSON values
 * of one digit, which take two bytes with the comma, and XML elements of four bytes.
 */
const TAPE_BYTES_PER_BYTE = 14;

function workBytes(task: BodyTask, length: number): number {
	if (task.kind === 'echoes') return length;
	// A profile or a destination is short, and what is made of it lies in the heap of the thread, which has a limit.
	if (!('profile' in task)) return 0;
	const output = task.kind === 'try' ? 0 : length;
	const { body } = task.profile;
	const most = body === 'json' ? MAX_JSON_TAPE_BYTES : body === 'xml' ? MAX_XML_TAPE_BYTES : length;
	return output + Math.min(most, length * TAPE_BYTES_PER_BYTE);
}
