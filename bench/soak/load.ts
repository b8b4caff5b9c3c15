// Stores cards and sends files as clients do, and keeps the ledger of what was acknowledged.

import { setTimeout as sleep } from 'node:timers/promises';
import { cardJson } from '../../test/helpers/card-calls.ts';
import type { Installation, RunningDaemon } from '../../test/helpers/daemon.ts';
import { openSession } from '../../test/helpers/daemon-session.ts';

const CARD_CLIENTS = 4;
const PAUSE_MS = 10;
/** A client gives up on a call after this time, as on one to a daemon that stands still. */
const CALL_WITHIN_MS = 20_000;
const RECORDS = 50;

/** Everything that was acknowledged, in the order in which it was. */
export interface Acknowledged {
	readonly tokens: string[];
	/** The names of the files. */
	readonly files: string[];
}

export interface Load {
	readonly acknowledged: Acknowledged;
	/** Ends the clients, and resolves when their last calls are answered or given up. */
	end(): Promise<void>;
}

/** Returns a file of `RECORDS` records with a card each. */
export function fileOfCards(): Buffer {
	const rows = Array.from({ length: RECORDS }, (_, nth) => `booking ${nth},4111111111111111,12,2030`);
	return Buffer.from(`Reference,CardNumber,ExpirationMonth,ExpirationYear\n${rows.join('\n')}\n`);
}

/** Tells whether an output has a token for each record of `fileOfCards`. */
export function isWhole(output: Buffer): boolean {
	return output.toString('latin1').match(/,[0-9a-f]{32},/gi)?.length === RECORDS;
}

let made = 0;

/** Starts clients of the daemon that `current` returns, which may be another one after each round. */
export function startLoad(installation: Installation, current: () => RunningDaemon): Load {
	const acknowledged: Acknowledged = { tokens: [], files: [] };
	const stop = new AbortController();
	const again = async (work: () => Promise<void>) => {
		while (!stop.signal.aborted) {
			// A call that fails is not acknowledged; the client just makes its next one.
			await work().catch(() => {});
			await sleep(PAUSE_MS);
		}
	};
	const storeCard = async () => {
		const headers = {
			...{ 'x-service-api-key': installation.demo.apiKey, 'content-type': 'application/json' },
			...(++made % 2 === 0 && { 'idempotency-key': `soak-${made}` }),
		};
		const signal = AbortSignal.timeout(CALL_WITHIN_MS);
		const answer = await fetch(`${current().baseUrl}/api/payments/paycard`, {
			...{ method: 'POST', headers, body: cardJson(), signal },
		});
		await answer.arrayBuffer();
		if (answer.status === 201) acknowledged.tokens.push(answer.headers.get('location')!.slice(-32));
	};
	const sendFile = async () => {
		const name = `soak-${++made}.csv`;
		const session = await openSession({ teardown() {} }, installation, current());
		const giveUp = setTimeout(() => session.end(), CALL_WITHIN_MS);
		try {
			await session.put(`/tokenize/SIMPLECSV/${name}`, fileOfCards());
			acknowledged.files.push(name);
		} finally {
			clearTimeout(giveUp);
			session.end();
		}
		await sleep(20 * PAUSE_MS);
	};
	const clients = [again(sendFile), ...Array.from({ length: CARD_CLIENTS }, () => again(storeCard))];
	return {
		acknowledged,
		async end() {
			stop.abort();
			await Promise.race([Promise.all(clients), sleep(2 * CALL_WITHIN_MS)]);
		},
	};
}
