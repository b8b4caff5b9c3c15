// Threads in which bodies are read, so that a large one holds up nobody else. What they may have in memory together is
// bounded, and no account's bodies keep those of others waiting.

import { ServiceError } from '../../errors.ts';
import { BodySlot } from './body-slot.ts';
import type { BodyResult, BodyTask } from './body-task.ts';
import { workBytes } from './work-bytes.ts';

export interface BodyPoolOptions {
	readonly bodyThreads: number;
	/** What bodies in threads, and those that wait for one, may take together with what is made of them. */
	readonly bodyMemoryBytes: number;
	/** Longest time one may take. */
	readonly maxMs?: number;
}

/** Bodies that wait. More would not be read within the time of a round trip. */
const MAX_WAITING = 256;
const MAX_MS = 5_000;

interface Waiting {
	readonly account: unknown;
	readonly task: BodyTask;
	readonly bytes: Uint8Array<ArrayBuffer>;
	readonly resolve: (result: BodyResult) => void;
	readonly reject: (error: unknown) => void;
}

export class BodyPool {
	readonly #options: BodyPoolOptions;
	readonly #slots: BodySlot[];
	/** By account, each in its turn: the first account of the map is the next to have one read. */
	readonly #waiting = new Map<unknown, Waiting[]>();
	#waitingCount = 0;
	/** Accounts whose bodies are in a thread. One of them leaves a thread to others. */
	readonly #running: unknown[] = [];
	/** Of bodies, waiting or in a thread. */
	#bodyBytes = 0;
	/** Of what is made of those in threads. */
	#workBytes = 0;
	#isClosed = false;

	constructor(options: BodyPoolOptions) {
		this.#options = options;
		this.#slots = Array.from({ length: options.bodyThreads }, () => new BodySlot(options.maxMs ?? MAX_MS));
	}

	/** Bytes in use, for figures and tests. */
	get usedBytes(): number {
		return this.#bodyBytes + this.#workBytes;
	}

	/**
	 * Does a task in a thread, which takes the bytes over. One that goes on with a body that was read is never refused.
	 * @throws ServiceError `too-many-calls` when the memory for bodies is used up, else whatever the task is refused for
	 */
	run(account: unknown, task: BodyTask, bytes: Uint8Array<ArrayBuffer>): Promise<BodyResult> {
		const { bodyMemoryBytes } = this.#options;
		// Room is kept for one to be read, or those that wait would take all of it.
		const isTooMuch = this.#bodyBytes + bytes.length + workBytes(task, bytes.length) > bodyMemoryBytes;
		const isRefused = task.kind !== 'swap' && (isTooMuch || this.#waitingCount >= MAX_WAITING);
		if (this.#isClosed || isRefused) {
			// It was taken over, and nobody looks at it any more.
			bytes.buffer.transfer(0);
			return Promise.reject(new ServiceError('too-many-calls'));
		}
		this.#bodyBytes += bytes.length;
		const { promise, resolve, reject } = Promise.withResolvers<BodyResult>();
		const queue = this.#waiting.get(account);
		const waiting = { account, task, bytes, resolve, reject };
		if (queue) queue.push(waiting);
		else this.#waiting.set(account, [waiting]);
		this.#waitingCount++;
		this.#dispatch();
		return promise;
	}

	/** Ends the threads at once; what waits is refused. */
	async close(): Promise<void> {
		this.#isClosed = true;
		for (const waiting of [...this.#waiting.values()].flat()) waiting.reject(new ServiceError('too-many-calls'));
		this.#waiting.clear();
		this.#waitingCount = 0;
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
				.run(task, bytes)
				.then(resolve, reject)
				.finally(() => {
					this.#running.splice(this.#running.indexOf(account), 1);
					this.#bodyBytes -= length;
					this.#workBytes -= work;
					this.#dispatch();
				});
		}
	}

	/** The next one that there is memory for; where nothing is being read there always is. */
	#next(): Waiting | undefined {
		const isIdle = this.#slots.every((slot) => !slot.isBusy);
		for (const [account, queue] of this.#waiting) {
			const own = this.#running.filter((each) => each === account).length;
			if (own > 0 && own >= this.#options.bodyThreads - 1) continue;
			const [{ task, bytes }] = queue;
			if (!isIdle && this.usedBytes + workBytes(task, bytes.length) > this.#options.bodyMemoryBytes) continue;
			const next = queue.shift()!;
			this.#waitingCount--;
			this.#waiting.delete(account);
			if (queue.length > 0) this.#waiting.set(account, queue);
			return next;
		}
		return undefined;
	}
}
