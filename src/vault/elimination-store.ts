import { rowsOf } from '../database/dialect.ts';
import type { AccountId } from '../database/ids.ts';
import type { Database } from '../database/open.ts';
import { transactPlainly } from '../database/plain-transaction.ts';

/** A number that was looked for: MACs of what its metadata shows, and of all of it. */
export interface Attempt {
	readonly near: number;
	readonly number: number;
}

/** Whose attempts, on which day. */
interface Scope {
	readonly accountId: AccountId;
	/** Days since 1970, UTC. */
	readonly day: number;
}

/** Different numbers by what their metadata shows, both in rising order, so that daemons never wait for each other. */
export type Asked = readonly (readonly [near: number, numbers: readonly number[]])[];

interface Prepared {
	run(...values: number[]): { readonly changes: number };
	get(...values: number[]): { readonly counted: number };
}

interface SqliteConnection {
	prepare(sql: string): Prepared;
}

/** Single statements over `elimination_attempts` and `elimination_limits`; each is durable before the next. */
export function eliminationStore(database: Pick<Database, 'knex' | 'dialect'>) {
	const { knex, dialect } = database;
	const list = (values: readonly number[]) => (dialect === 'postgres' ? values : JSON.stringify(values));
	const given = dialect === 'postgres' ? 'select unnest(?::int[]) as near' : 'select value as near from json_each(?)';
	return {
		/**
		 * Notes attempts and says which have seen more different numbers than the limit; where it was passed before, there
		 * is nothing left to count.
		 */
		note: (scope: Scope, asked: Asked, limit: number): Promise<number[]> =>
			dialect === 'postgres'
				? noteInPostgres(database, scope, asked, limit)
				: noteInSqlite(database, scope, asked, limit),

		/** Notes where the limit was passed; says how many were not known before, on whatever daemon. */
		async close({ accountId, day }: Scope, nears: readonly number[]): Promise<number> {
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

/** Committed before it is summed up: of two daemons that count at the same moment the later one sees both. */
async function noteInPostgres(
	{ knex }: Pick<Database, 'knex'>,
	{ accountId, day }: Scope,
	asked: Asked,
	limit: number,
): Promise<number[]> {
	const counted = `(select count(*) from elimination_attempts e
		where e.account_id = ? and e.day = ? and e.near = given.near)`;
	const nears = asked.flatMap(([near, numbers]) => numbers.map(() => near));
	const numbers = asked.flatMap(([, each]) => each);
	await knex.raw(
		`insert into elimination_attempts (account_id, day, near, number)
		 select ?, ?, given.near, given.number from unnest(?::int[], ?::int[]) as given(near, number)
		 where ${counted} <= ? on conflict do nothing`,
		[accountId, day, nears, numbers, accountId, day, limit] as never,
	);
	const result = await knex.raw(
		`select given.near from (select unnest(?::int[]) as near) as given where ${counted} > ?`,
		[asked.map(([near]) => near), accountId, day, limit] as never,
	);
	return rowsOf<{ near: number }>(result).map(({ near }) => near);
}

/** One row at a time through prepared statements: a list of thousands costs SQLite more to read than to insert. */
function noteInSqlite(
	database: Pick<Database, 'knex' | 'dialect'>,
	{ accountId, day }: Scope,
	asked: Asked,
	limit: number,
): Promise<number[]> {
	return transactPlainly(database, async ({ client }) => {
		const connection = (await client.acquireConnection()) as SqliteConnection;
		const count = connection.prepare(
			'select count(*) as counted from elimination_attempts where account_id = ? and day = ? and near = ?',
		);
		const insert = connection.prepare(
			'insert into elimination_attempts (account_id, day, near, number) values (?, ?, ?, ?) on conflict do nothing',
		);
		return asked.flatMap(([near, numbers]) => {
			let { counted } = count.get(accountId, day, near);
			for (const number of numbers) if (counted <= limit) counted += insert.run(accountId, day, near, number).changes;
			return counted > limit ? [near] : [];
		});
	});
}
