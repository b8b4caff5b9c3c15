// Stores cards, sends files and fetches them as clients do, and keeps the ledger of what was acknowledged.

import { setTimeout as sleep } from 'node:timers/promises';
import { inTime } from '../../src/base/threads/in-time.ts';
import { cardJson, VISA } from '../../test/helpers/card-calls.ts';
import type { Installation, RunningDaemon } from '../../test/helpers/daemon.ts';
import { openSession } from '../../test/helpers/daemon-session.ts';

const CARD_CLIENTS = 4;
const PAUSE_MS = 10;
/** A client gives up on a call after this time, as on one to a daemon that stands still. */
const CALL_WITHIN_MS = 20_000;
/** How many records the files have, in turn: some fit into a row, some into an object, and some into parts of one. */
const RECORDS = [50, 2_000, 50, 50, 2_000, 50, 50, 160_000];
/** A small installation gets files of this many records. */
const FEWEST_RECORDS = [50];

/** Everything that was acknowledged, in the order in which it was. */
export interface Acknowledged {
	readonly tokens: string[];
	/** The names of the files, which end with the number of their records. */
	readonly files: string[];
}

export interface Load {
	readonly acknowledged: Acknowledged;
	/** How many calls failed, by what was answered. */
	readonly failed: ReadonlyMap<string, number>;
	/** What clients saw that must not be. */
	readonly wrong: readonly string[];
	/** Returns for how many cards nobody knows whether they were stored, because the answer was lost. */
	unknown(): number;
	/** Ends the clients, and resolves when their last calls are answered or given up. */
	end(): Promise<void>;
}

export interface LoadOptions {
	readonly pauseMs?: number;
	/** Also sends files that go to a store of objects. */
	readonly hasLargeFiles?: boolean;
}

/** Returns a file with a card in each record. */
export function fileOfCards(records: number): Buffer {
	const rows = Array.from({ length: records }, (_, nth) => `booking ${nth},${VISA},12,2030`);
	return Buffer.from(`Reference,CardNumber,ExpirationMonth,ExpirationYear\n${rows.join('\n')}\n`);
}

/** Tells whether the output for a file of this name has a token for each of its records. */
export function isWhole(name: string, output: Buffer): boolean {
	const records = Number(/-(\d+)\.csv$/.exec(name)?.[1]);
	return output.toString('latin1').match(/,[0-9a-f]{32},/gi)?.length === records;
}

let made = 0;

/** Starts clients of the daemon that `current` returns, which may be another one at each call. */
export function startLoad(
	installation: Installation,
	current: () => RunningDaemon,
	{ pauseMs = PAUSE_MS, hasLargeFiles = false }: LoadOptions = {},
): Load {
	const acknowledged: Acknowledged = { tokens: [], files: [] };
	const failed = new Map<string, number>();
	const wrong: string[] = [];
	let unknown = 0;
	const stop = new AbortController();
	const again = async (work: () => Promise<void>) => {
		while (!stop.signal.aborted) {
			// A call that fails is not acknowledged; the client just makes its next one.
			await work().catch(({ message }: Error) => failed.set(message, (failed.get(message) ?? 0) + 1));
			await sleep(pauseMs);
		}
	};
	const post = async (path: string, type: string, body: string | Buffer, key: string | undefined) => {
		const headers = {
			...{ 'x-service-api-key': installation.demo.apiKey, 'content-type': type, accept: 'application/json' },
			...(key !== undefined && { 'idempotency-key': key }),
		};
		const signal = AbortSignal.timeout(CALL_WITHIN_MS);
		const answer = await fetch(`${current().baseUrl}${path}`, { method: 'POST', headers, body, signal });
		await answer.arrayBuffer();
		return answer;
	};
	/** Repeats a call with a key until it is answered, as its caller would who does not know what became of it. */
	const insist = async (call: () => Promise<Response>, status: number): Promise<Response> => {
		while (true) {
			const answer = await call().catch((error: Error) => error);
			if (!(answer instanceof Error)) {
				if (answer.status === status) return answer;
				if (answer.status < 500) throw new Error(`a call with a key is answered with ${answer.status}`);
			}
			if (stop.signal.aborted) throw new Error('a call with a key was not answered until the end');
			await sleep(pauseMs * 10);
		}
	};
	const storeCard = async () => {
		const key = ++made % 2 === 0 ? `soak-${made}` : undefined;
		const store = () => post('/api/payments/paycard', 'application/json', cardJson(), key);
		let isKnown = false;
		try {
			const answer = key === undefined ? await store() : await insist(store, 201);
			// Of 503 it is promised that nothing was stored (docs/scale.md).
			isKnown = answer.status < 500 || answer.status === 503;
			if (answer.status !== 201) throw new Error(`a card is answered with ${answer.status}`);
			acknowledged.tokens.push(answer.headers.get('location')!.slice(-32));
		} catch (error) {
			const { cause } = error as { cause?: { code?: string } };
			if (!isKnown && cause?.code !== 'ECONNREFUSED') unknown += 1;
			throw error;
		}
	};
	const withSession = async <Result>(work: (session: Awaited<ReturnType<typeof openSession>>) => Promise<Result>) => {
		const session = await openSession({ teardown() {} }, installation, current());
		let giveUp: NodeJS.Timeout | undefined;
		// The library answers no call whose connection has ended.
		const gone = new Promise<never>((_, reject) => {
			session.sftp.once('close', () => reject(new Error('the session has ended')));
			giveUp = setTimeout(reject, CALL_WITHIN_MS, new Error('the session gives no answer'));
		});
		try {
			return await Promise.race([work(session), gone]);
		} finally {
			clearTimeout(giveUp);
			session.end();
		}
	};
	const sizes = hasLargeFiles ? RECORDS : FEWEST_RECORDS;
	let sent = 0;
	const sendFile = async () => {
		const nth = sent++;
		const records = sizes[nth % sizes.length];
		const name = `soak-${++made}-${records}.csv`;
		const content = fileOfCards(records);
		if (nth % 3 === 2) {
			const path = `/api/files/tokenize?filter=SIMPLECSV&async=true&name=${name}`;
			await insist(() => post(path, 'application/octet-stream', content, `${name}-once`), 202);
		} else await withSession((session) => session.put(`/tokenize/SIMPLECSV/${name}`, content));
		acknowledged.files.push(name);
		await sleep(20 * pauseMs);
	};
	const fetchFile = async () => {
		await sleep(20 * pauseMs);
		const name = acknowledged.files[Math.floor(Math.random() * acknowledged.files.length)];
		if (name === undefined) return;
		await withSession(async (session) => {
			if (!(await session.names('/tokenized/SIMPLECSV')).includes(name)) return;
			if (!isWhole(name, await session.get(`/tokenized/SIMPLECSV/${name}`)))
				wrong.push(`${name} was fetched, and was not whole`);
		});
	};
	const clients = [...[sendFile, fetchFile], ...Array.from({ length: CARD_CLIENTS }, () => storeCard)].map(again);
	return {
		acknowledged,
		failed,
		wrong,
		unknown: () => unknown,
		async end() {
			stop.abort();
			await inTime(Promise.all(clients), 2 * CALL_WITHIN_MS, undefined);
		},
	};
}
