// Keeps a list of the latest calls of each account and how they ended, for its developers: the last thousand calls,
// without any data that was sent. Calls are collected in memory and written together every few seconds, so that no call
// waits for the database. If a daemon is killed, the calls of its last seconds are missing.

import type { Clock } from '../../../base/clock.ts';
import type { AccountId } from '../../../base/database/ids.ts';
import type { Database } from '../../../base/database/open.ts';
import { maskCardNumbers } from '../../../base/log/card-numbers.ts';
import type { Logger } from '../../../base/log/log.ts';
import { Turns } from '../../../base/threads/turns.ts';
import { callLogStore } from './call-log-store.ts';

/**
 * Tells how an answer ended: `complete` when it was sent whole; `broken-off` when a streamed answer began and then could
 * not go on; `caller-gone` when the caller closed the connection before it had the whole answer.
 */
export const OUTCOMES = ['complete', 'broken-off', 'caller-gone'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface LoggedCall {
	/** The `X-Request-Id` of the call's answer. */
	readonly id: string;
	/** The time when the answer ended. */
	readonly time: string;
	readonly method: string;
	/** The path of the call with the names of its parameters, never their values. */
	readonly route: string;
	readonly status: number;
	/** How the answer ended; null for a call from before outcomes were kept. */
	readonly outcome: Outcome | null;
	/** The error text that the caller got, or for which a streamed answer was broken off. */
	readonly message: string | null;
	readonly moreInfo: string | null;
	/** Names the credential, such as `api-key 7`; a session or access token is named by the API key that made it. */
	readonly credential: string | null;
}

/** This many calls are kept for each account. */
export const KEPT_CALLS = 1000;
const KEPT_MS = 30 * 24 * 3_600_000;
const WRITE_EVERY_MS = 5000;
/** While the database is unavailable, calls of at most this many accounts are collected; those of others are lost. */
const MAX_ACCOUNTS = 500;
const MAX_TEXT_CHARACTERS = 300;

type Noted = Omit<LoggedCall, 'time'> & { readonly at: number };

interface Written {
	readonly id: number;
	readonly calls: number;
}

export type CallLog = ReturnType<typeof openCallLog>;

export function openCallLog(options: {
	readonly database: Pick<Database, 'knex'>;
	readonly clock: Clock;
	readonly logger: Pick<Logger, 'warn'>;
}) {
	const { clock, logger } = options;
	const store = callLogStore(options.database.knex);
	const gathered = new Map<AccountId, Noted[]>();
	/** Holds for each account the rows in which this daemon wrote its last calls, oldest first. */
	const written = new Map<AccountId, Written[]>();

	const writeOne = async (accountId: AccountId): Promise<void> => {
		const calls = gathered.get(accountId)?.slice(-KEPT_CALLS);
		if (!calls) return;
		gathered.delete(accountId);
		try {
			const document = JSON.stringify(calls.map(loggedCall));
			const row = { account_id: accountId, at: calls.at(-1)!.at, calls: calls.length, document };
			await forgetBefore(accountId, { id: await store.add(row), calls: calls.length });
		} catch (err) {
			logger.warn({ err, calls: calls.length }, 'calls could not be written into the log of their account');
		}
	};
	/**
	 * Keeps only the rows with the last thousand calls that this daemon wrote for an account. Every call in an older row
	 * has a thousand newer ones.
	 */
	const forgetBefore = async (accountId: AccountId, row: Written): Promise<void> => {
		const rows = [...(written.get(accountId) ?? []), row];
		written.delete(accountId);
		written.set(accountId, rows);
		for (const oldest of written.keys()) if (written.size > MAX_ACCOUNTS) written.delete(oldest);
		let count = rows.reduce((sum, { calls }) => sum + calls, 0);
		if (count < KEPT_CALLS) return;
		while (count - rows[0].calls >= KEPT_CALLS) count -= rows.shift()!.calls;
		await store.deleteBefore(accountId, rows[0].id);
	};
	/** Rows are written one after the other, so that they are in the order of their calls. */
	const turns = new Turns();
	const writeAll = async (): Promise<void> => {
		for (const accountId of [...gathered.keys()]) await turns.run(() => writeOne(accountId));
	};
	const timer = setInterval(() => void writeAll(), WRITE_EVERY_MS).unref();

	return {
		/** Notes a call without waiting for the database. */
		note(accountId: AccountId, call: Omit<LoggedCall, 'time'>): void {
			let calls = gathered.get(accountId);
			if (!calls) {
				if (gathered.size >= MAX_ACCOUNTS) return;
				gathered.set(accountId, (calls = []));
			}
			calls.push({ ...call, at: clock.now().getTime() });
			// The list is shortened only when it is twice as long as needed, because shortening it at every call would be
			// slow.
			if (calls.length >= 2 * KEPT_CALLS) gathered.set(accountId, calls.slice(-KEPT_CALLS));
		},
		/** Returns calls of an account, newest first. Calls to other daemons appear a few seconds late. */
		async list(
			accountId: AccountId,
			{ from, num }: { readonly from: number; readonly num: number },
		): Promise<LoggedCall[]> {
			await turns.run(() => writeOne(accountId));
			const rows = await store.findLatest(accountId, KEPT_CALLS);
			const calls = rows.flatMap(({ document }) => (JSON.parse(document) as LoggedCall[]).reverse());
			const page = calls.slice(0, KEPT_CALLS).slice(from, from + num);
			return page.map((call) => ({ ...call, outcome: call.outcome ?? null }));
		},
		/** Finds a call among the kept ones of an account by its `X-Request-Id`. */
		async find(accountId: AccountId, id: string): Promise<LoggedCall | undefined> {
			await turns.run(() => writeOne(accountId));
			const rows = await store.findLatest(accountId, KEPT_CALLS);
			const row = rows.find(({ document }) => document.includes(`"${id}"`));
			return row && (JSON.parse(row.document) as LoggedCall[]).find((call) => call.id === id);
		},
		/** Writes the calls that are still in memory. */
		async close(): Promise<void> {
			clearInterval(timer);
			await writeAll();
		},
	};
}

/** Error texts contain no card number, but everything that is stored is checked once more. */
function loggedCall({ at, message, moreInfo, credential, id, ...call }: Noted): LoggedCall {
	const time = new Date(at).toISOString();
	return { id, time, ...call, message: shown(message), moreInfo: shown(moreInfo), credential };
}

function shown(text: string | null): string | null {
	return text === null ? null : maskCardNumbers(text.slice(0, MAX_TEXT_CHARACTERS));
}

/** Deletes calls that are too old to be shown; returns how many rows there were. */
export async function purgeCallLog(parts: {
	readonly database: Pick<Database, 'knex'>;
	readonly clock: Clock;
}): Promise<number> {
	const { database, clock } = parts;
	return callLogStore(database.knex).deleteSurplus(KEPT_CALLS, clock.now().getTime() - KEPT_MS);
}
