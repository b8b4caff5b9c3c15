// The loop of a batch: reads, stores and answers at the same time, holding two groups of lines at most.

import type { AnswerLines } from './answer-lines.ts';
import type { CardBatch } from './batch.ts';

/** Cards that share a commit. */
const GROUP_CARDS = 8192;
/** A client that sends no more for so long waits for its answers. */
const QUIET_MS = 2;

export interface BatchRun {
	readonly source: AsyncIterable<Buffer>;
	readonly batch: CardBatch;
	readonly lines: AnswerLines;
	/** Settles when every card so far is durable for good. */
	settle(): Promise<void>;
	/** Takes lines over; settles when there is room for more. */
	write(lines: Buffer): Promise<void>;
}

/** Runs a batch to its end. A line is written only when its card is durable. */
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
	/** The next piece; `quiet` where cards wait for their answer, `broken` once there is none: the client may wait for it. */
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
		// Not waited for: with a piece still asked for it settles when that comes, which may be never.
		pieces.return?.().catch(() => {});
	}
}

function read(pieces: AsyncIterator<Buffer>): Promise<Buffer | null> {
	const reading = pieces.next().then(({ done, value }) => (done ? null : value));
	reading.catch(() => {});
	return reading;
}
