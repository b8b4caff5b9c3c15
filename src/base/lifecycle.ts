// Opens resources in order, closes them in reverse, and stops a daemon on a signal within a deadline.

import type { EventEmitter } from 'node:events';
import process from 'node:process';
import { isatty } from 'node:tty';
import type { Logger } from './log/log.ts';

export interface Closable {
	close(): Promise<void> | void;
}

interface Release {
	readonly name: string;
	run(): Promise<void> | void;
}

/** Holds the resources opened so far. Code that opens one registers its release at once. */
export class Releases {
	readonly #releases: Release[] = [];
	#isReleased = false;
	#current: string | null = null;

	add(name: string, run: () => Promise<void> | void): void {
		if (this.#isReleased) throw new Error(`internal error: ${name} was opened after the release`);
		this.#releases.push({ name, run });
	}

	/** Registers `resource.close()` and returns the resource: `const database = releases.opened('database', …)`. */
	opened<T extends Closable>(name: string, resource: T): T {
		this.add(name, () => resource.close());
		return resource;
	}

	/** Returns the name of the resource that is being released now, to explain a slow stop. */
	get current(): string | null {
		return this.#current;
	}

	/**
	 * Runs every release, last in first out, even after one of them failed. It may be called once.
	 * @throws the first error, after all of them ran
	 */
	async release(): Promise<void> {
		if (this.#isReleased) throw new Error('internal error: released twice');
		this.#isReleased = true;
		const errors: unknown[] = [];
		for (const { name, run } of this.#releases.reverse()) {
			this.#current = name;
			try {
				await run();
			} catch (error) {
				errors.push(error);
			}
		}
		this.#current = null;
		if (errors.length > 0) throw errors[0];
	}
}

/**
 * Runs `open`, which opens resources and registers their releases. If it fails, these releases run and its error is
 * thrown; otherwise the caller owns `releases` and must release them, usually in a `close`.
 */
export async function withReleases<T>(open: (releases: Releases) => Promise<T>): Promise<T> {
	const releases = new Releases();
	try {
		return await open(releases);
	} catch (error) {
		// The error that stopped the start is reported, and not the errors of the cleanup, which follow from it.
		await releases.release().catch(() => {});
		throw error;
	}
}

/** This exit code means an internal software error in `sysexits.h`. */
const EXIT_INTERNAL = 70;
const EXIT_FAILED = 1;
const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
type StopSignal = keyof typeof SIGNALS;
const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** This is the part of `process` that a daemon needs; tests replace it. */
export interface ProcessPort extends Pick<EventEmitter, 'on' | 'off' | 'listenerCount'> {
	exit(code: number): void;
}

/**
 * Describes a service that runs until it is stopped. `close` stops accepting work, lets running work finish, and
 * releases everything.
 */
export interface Running extends Closable {
	/** Returns the name of the step that `close` is at, for the log line about a `close` that hangs. */
	stage?(): string | null;
	/** Resolves to an error after which the service must not go on, not even to close in order. */
	failed?(): Promise<Error>;
}

export interface RunOptions {
	readonly logger: Logger;
	readonly open: () => Promise<Running>;
	/** The time that `close` may take after the signal; then the process ends without waiting for it. */
	readonly deadlineMs: number;
	readonly host?: ProcessPort;
	/** True if the process has a terminal that may be closed. */
	readonly isInTerminal?: boolean;
}

/**
 * Opens the service, waits for SIGTERM or SIGINT, and closes it. Returns the exit code: 0, or 1 if closing failed. A
 * second signal, or a stop beyond its deadline, ends the process at once. Signals are handled before anything is
 * opened, because the first process of a container would otherwise ignore them; a signal during opening takes effect
 * afterwards. SIGHUP without a handler would end the process. If the process has a terminal and no other code listens
 * for SIGHUP, it means that the terminal was closed, and stops the daemon in order. Otherwise it means reload and is
 * ignored here. A service that must not go on ends the process with code 70.
 * @throws the error that `open` throws
 */
export async function runUntilSignal(options: RunOptions): Promise<number> {
	const { logger, open, deadlineMs, host = process, isInTerminal = [0, 1, 2].some((fd) => isatty(fd)) } = options;
	let running: Running | undefined;
	let watchdog: NodeJS.Timeout | undefined;
	const stopping = Promise.withResolvers<void>();
	const stage = () => running?.stage?.() ?? null;
	const onSignal = (signal: StopSignal) => {
		if (watchdog !== undefined) {
			logger.warn({ signal, stage: stage() }, 'second signal: ending at once');
			host.exit(128 + SIGNALS[signal]);
			return;
		}
		logger.info({ signal, deadlineMs }, 'stopping');
		watchdog = setTimeout(() => {
			logger.error({ stage: stage(), deadlineMs }, 'stopping takes too long: ending at once');
			host.exit(EXIT_FAILED);
		}, deadlineMs);
		stopping.resolve();
	};
	const onHangup = () => {
		if (watchdog !== undefined) return;
		if (isInTerminal && host.listenerCount('SIGHUP') === 1) onSignal('SIGHUP');
		else logger.info({ signal: 'SIGHUP' }, 'going on');
	};
	for (const name of STOP_SIGNALS) host.on(name, onSignal);
	host.on('SIGHUP', onHangup);
	try {
		running = await open();
		void running.failed?.().then((err) => {
			logger.fatal({ err }, 'ending at once');
			host.exit(EXIT_INTERNAL);
		});
		await stopping.promise;
		return await closeLogged(running, logger);
	} finally {
		clearTimeout(watchdog);
		for (const name of STOP_SIGNALS) host.off(name, onSignal);
		host.off('SIGHUP', onHangup);
	}
}

async function closeLogged(running: Running, logger: Logger): Promise<number> {
	try {
		await running.close();
		logger.info('stopped');
		return 0;
	} catch (error) {
		logger.error({ err: error }, 'stopping failed');
		return EXIT_FAILED;
	}
}

/**
 * Ends the process with code 70 on an uncaught error: its state is unknown, and everything acknowledged is durable, so
 * a fresh start is safe. Returns a function that removes the listeners.
 */
export function exitOnUncaught(logger: Logger, host: ProcessPort = process): () => void {
	const listener = (kind: string) => (error: unknown) => {
		logger.fatal({ err: error }, kind);
		host.exit(EXIT_INTERNAL);
	};
	const onException = listener('uncaught exception');
	const onRejection = listener('unhandled rejection');
	host.on('uncaughtException', onException);
	host.on('unhandledRejection', onRejection);
	return () => {
		host.off('uncaughtException', onException);
		host.off('unhandledRejection', onRejection);
	};
}
