// Runs the loop of a batch, which reads cards, stores them and sends lines of the answer at the same time. The loop
// holds the lines of at most two groups of cards in memory.

import type { CardLines } from './answer-lines.ts';
import type { CardBatch } from './batch.ts';

const GROUP_CARDS = 8192;
/** If a client sends nothing for this long, it is probably waiting for its answers, so they are sent. */
const QUIET_MS = 2;

export interface BatchRun {
	readonly source: AsyncIterable<Buffer>;
	readonly batch: CardBatch;
	readonly lines: CardLines;
	/** Makes every card read so far durable and permanent, so that no later failure drops it. */
	settle(): Promise<void>;
	/** Sends lines to the client; resolves when there is space for more. */
	write(lines: Buffer): Promise<void>;
}

/** Runs a batch to its end. A line is sent only when its card is durable. */
export async function runBatch({ source, batch, lines, settle, write }: BatchRun): Promise<void> {
	const pieces = source[Symbol.asyncIterator]();
	let answered = 0;
	let answering: Promise<void> = Promise.resolve();
	let failure: { readonly error: unknown } | undefined;
	let wake = () => {};
	const answerGroup = async () => {
		await answering;
		answered = batch.count;
		const group = lines.take();
		answering = settle().then(() => write(group));
		answering.catch((error) => {
			failure = { error };
			wake();
		});
	};
	/**
	 * Returns the next piece of the body. Returns `quiet` if the client has sent nothing for a while and may be waiting
	 * for its answers, and `broken` if lines of the answer could not be made durable or sent.
	 */
	const next = (coming: Promise<Buffer | null>) =>
		new Promise<Buffer | null | 'quiet' | 'broken'>((resolve, reject) => {
			wake = () => resolve('broken');
			if (failure) wake();
			coming.then(resolve, reject);
			if (batch.count > answered) setTimeout(resolve, QUIET_MS, 'quiet');
		});
	let coming = read(pieces);
	try {
		for (let canGoOn = true; canGoOn; ) {
			const piece = await next(coming);
			if (piece === 'broken') throw failure!.error;
			if (piece === 'quiet') {
				await answerGroup();
				continue;
			}
			canGoOn = (await batch.take(piece)) && piece !== null;
			if (canGoOn) coming = read(pieces);
			if (batch.count - answered >= GROUP_CARDS) await answerGroup();
		}
		if (batch.count > answered) await answerGroup();
		await answering;
	} finally {
		await answering.catch(() => {});
		// The loop does not wait until the source has ended: if a piece is still pending, `return` of the source's
		// iterator would resolve only with that piece, which may never come.
		pieces.return?.().catch(() => {});
	}
}

function read(pieces: AsyncIterator<Buffer>): Promise<Buffer | null> {
	const reading = pieces.next().then(({ done, value }) => (done ? null : value));
	reading.catch(() => {});
	return reading;
}
