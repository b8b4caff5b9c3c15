/** This error is thrown if the session ended before the operation began. */
export class SessionEnded extends Error {
	override readonly name = 'SessionEnded';
}

type Kind = 'read' | 'write' | 'alone';

interface Waiting {
	readonly kind: Kind;
	readonly begin: () => void;
	readonly drop: () => void;
}

/**
 * Keeps the order of operations on one handle. READs overlap with READs and WRITEs with WRITEs, as clients pipeline
 * them; any other operation waits for all before it and delays all after it. So a CLOSE sees every WRITE sent before
 * it.
 */
export class HandleOrder {
	#kind: Kind = 'alone';
	#running = 0;
	#waiting: Waiting[] = [];

	run<Result>(kind: Kind, operation: () => Promise<Result>): Promise<Result> {
		if (this.#waiting.length === 0 && this.#mayBegin(kind)) return this.#start(kind, operation);
		return new Promise((resolve, reject) => {
			this.#waiting.push({
				kind,
				begin: () => this.#start(kind, operation).then(resolve, reject),
				drop: () => reject(new SessionEnded('session ended')),
			});
		});
	}

	/** Drops the operations that have not begun. Those that run continue to their end. */
	dropWaiting(): void {
		for (const { drop } of this.#waiting.splice(0)) drop();
	}

	#mayBegin(kind: Kind): boolean {
		return this.#running === 0 || (kind === this.#kind && kind !== 'alone');
	}

	async #start<Result>(kind: Kind, operation: () => Promise<Result>): Promise<Result> {
		this.#kind = kind;
		this.#running += 1;
		try {
			return await operation();
		} finally {
			this.#running -= 1;
			this.#beginWaiting();
		}
	}

	#beginWaiting(): void {
		while (this.#waiting.length > 0 && this.#mayBegin(this.#waiting[0].kind)) this.#waiting.shift()?.begin();
	}
}
