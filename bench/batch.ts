// Measures batches over HTTP: their rate, and how much memory of the daemon they take.

import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningDaemon } from '../test/helpers/daemon.ts';
import { amount } from './amounts.ts';
import { figure } from './figures.ts';
import { cardNumber } from './generate.ts';
import type { BenchRow } from './table.ts';

/** The number of cards in the largest batch. */
export const RATE_CARDS = amount('BENCH_CARDS', 1_000_000);
const PIECE_BYTES = 262_144;
const LOOK_EVERY_MS = 50;
const RESIDENT = /^tokendrop_process_resident_memory_bytes (\S+)$/m;

async function* bodyOf(cards: number) {
	for (let n = 0; n < cards; ) {
		let piece = '';
		while (piece.length < PIECE_BYTES && n < cards) {
			piece += `{"BankCard":{"Type":"Visa","Number":"${cardNumber(n++)}","ExpirationDate":{"Month":"12","Year":"2029"}}}\n`;
		}
		yield Buffer.from(piece);
	}
}

/** Sends a batch, and reads its answer while the batch is still being made. Returns the seconds that both took. */
async function sendBatch(url: string, apiKey: string, cards: number) {
	const started = performance.now();
	const response = await fetch(`${url}/api/payments/paycard/batch`, {
		method: 'POST',
		headers: { 'x-service-api-key': apiKey, 'content-type': 'application/x-ndjson' },
		body: bodyOf(cards) as never,
		duplex: 'half',
	} as RequestInit);
	let lines = 0;
	for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
		for (const byte of chunk) if (byte === 10) lines++;
	}
	if (response.status !== 200 || lines !== cards) throw new Error(`status ${response.status}, ${lines} lines`);
	return (performance.now() - started) / 1000;
}

export async function batchRow(url: string, apiKey: string): Promise<BenchRow> {
	const seconds = await sendBatch(url, apiKey, RATE_CARDS);
	return {
		what: `batch of ${RATE_CARDS.toLocaleString('en')} cards as NDJSON`,
		result: `${Math.round(RATE_CARDS / seconds / 1000)},000 cards/s`,
		target: '150,000 cards/s (400,000)',
		figures: [figure('http/batch/cards', 'cards/s', RATE_CARDS / seconds, { must: 150_000, aim: 400_000 })],
	};
}

/**
 * Measures the largest resident memory of a daemon that only takes one batch. The value is from the daemon's own metrics.
 */
export async function batchMemoryRow(
	{ baseUrl, opsPort }: RunningDaemon,
	apiKey: string,
	cards: number,
): Promise<BenchRow> {
	const resident = async () => {
		const text = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
		return Number(RESIDENT.exec(text)![1]) / 1e6;
	};
	const before = await resident();
	let peak = before;
	let isOver = false;
	const watch = (async () => {
		while (!isOver) {
			peak = Math.max(peak, await resident());
			await sleep(LOOK_EVERY_MS);
		}
	})();
	try {
		await sendBatch(baseUrl, apiKey, cards);
	} finally {
		isOver = true;
		await watch;
	}
	return {
		what: `peak memory of the daemon, batch of ${cards.toLocaleString('en')} cards`,
		result: `${peak.toFixed(0)} MB (${before.toFixed(0)} MB before)`,
		target: 'the same within 20 %',
		figures: [figure(`http/batch memory/${cards === RATE_CARDS ? 'whole' : 'a tenth'}`, 'MB', peak)],
	};
}
