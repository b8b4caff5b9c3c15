import type { TransferListItem, Worker } from 'node:worker_threads';
import { badInput, type Reason, ServiceError, type Told } from '../errors.ts';
import { startLimitedThread, ThreadHolder } from './thread-holder.ts';

/** An idle thread ends after this time, because each takes some 40 MB. */
const IDLE_MS = 60_000;

/** A thread that has used this part of its time on a core is not kept waiting by others, but by its text. */
const ENOUGH = 0.5;
/** A thread that is kept waiting for a core gets this multiple of its time. */
const MOST_WAITING = 6;

/** What a thread posts: that it is loaded, and then an answer to each message. */
export type FromThread<Result> =
	| { readonly kind: 'ready' }
	| { readonly kind: 'done'; readonly result: Result }
	/**
	 * `refused` means that the thread refused the message as a `ServiceError` does. `broken` means a bug; only the name
	 * of its error leaves the thread.
	 */
	| { readonly kind: 'refused'; readonly reason: string; readonly moreInfo?: string; readonly told?: Told }
	| { readonly kind: 'broken'; readonly name: string };

/** This error means that a thread failed while it worked on a text. */
class ThreadError extends Error {
	override readonly name = 'ThreadError';
}

export interface ThreadSlotOptions {
	/** The file that the thread runs. It posts `FromThread`. */
	readonly file: URL;
	/** The most memory of the thread for objects that live for long, in MiB. */
	readonly heapMb: number;
	/**
	 * The longest time that the thread may take for a message, once it is loaded. On a busy machine it may wait for a core
	 * for longer than that.
	 */
	readonly maxMs: number;
	/** The field of a call whose text the thread reads, such as `body`. */
	readonly field: string;
}

/**
 * Manages one thread that works on texts of others, so that a text that takes long makes only its sender wait. The slot
 * is in one of these states:
 * - *empty*: there is no thread. `run` starts one, and so makes the slot busy.
 * - *busy*: the thread works on one message. Its time counts from the moment at which it is loaded. If the message takes
 *   too long or too much memory, the thread is ended and the slot is empty.
 * - *idle*: the thread waits for the next message. After a minute it is ended.
 *
 * A busy slot takes no second message.
 */
export class ThreadSlot<Message, Result> {
	readonly #options: ThreadSlotOptions;
	readonly #thread: ThreadHolder;
	#idle: NodeJS.Timeout | undefined;
	/** The threads that are loaded. Loading takes long on a busy machine, and is not the fault of a text. */
	readonly #loaded = new WeakSet<Worker>();
	isBusy = false;

	constructor(options: ThreadSlotOptions) {
		this.#options = options;
		const limits = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: options.heapMb };
		this.#thread = new ThreadHolder(() => {
			const worker = startLimitedThread(options.file, limits);
			worker.once('message', () => this.#loaded.add(worker));
			return worker;
		});
	}

	/**
	 * Has the thread work on a message. The slot must not be busy.
	 * @throws ServiceError if the thread refuses the message, or if it takes too long or needs too much memory
	 */
	async run(message: Message, transfer: readonly TransferListItem[] = []): Promise<Result> {
		this.isBusy = true;
		clearTimeout(this.#idle);
		try {
			return await this.#ask(this.#thread.take(), message, transfer);
		} finally {
			this.isBusy = false;
			this.#idle = setTimeout(() => void this.close(), IDLE_MS).unref();
		}
	}

	async close(): Promise<void> {
		clearTimeout(this.#idle);
		// The thread is forgotten before it has ended, so that a message that arrives meanwhile gets a new thread.
		const worker = this.#thread.running;
		this.#thread.release();
		await worker?.terminate();
	}

	#ask(worker: Worker, message: Message, transfer: readonly TransferListItem[]): Promise<Result> {
		const { field, maxMs } = this.#options;
		const tooMuch = (what: string) => badInput(field, `takes ${what} to be read than is available`);
		return new Promise((resolve, reject) => {
			const onMessage = (answer: FromThread<Result>) => {
				if (answer.kind === 'ready') {
					limit();
					return;
				}
				stop();
				if (answer.kind === 'done') resolve(answer.result);
				else if (answer.kind === 'refused') {
					const { moreInfo, told } = answer;
					reject(new ServiceError(answer.reason as Reason, { moreInfo, told }));
				} else reject(new ThreadError(`a thread could not read a ${field}: ${answer.name}`));
			};
			const onError = (cause: Error & { code?: string }) => {
				stop();
				if (cause.code !== 'ERR_WORKER_OUT_OF_MEMORY') reject(new ThreadError('the thread died', { cause }));
				else reject(tooMuch('more memory'));
			};
			const onExit = () => {
				stop();
				reject(new ServiceError('too-many-calls'));
			};
			let endWatch = () => {};
			const limit = () => {
				endWatch = watch(worker, maxMs, () => {
					stop();
					reject(tooMuch('longer'));
					void worker.terminate();
					this.#thread.release();
				});
			};
			const stop = () => {
				// The thread keeps the process alive only while it works on a message.
				worker.unref();
				endWatch();
				worker.off('message', onMessage);
				worker.off('error', onError);
				worker.off('exit', onExit);
			};
			worker.ref();
			if (this.#loaded.has(worker)) limit();
			worker.on('message', onMessage);
			worker.on('error', onError);
			worker.on('exit', onExit);
			worker.postMessage(message, transfer);
		});
	}
}

/**
 * Calls `onOver` when a thread has worked for `maxMs`, or has waited so long for a core that nobody waits any more.
 * Returns a function that ends the watch.
 */
function watch(worker: Worker, maxMs: number, onOver: () => void): () => void {
	const until = performance.now() + maxMs * MOST_WAITING;
	let isEnded = false;
	// A thread that has ended meanwhile tells no time. Its end is reported otherwise.
	const usage = (before?: NodeJS.CpuUsage) => worker.cpuUsage(before).catch(() => undefined);
	const began = usage();
	const look = async () => {
		timer = setTimeout(look, maxMs);
		const spent = performance.now() < until ? await usage(await began) : undefined;
		const isOver = performance.now() >= until || (spent && (spent.user + spent.system) / 1000 >= maxMs * ENOUGH);
		if (isOver && !isEnded) onOver();
	};
	let timer = setTimeout(look, maxMs);
	return () => {
		isEnded = true;
		clearTimeout(timer);
	};
}
