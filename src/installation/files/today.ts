// Describes a day account by account: what was sent, the results, what waits, and what was fetched by whom.

import type { AccountId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import type { Identity } from '../../people/identity/identity.ts';
import { type CallCount, countCalls } from '../../trail/day-calls.ts';
import { type Day, parseDay } from '../../work/jobs/day.ts';
import { dayStore, type SentCount } from '../../work/jobs/day-store.ts';
import { fetchStore } from '../../work/jobs/fetch-store.ts';
import { listNewestJobs } from '../../work/jobs/job-page-store.ts';

/** At most this many failures are listed; `job list` has the rest. */
const MAX_FAILURES = 50;

export type AccountDay = ReturnType<typeof accountDay>;

export type DayReport = Awaited<ReturnType<typeof reportDay>>;

/**
 * Describes a day.
 * @throws ServiceError if there is no such account or day
 */
export async function reportDay(
	{ database, identity }: { database: Database; identity: Identity },
	{ account, day = 'today' }: { readonly account?: string; readonly day?: string },
	now: Date,
) {
	const period = parseDay(day, now);
	const only = account === undefined ? undefined : (await identity.accounts.get(account)).id;
	const facts = await readFacts(database, period, only);
	const calls = await countCalls(database.knex, period, account);
	const used = [...facts.sent, ...facts.waiting, ...facts.fetched, ...facts.failed].map(({ account_id }) => account_id);
	const ids = new Set(only === undefined ? used : [...used, only]);
	const userIds = await identity.accounts.userIdsOf([...ids]);
	const accounts = [...ids].map((id) => accountDay(facts, calls, id, userIds.get(id) ?? String(id)));
	const named = new Set(accounts.map(({ account }) => account));
	// Accounts that only made HTTP calls have no files, so their user IDs are taken from the audit trail.
	const callers = new Set(calls.map(({ by }) => by).filter((by) => !named.has(by)));
	for (const caller of callers) accounts.push(accountDay(facts, calls, undefined, caller));
	accounts.sort((a, b) => (a.account < b.account ? -1 : 1));
	return { from: iso(period.fromMs), to: iso(period.toMs), accounts };
}

async function readFacts(database: Database, period: Day, only: AccountId | undefined) {
	const { knex } = database;
	const days = dayStore(knex);
	return {
		sent: await days.countSent(period, only),
		waiting: await days.countWaiting(only),
		unfetched: await days.countUnfetched(period, only),
		fetched: await fetchStore(knex).countByUser(period.fromMs, period.toMs, only),
		failed: await listNewestJobs(database, { ...period, accountId: only, state: 'failed', limit: MAX_FAILURES }),
	};
}

function accountDay(
	facts: Awaited<ReturnType<typeof readFacts>>,
	calls: readonly CallCount[],
	id: AccountId | undefined,
	account: string,
) {
	const isOurs = (row: { account_id: AccountId }) => row.account_id === id;
	return {
		account,
		sent: byFolder(facts.sent.filter(isOurs)),
		/** Counts the cards tokenized and detokenized by calls, including streamed files. */
		overHttp: calls.filter(({ by }) => by === account).map(({ by: _by, ...count }) => count),
		/** Counts the files that wait now, no matter when they arrived, and unfinished uploads. */
		waiting: facts.waiting.filter(isOurs).map(({ state, files, since }) => ({ what: state, files, since: iso(since) })),
		fetched: facts.fetched.filter(isOurs).map(({ user_id, door, operation, files, last_at }) => {
			return { by: user_id, door, operation, files, lastAt: iso(last_at) };
		}),
		/** Counts the outputs that the files of the day have and that nobody has opened. */
		notFetched: (id !== undefined && facts.unfetched.get(id)) || 0,
		failures: facts.failed.filter(isOurs).map((job) => {
			return { job: job.id, filter: job.filter, name: job.name, reason: job.error_reason ?? '' };
		}),
	};
}

function byFolder(rows: readonly SentCount[]) {
	const folders = Map.groupBy(rows, ({ operation, filter }) => `${operation}/${filter}`);
	return [...folders.values()].map((states) => {
		const sum = (name: 'files' | 'bytes' | 'cards' | 'refused' | 'warned' | 'other_numbers' | 'other_codes') =>
			states.reduce((total, row) => total + row[name], 0);
		const inState = (...names: string[]) =>
			states.filter(({ state }) => names.includes(state)).reduce((total, { files }) => total + files, 0);
		const { operation, filter } = states[0];
		return {
			operation,
			filter,
			files: sum('files'),
			done: inState('done'),
			failed: inState('failed'),
			open: inState('queued', 'running'),
			bytes: sum('bytes'),
			cards: sum('cards'),
			refused: sum('refused'),
			warned: sum('warned'),
			otherNumbers: sum('other_numbers'),
			otherCodes: sum('other_codes'),
		};
	});
}

function iso(ms: number): string {
	return new Date(ms).toISOString();
}
