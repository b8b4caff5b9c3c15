import { closeSync, constants, openSync, statSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * Reads a local file for the engine in pieces of `pieceBytes`, and reads the next piece while the engine uses the
 * current one. Two buffers serve all pieces; a stream would allocate a new buffer for each piece, which adds up to the
 * size of the file. A piece is valid until the next one is requested.
 */
export async function* readPieces(path: string, pieceBytes: number): AsyncGenerator<Buffer> {
	const file = await open(path, 'r');
	const buffers = [Buffer.allocUnsafeSlow(pieceBytes), Buffer.allocUnsafeSlow(pieceBytes)];
	const read = (turn: number) => {
		const reading = file.read(buffers[turn], 0, pieceBytes, null);
		// If reading fails, the caller gets the error when it requests this piece. Until then, the error must not count as
		// an unhandled rejection, which would end the process.
		reading.catch(() => {});
		return reading;
	};
	let next = read(0);
	try {
		for (let turn = 0; ; turn = 1 - turn) {
			const { bytesRead } = await next;
			if (bytesRead === 0) return;
			next = read(1 - turn);
			yield buffers[turn].subarray(0, bytesRead);
		}
	} finally {
		await next.catch(() => {});
		for (const buffer of buffers) buffer.fill(0);
		await file.close();
	}
}

const WAKE_MS = 10;

/**
 * Yields what `source` yields, and fails as soon as the signal is aborted, even while the source waits for the file at
 * `path`.
 */
export async function* untilAborted<T>(
	source: AsyncIterable<T>,
	signal: AbortSignal,
	path?: string,
): AsyncGenerator<T> {
	const aborted = Promise.withResolvers<never>();
	aborted.promise.catch(() => {});
	const onAbort = () => {
		aborted.reject(signal.reason);
		// A stream reads ahead, also while it is being closed, so this goes on until the process ends.
		if (path !== undefined) setInterval(wakeReader, WAKE_MS, path).unref();
	};
	if (signal.aborted) onAbort();
	signal.addEventListener('abort', onAbort);
	const items = source[Symbol.asyncIterator]();
	try {
		for (;;) {
			const { done, value } = await Promise.race([items.next(), aborted.promise]);
			if (done) return;
			yield value;
		}
	} finally {
		await items.return?.();
		signal.removeEventListener('abort', onAbort);
	}
}

/** Ends the reading of a named pipe that waits, because a process cannot end while one of its threads waits. */
function wakeReader(path: string): void {
	try {
		if (!statSync(path).isFIFO()) return;
		const pipe = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
		writeSync(pipe, '\n');
		closeSync(pipe);
	} catch {
		// A full pipe has something to read, and one without a reader keeps nobody waiting.
	}
}
