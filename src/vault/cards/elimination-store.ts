import type { AccountId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import { transactPlainly } from '../../base/database/plain-transaction.ts';
import { execute, queryRows, type SqlTransaction } from '../../base/database/sql.ts';

/**
 * Describes one look-up of a card number by two MACs. `near` is the MAC of the digits that metadata shows (the first
 * six and last four), `number` that of the whole number.
 */
export interface Attempt {
	readonly near: number;
	readonly number: number;
}

interface Scope {
	readonly accountId: AccountId;
	/** The day as the number of days since 1970, UTC. */
	readonly day: number;
	/** How long `note` waits on PostgreSQL for another writer of the same look-up; without it, however long it takes. */
	readonly lockWaitMs?: number;
}

/**
 * The MACs of the different numbers that are looked up, grouped by `near` (see `Attempt`). Groups and numbers are in
 * ascending order: all daemons insert in this order, so they never deadlock.
 */
export type Asked = readonly (readonly [near: number, numbers: readonly number[]])[];

/**
 * Returns methods for the tables `elimination_attempts` and `elimination_limits`. When a method resolves, its changes
 * are committed.
 */
export function eliminationStore(database: Pick<Database, 'knex' | 'dialect'>) {
	const { knex, dialect } = database;
	const list = (values: readonly number[]) => (dialect === 'postgres' ? values : JSON.stringify(values));
	const given = dialect === 'postgres' ? 'select unnest(?::int[]) as near' : 'select value as near from json_each(?)';
	return {
		/**
		 * Records look-ups. Returns each value of `near` (see `Attempt`) for which more different numbers than `limit` were
		 * looked up on that day; for such a value nothing more is recorded.
		 */
		note: (scope: Scope, asked: Asked, limit: number): Promise<number[]> =>
			dialect === 'postgres'
				? noteInPostgres(database, scope, asked, limit)
				: noteInSqlite(database, scope, asked, limit),

		/**
		 * Records for which values of `near` (see `Attempt`) the limit was exceeded. Returns how many of these values are
		 * new, that is, were not yet recorded by any daemon.
		 */
		async close({ accountId, day }: Scope, nears: readonly number[]): Promise<number> {
			const result = await queryRows(
				knex,
				`insert into elimination_limits (day, account_id, near)
				 select ?, ?, given.near from (${given}) as given where true on conflict do nothing returning day`,
				[day, accountId, list(nears)],
			);
			return result.length;
		},

		/**
		 * Counts the pairs of first six and last four digits for which the limit was exceeded on a day, over all accounts.
		 */
		async countClosed(day: number): Promise<number> {
			const result = await queryRows<{ closed: number | string }>(
				knex,
				'select count(*) as closed from elimination_limits where day = ?',
				[day],
			);
			return Number(result[0].closed);
		},

		/**
		 * Removes look-ups of days before `day`, at most `limit` of them, and everything that was recorded about exceeded
		 * limits on those days. Returns how many look-ups were removed.
		 */
		async deleteBefore(day: number, limit: number): Promise<number> {
			const key = 'account_id, day, near, number';
			const deleted = await queryRows(
				knex,
				`delete from elimination_attempts where (${key}) in
					(select ${key} from elimination_attempts where day < ? limit ?) returning day`,
				[day, limit],
			);
			await execute(knex, 'delete from elimination_limits where day < ?', [day]);
			return deleted.length;
		},
	};
}

/**
 * Records look-ups in PostgreSQL. They are committed first and counted afterwards. So if two daemons do this at the
 * same time, at least the later count includes the look-ups of both.
 */
async function noteInPostgres(
	{ knex }: Pick<Database, 'knex'>,
	{ accountId, day, lockWaitMs = 0 }: Scope,
	asked: Asked,
	limit: number,
): Promise<number[]> {
	const counted = `(select count(*) from elimination_attempts e
		where e.account_id = ? and e.day = ? and e.near = given.near)`;
	const nears = asked.flatMap(([near, numbers]) => numbers.map(() => near));
	const numbers = asked.flatMap(([, each]) => each);
	await execute(
		knex,
		`insert into elimination_attempts (account_id, day, near, number)
		 select ?, ?, given.near, given.number from unnest(?::int[], ?::int[]) as given(near, number)
		 where set_config('lock_timeout', ?, true) is not null and ${counted} <= ? on conflict do nothing`,
		[accountId, day, nears, numbers, String(lockWaitMs), accountId, day, limit],
	);
	const result = await queryRows<{ near: number }>(
		knex,
		`select given.near from (select unnest(?::int[]) as near) as given where ${counted} > ?`,
		[asked.map(([near]) => near), accountId, day, limit],
	);
	return result.map(({ near }) => near);
}

/**
 * A statement binds as many values as one of these sizes says. Few sizes mean few statements, each compiled once. Small
 * sizes keep the statements short enough for the statement cache.
 */
const CHUNKS = [256, 16, 1] as const;

/**
 * Records look-ups in SQLite. One query counts the earlier numbers of every `near`, and one insert adds all numbers,
 * both in chunks. If a `near` may exceed the limit, its numbers are inserted one by one.
 */
function noteInSqlite(
	database: Pick<Database, 'knex' | 'dialect'>,
	scope: Scope,
	asked: Asked,
	limit: number,
): Promise<number[]> {
	return transactPlainly(database, async (transaction) => {
		const counts = await countInSqlite(transaction, scope, asked);
		const safe: number[] = [];
		const passed: number[] = [];
		for (const [near, numbers] of asked) {
			const counted = counts.get(near) ?? 0;
			if (counted > limit) passed.push(near);
			else if (counted + numbers.length <= limit) for (const number of numbers) safe.push(near, number);
			else if (await insertOneByOne(transaction, scope, [near, numbers], limit - counted)) passed.push(near);
		}
		await insertInSqlite(transaction, scope, safe);
		return passed;
	});
}

/**
 * Returns, for each value of `near`, how many numbers were recorded on that day before. A value without any is not in
 * the result.
 */
async function countInSqlite(
	transaction: SqlTransaction,
	{ accountId, day }: Scope,
	asked: Asked,
): Promise<Map<number, number>> {
	const counts = new Map<number, number>();
	const nears = asked.map(([near]) => near);
	for (const [from, size] of chunksOf(nears.length)) {
		const found = await queryRows<{ near: number; counted: number }>(
			transaction,
			`select near, count(*) as counted from elimination_attempts
			 where account_id = ? and day = ? and near in (${'?,'.repeat(size - 1)}?) group by near`,
			[accountId, day, ...nears.slice(from, from + size)],
		);
		for (const { near, counted } of found) counts.set(near, counted);
	}
	return counts;
}

/** Inserts look-ups. In `values`, each look-up has two entries: its `near`, then its `number`. */
async function insertInSqlite(
	transaction: SqlTransaction,
	{ accountId, day }: Scope,
	values: readonly number[],
): Promise<void> {
	for (const [from, size] of chunksOf(values.length / 2)) {
		await execute(
			transaction,
			`with given (near, number) as (values ${'(?,?),'.repeat(size - 1)}(?,?))
			 insert into elimination_attempts (account_id, day, near, number)
			 select ?, ?, near, number from given where true on conflict do nothing`,
			[...values.slice(from * 2, (from + size) * 2), accountId, day],
		);
	}
}

/**
 * Inserts numbers of one `near` until the table has more than `left` new ones. Returns whether there were that many new
 * numbers.
 */
async function insertOneByOne(
	transaction: SqlTransaction,
	{ accountId, day }: Scope,
	[near, numbers]: Asked[number],
	left: number,
): Promise<boolean> {
	const sql =
		'insert into elimination_attempts (account_id, day, near, number) values (?, ?, ?, ?) on conflict do nothing';
	let added = 0;
	for (const number of numbers)
		if (added <= left) added += await execute(transaction, sql, [accountId, day, near, number]);
	return added > left;
}

/**
 * Divides `count` values into chunks of the sizes in `CHUNKS`, and yields where each chunk begins and how long it is.
 */
function* chunksOf(count: number): Generator<readonly [from: number, size: number]> {
	let from = 0;
	for (const size of CHUNKS) for (; count - from >= size; from += size) yield [from, size];
}
