// Reads and writes bodies of any length. A slow reader slows the sender down, so that no more than a fixed amount is
// held in memory.

import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { badInput } from '../../../base/errors.ts';
import { whileStanding } from '../access/standing.ts';

/** At most this many bytes of an answer wait for a slow client, in addition to what the engine holds. */
const HELD_BYTES = 262_144;

/** Adds a parser for routes that use `readBody`: it accepts every content type and parses none. */
export function addStreamedBodies(app: FastifyInstance): void {
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', (_request, _payload, done) => done(null));
}

/** Adds the parser for bodies that are files. Forms are refused: their boundaries would count as lines of the file. */
export function addFileBodies(app: FastifyInstance): void {
	addStreamedBodies(app);
	const problem =
		'a form is not taken; send the content itself as the body, as curl --data-binary @FILE does and curl -F does not';
	app.addContentTypeParser(/^multipart\//i, (_request, _payload, done) => done(badInput('Content-Type', problem)));
}

/**
 * Yields the bytes of a request as they arrive. If the reader of these bytes stops early, the connection stays open for
 * the answer and the rest of the body is discarded.
 * @throws an error if the client goes away, and CredentialEndedError if the client's credential ends
 */
export async function* readBody({ raw, standing }: FastifyRequest): AsyncGenerator<Buffer> {
	const chunks = raw.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
	try {
		yield* whileStanding(chunks, standing!);
	} finally {
		raw.resume();
	}
}

/** An answer that is sent while it is being produced. */
export class ReplyBody extends Readable {
	/** This promise resolves as soon as the first bytes have been written. */
	readonly started: Promise<void>;
	/**
	 * Takes the bytes of the engine. They are copied, because the engine uses its buffers again while the client is still
	 * reading them.
	 */
	readonly sink = { write: (bytes: Uint8Array) => this.write(Buffer.from(bytes)) };
	readonly #start: () => void;
	#hasStarted = false;
	#waiting: { resolve(): void; reject(error: Error): void } | undefined;

	constructor() {
		super({ highWaterMark: HELD_BYTES });
		const { promise, resolve } = Promise.withResolvers<void>();
		this.started = promise;
		this.#start = resolve;
	}

	get hasStarted(): boolean {
		return this.#hasStarted;
	}

	/**
	 * Sends bytes; resolves when there is space for more. Only one call may run at a time.
	 * @throws ClientGoneError if the client went away
	 */
	write(bytes: Buffer): Promise<void> {
		if (this.destroyed) return Promise.reject(this.errored ?? new ClientGoneError());
		this.#hasStarted = true;
		this.#start();
		if (bytes.length === 0 || this.push(bytes)) return Promise.resolve();
		return new Promise((resolve, reject) => {
			this.#waiting = { resolve, reject };
		});
	}

	override _read(): void {
		this.#waiting?.resolve();
		this.#waiting = undefined;
	}

	override _destroy(error: Error | null, done: (error: Error | null) => void): void {
		this.#waiting?.reject(error ?? new ClientGoneError());
		this.#waiting = undefined;
		done(error);
	}
}

/** This error means that the client has gone away and will not read the answer. */
export class ClientGoneError extends Error {
	override readonly name = 'ClientGoneError';
	constructor() {
		super('the client went away');
	}
}

/**
 * Sends the bytes that `produce` writes as the answer. An error before the first byte is answered like any other. A
 * later error cuts the connection, so that no client takes an incomplete answer for a complete one.
 */
export async function sendProduced(
	{ request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
	/** Sets headers and trailers. It is called right before the first byte is sent. */
	begin: (reply: FastifyReply) => void,
	produce: (body: ReplyBody) => Promise<void>,
): Promise<FastifyReply> {
	const body = new ReplyBody();
	const work = produce(body)
		.then(() => void body.push(null))
		// The rest of the body is discarded, because many clients read the answer only after they have sent the whole body.
		.finally(() => request.raw.resume());
	work.catch((error: Error) => void (body.hasStarted && body.destroy(error)));
	await Promise.race([body.started, work]);
	begin(reply);
	return reply.send(body);
}
