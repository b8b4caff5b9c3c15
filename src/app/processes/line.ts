// What the supervisor and its processes say to each other. Nothing of it leaves the machine: it goes through the channel that
// Node opens between a process and the one that has started it.

export interface LineEnd {
	send(message: unknown, done: (error: Error | null) => void): unknown;
	on(event: 'message', listener: (message: unknown) => void): unknown;
	off(event: 'message', listener: (message: unknown) => void): unknown;
}

/** Takes what the other end says about one subject. What it returns is the answer, if the other end waits for one. */
export type Hearing = (value: never) => unknown;

interface Message {
	readonly subject: string;
	readonly value: unknown;
	/** Set if the other end waits for an answer, and in that answer. */
	readonly id?: number;
}

const ANSWER = 'answer';

/** A line to another process, on which each end tells and asks. */
export class Line {
	readonly #end: LineEnd;
	readonly #hearings: Readonly<Record<string, Hearing>>;
	readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
	readonly #listener = (message: unknown) => void this.#take(message as Message);
	#lastId = 0;
	#isClosed = false;

	constructor(end: LineEnd, hearings: Readonly<Record<string, Hearing>>) {
		this.#end = end;
		this.#hearings = hearings;
		end.on('message', this.#listener);
	}

	tell(subject: string, value: unknown): void {
		this.#send({ subject, value });
	}

	/** @throws Error if the other end fails, or ends before it has answered */
	ask<Answer>(subject: string, value: unknown = null): Promise<Answer> {
		const id = ++this.#lastId;
		const answer = Promise.withResolvers<unknown>();
		this.#waiting.set(id, answer);
		if (this.#isClosed) this.#fail();
		else this.#send({ subject, value, id });
		return answer.promise as Promise<Answer>;
	}

	/** Whoever still waits for an answer gets an error. */
	close(): void {
		this.#isClosed = true;
		this.#end.off('message', this.#listener);
		this.#fail();
	}

	#fail(): void {
		for (const { reject } of this.#waiting.values()) reject(new Error('the other process has ended'));
		this.#waiting.clear();
	}

	#send(message: Message): void {
		// The other process may end at any moment. Whoever started it is told so, and closes the line.
		if (!this.#isClosed) this.#end.send(message, () => {});
	}

	async #take({ subject, value, id }: Message): Promise<void> {
		if (subject === ANSWER) {
			const waiting = this.#waiting.get(id!);
			this.#waiting.delete(id!);
			const { said, failure } = value as { said?: unknown; failure?: string };
			if (failure === undefined) waiting?.resolve(said);
			else waiting?.reject(new Error(failure));
			return;
		}
		const hearing = this.#hearings[subject] as ((value: unknown) => unknown) | undefined;
		try {
			const said = await hearing?.(value);
			if (id !== undefined) this.#send({ subject: ANSWER, value: { said }, id });
		} catch (error) {
			if (id !== undefined) this.#send({ subject: ANSWER, value: { failure: String(error) }, id });
		}
	}
}
