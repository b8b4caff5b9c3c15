import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../base/log/log.ts';
import { inTime } from '../../base/threads/in-time.ts';
import type { Welcome } from '../welcome.ts';
import { type Hearing, Line, type LineEnd } from './line.ts';

export interface PlaceOptions {
	readonly number: number;
	readonly logger: Pick<Logger, 'info' | 'error'>;
	/** What a process of this place may ask and tell. */
	readonly hearings: Readonly<Record<string, Hearing>>;
	onEnded(): void;
}

/** How a start went: the process is ready, or it has ended before with an exit code. */
export type StartOutcome = { readonly welcome: Welcome } | { readonly code: number };

/** A process that has served for so long has ended for another reason than the one before it. */
const SETTLED_MS = 60_000;
const LONGEST_WAIT_MS = 30_000;
/** This exit code stands for a process that a signal has ended. */
const EXIT_KILLED = 70;

/** Returns how long to wait before the next start, after so many ends in quick succession. */
export function waitMs(ends: number): number {
	return ends <= 1 ? 0 : Math.min(LONGEST_WAIT_MS, 500 * 2 ** (ends - 2));
}

interface Running {
	readonly worker: Worker;
	readonly line: Line;
	readonly startedMs: number;
	readonly ended: Promise<void>;
	isReady: boolean;
}

/**
 * The place of one process. It is *empty* at first, and while it waits to start the next process. Then the process is
 * *starting*, until it says that it is ready, and *ready*, until it ends. Once the place is closing, its process is asked to
 * stop, and no other is started.
 */
export class Place {
	readonly #options: PlaceOptions;
	#running: Running | undefined;
	#ends = 0;
	#isClosing = false;
	#wait = new AbortController();

	constructor(options: PlaceOptions) {
		this.#options = options;
	}

	get number(): number {
		return this.#options.number;
	}

	get isReady(): boolean {
		return this.#running?.isReady ?? false;
	}

	/** Starts a process. If it `isVital` and ends before it is ready, the place starts no other. */
	begin({ isVital = false } = {}): Promise<StartOutcome> {
		const { number, logger, hearings } = this.#options;
		const outcome = Promise.withResolvers<StartOutcome>();
		const ended = Promise.withResolvers<void>();
		const worker = cluster.fork();
		const running: Running = {
			worker,
			line: new Line(worker as LineEnd, {
				...hearings,
				ready: (welcome: Welcome) => {
					running.isReady = true;
					logger.info({ process: number, pid: worker.process.pid }, 'a process is ready');
					outcome.resolve({ welcome });
				},
			}),
			startedMs: performance.now(),
			ended: ended.promise,
			isReady: false,
		};
		this.#running = running;
		worker.on('error', (err) => logger.error({ process: number, err }, 'a process cannot be reached'));
		worker.once('exit', (code: number | null, signal: string | null) => {
			ended.resolve();
			outcome.resolve({ code: code ?? EXIT_KILLED });
			this.#isClosing ||= isVital && !running.isReady;
			this.#end(running, { pid: worker.process.pid, code, signal });
		});
		return outcome.promise;
	}

	/** Asks the process; returns undefined if none is ready or it does not answer in time. */
	async ask<Answer>(subject: string, withinMs: number): Promise<Answer | undefined> {
		if (!this.#running?.isReady) return undefined;
		const answer = this.#running.line.ask<Answer>(subject).catch(() => undefined);
		return inTime(answer, withinMs, undefined);
	}

	tell(subject: string, value: unknown = null): void {
		this.#running?.line.tell(subject, value);
	}

	signal(name: 'SIGHUP'): void {
		this.#running?.worker.process.kill(name);
	}

	async close(): Promise<void> {
		this.#isClosing = true;
		this.#wait.abort();
		this.tell('stop');
		await this.#running?.ended;
	}

	#end(running: Running, how: { pid?: number; code: number | null; signal: string | null }): void {
		const { number, logger, onEnded } = this.#options;
		running.line.close();
		this.#running = undefined;
		onEnded();
		if (this.#isClosing) return;
		this.#ends = performance.now() - running.startedMs > SETTLED_MS ? 1 : this.#ends + 1;
		const againInMs = waitMs(this.#ends);
		logger.error({ process: number, ...how, againInMs }, 'a process has ended: another takes its place');
		this.#wait = new AbortController();
		sleep(againInMs, undefined, { signal: this.#wait.signal }).then(
			() => void this.begin(),
			() => {},
		);
	}
}
