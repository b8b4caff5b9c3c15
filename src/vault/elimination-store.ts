import { type Dialect, rowsOf } from '../database/dialect.ts';
import type { AccountId } from '../database/ids.ts';
import type { PlainTransaction } from '../database/plain-transaction.ts';

/** A number that was looked for: MACs of what its metadata shows, and of all of it. */
export interface Attempt {
	readonly near: Buffer;
	readonly number: Buffer;
}

/** Whose attempts, on which day. */
interface Scope {
	readonly accountId: AccountId;
	/** Days since 1970, UTC. */
	readonly day: number;
}

/** Single statements over `elimination_attempts` and `elimination_limits`; each is durable before the next. */
export function eliminationStore(knex: Pick<PlainTransaction, 'raw'>, dialect: Dialect) {
	const list = (values: readonly Buffer[]) =>
		dialect === 'postgres' ? values : JSON.stringify(values.map((each) => each.toString('hex')));
	// SQLite has one list: two of them joined by their places would be walked once for every pair.
	const pairs =
		dialect === 'postgres'
			? 'unnest(?::bytea[], ?::bytea[]) as given(near, number)'
			: `(select unhex(substr(value, 1, 16)) as near, unhex(substr(value, 17)) as number from json_each(?)) as given`;
	const listPairs = (attempts: readonly Attempt[]) =>
		dialect === 'postgres'
			? [attempts.map(({ near }) => near), attempts.map(({ number }) => number)]
			: [list(attempts.map(({ near, number }) => Buffer.concat([near, number])))];
	return {
		/** Notes attempts, in one order for all daemons; where the limit was passed before, there is nothing left to count. */
		async add({ accountId, day }: Scope, attempts: readonly Attempt[], limit: number): Promise<void> {
			const bound = listPairs(attempts);
			await knex.raw(
				`insert into elimination_attempts (account_id, day, near, number)
				 select ?, ?, given.near, given.number from ${pairs}
				 where (select count(*) from elimination_attempts e
					where e.account_id = ? and e.day = ? and e.near = given.near) <= ?
				 on conflict do nothing`,
				[accountId, day, ...bound, accountId, day, limit] as never,
			);
		},

		/** Which of those have seen more different numbers than the limit. */
		async findPassed({ accountId, day }: Scope, nears: readonly Buffer[], limit: number): Promise<Buffer[]> {
			const given =
				dialect === 'postgres' ? 'select unnest(?::bytea[]) as near' : 'select unhex(value) as near from json_each(?)';
			// One look into the key for each: by a range, SQLite would read all that was counted today.
			const result = await knex.raw(
				`select given.near from (${given}) as given where (select count(*) from elimination_attempts e
					where e.account_id = ? and e.day = ? and e.near = given.near) > ?`,
				[list(nears), accountId, day, limit] as never,
			);
			return rowsOf<{ near: Buffer }>(result).map(({ near }) => near);
		},

		/** Notes where the limit was passed; says how many were not known before, on whatever daemon. */
		async close({ accountId, day }: Scope, nears: readonly Buffer[]): Promise<number> {
			const given =
				dialect === 'postgres' ? 'select unnest(?::bytea[]) as near' : 'select unhex(value) as near from json_each(?)';
			const result = await knex.raw(
				`insert into elimination_limits (day, account_id, near)
				 select ?, ?, given.near from (${given}) as given where true on conflict do nothing returning day`,
				[day, accountId, list(nears)] as never,
			);
			return rowsOf(result).length;
		},

		/** How many pairs of first six and last four are closed, over all accounts. */
		async countClosed(day: number): Promise<number> {
			const result = await knex.raw('select count(*) as closed from elimination_limits where day = ?', [day]);
			return Number(rowsOf<{ closed: number | string }>(result)[0].closed);
		},

		/** Forgets at most `limit` attempts of the days before, and every limit passed then; says how many attempts. */
		async deleteBefore(day: number, limit: number): Promise<number> {
			const key = 'account_id, day, near, number';
			const deleted = await knex.raw(
				`delete from elimination_attempts where (${key}) in
					(select ${key} from elimination_attempts where day < ? limit ?) returning day`,
				[day, limit],
			);
			await knex.raw('delete from elimination_limits where day < ?', [day]);
			return rowsOf(deleted).length;
		},
	};
}
