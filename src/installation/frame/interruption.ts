// What becomes of a command that is ended by SIGINT or SIGTERM, for example by Ctrl-C.

import { rmSync } from 'node:fs';
import type { ProcessPort } from '../../base/lifecycle.ts';

/** The exit code of a command that was interrupted, as shells have it for SIGINT. */
export const EXIT_INTERRUPTED = 130;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** A command that cleans up by itself gets this much time; then it is ended all the same. */
const CLEANING_MS = 5_000;

export class InterruptedError extends Error {
	override readonly name = 'InterruptedError';
}

/** Ends one command when a signal comes. Unless the command cleans up by itself, the process ends at once. */
export class Interruption {
	readonly #controller = new AbortController();
	readonly #partials = new Set<string>();
	readonly #onSignal: (signal: string) => void;
	readonly #host: ProcessPort | undefined;
	#cleansUp = false;

	/** Handles the signals of `host`, if there is one. `say` tells the person. */
	constructor(host: ProcessPort | undefined, say: (error: InterruptedError) => void) {
		this.#host = host;
		const leave = (error: InterruptedError) => {
			for (const path of this.#partials) rmSync(path, { force: true });
			say(error);
			host?.exit(EXIT_INTERRUPTED);
		};
		this.#onSignal = (signal) => {
			const isFirst = !this.#controller.signal.aborted;
			const error = new InterruptedError(`interrupted by ${signal}: the command did not finish`);
			this.#controller.abort(error);
			if (!this.#cleansUp || !isFirst) leave(error);
			else setTimeout(leave, CLEANING_MS, error).unref();
		};
		for (const signal of SIGNALS) host?.on(signal, this.#onSignal);
	}

	/** @throws InterruptedError if the command was interrupted */
	check(): void {
		this.#controller.signal.throwIfAborted();
	}

	/** Returns a signal for a command that, once it is aborted, removes what it has written in part and then fails. */
	cleaningUp(): AbortSignal {
		this.#cleansUp = true;
		return this.#controller.signal;
	}

	/** Names a file that is removed if the command is ended before it is whole. Returns a function that says that it is. */
	partial(path: string): () => void {
		this.#partials.add(path);
		return () => void this.#partials.delete(path);
	}

	/** Handles no more signals. A process that was interrupted ends. */
	close(): void {
		for (const signal of SIGNALS) this.#host?.off(signal, this.#onSignal);
	}
}
