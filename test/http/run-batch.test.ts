import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import type { CardLines } from '../../src/work/batch/answer-lines.ts';
import type { CardBatch } from '../../src/work/batch/batch.ts';
import { runBatch } from '../../src/work/batch/run.ts';

/** Returns a batch that counts every piece as one card, which is all that the loop looks at. */
function countingBatch() {
	const batch = {
		count: 0,
		async take(piece: Buffer | null) {
			if (piece !== null) batch.count++;
			return true;
		},
	};
	return batch as unknown as CardBatch;
}

const lines = { take: () => Buffer.from('line\n') } as unknown as CardLines;

/** Sends one card as a client does, and waits for the answer to it. */
async function* waitingClient(signal: AbortSignal): AsyncGenerator<Buffer> {
	yield Buffer.from('card');
	await sleep(60_000, undefined, { signal }).catch(() => {});
}

const failures: [what: string, failing: 'settle' | 'write'][] = [
	['a card that cannot be made durable', 'settle'],
	['an answer that cannot be written', 'write'],
];
for (const [what, failing] of failures) {
	test(`${what} ends the batch of a client that waits for it and sends no more`, async (t) => {
		const client = new AbortController();
		t.teardown(() => client.abort());
		const work = async (step: 'settle' | 'write') => {
			if (step === failing) throw new Error(`no ${step}`);
		};
		const running = runBatch({
			source: waitingClient(client.signal),
			batch: countingBatch(),
			lines,
			settle: () => work('settle'),
			write: () => work('write'),
		});
		const outcome = await Promise.race([running.catch((error: Error) => error.message), sleep(5000, 'still waiting')]);
		t.is(outcome, `no ${failing}`);
	});
}
