import type { Knex } from 'knex';
import { type Dialect, forUpdateClause } from '../../base/database/dialect.ts';
import type { AccountId } from '../../base/database/ids.ts';
import { execute, queryRows, type SqlTransaction } from '../../base/database/sql.ts';

/** The length of the period of a count: 0 means an hour, 1 a day. */
export type Span = 0 | 1;

/** In a row with the sum over all accounts, this value stands in place of the id of an account. */
export const ALL_ACCOUNTS = 0;

export interface CountRow {
	readonly span: Span;
	readonly at: number;
	readonly accountId: AccountId | typeof ALL_ACCOUNTS;
	readonly what: string;
	readonly count: number;
}

/** At most this many rows are added by one statement. */
const ROWS_PER_STATEMENT = 100;

export function statisticsStore(knex: Knex) {
	return {
		async listOf(
			accountId: AccountId | typeof ALL_ACCOUNTS,
			span: Span,
			starts: readonly number[],
		): Promise<CountRow[]> {
			const ofAccount = knex('statistics').where({ span, account_id: accountId }).whereIn('at', starts);
			const rows: { at: number; what: string; count: number }[] = await ofAccount.select('at', 'what', 'count');
			return rows.map((row) => ({ ...row, span, accountId }));
		},
		/** Returns, for each account and kind, the sum of the counts in the periods that begin at `starts`. */
		async sumByAccount(
			accountIds: readonly AccountId[],
			span: Span,
			starts: readonly number[],
		): Promise<Pick<CountRow, 'accountId' | 'what' | 'count'>[]> {
			const rows = await knex('statistics')
				.where({ span })
				.whereIn('at', starts)
				.whereIn('account_id', accountIds)
				.groupBy('account_id', 'what')
				.select('account_id', 'what')
				.sum('count as count');
			return rows.map((row) => countRow({ ...row, span, at: 0 }));
		},
		async listDaysWithFiles(from: number): Promise<Map<AccountId, number[]>> {
			const rows: { account_id: AccountId; at: number }[] = await knex('statistics')
				.distinct('account_id', 'at')
				.where({ span: 1 })
				.where('at', '>=', from)
				.where('account_id', '<>', ALL_ACCOUNTS)
				.where('what', 'like', 'file/%');
			const days = Map.groupBy(rows, ({ account_id }) => account_id);
			return new Map([...days].map(([id, found]) => [id, found.map(({ at }) => at)]));
		},
		async removeBefore(span: Span, before: number): Promise<number> {
			return knex('statistics').where({ span }).andWhere('at', '<', before).delete();
		},
		async findCursor(): Promise<number | undefined> {
			return (await knex('statistics_cursor').where({ id: 1 }).first('seq'))?.seq;
		},
		/** Sets the cursor to an entry of the trail, unless it is set already. */
		async begin(seq: number): Promise<void> {
			await knex('statistics_cursor').insert({ id: 1, seq }).onConflict('id').ignore();
		},
	};
}

export function countAdder(transaction: SqlTransaction, dialect: Dialect) {
	return {
		/** Every daemon locks the rows in the same order, so that daemons cannot deadlock. */
		async add(rows: readonly CountRow[]): Promise<void> {
			const sorted = [...rows].sort(byKey);
			for (let from = 0; from < sorted.length; from += ROWS_PER_STATEMENT) {
				const some = sorted.slice(from, from + ROWS_PER_STATEMENT);
				const values = some.map(() => '(?, ?, ?, ?, ?)').join(', ');
				await execute(
					transaction,
					`insert into statistics (span, at, account_id, what, count) values ${values}
					 on conflict (span, at, account_id, what) do update set count = statistics.count + excluded.count`,
					some.flatMap(({ span, at, accountId, what, count }) => [span, at, accountId, what, count]),
				);
			}
		},
		async lockCursor(): Promise<number | undefined> {
			const sql = `select seq from statistics_cursor where id = 1 ${forUpdateClause(dialect)}`;
			return (await queryRows<{ seq: number }>(transaction, sql))[0]?.seq;
		},
		async moveCursor(seq: number): Promise<void> {
			await execute(transaction, 'update statistics_cursor set seq = ? where id = 1', [seq]);
		},
	};
}

function byKey(one: CountRow, other: CountRow): number {
	return (
		one.span - other.span ||
		one.at - other.at ||
		one.accountId - other.accountId ||
		(one.what < other.what ? -1 : Number(one.what > other.what))
	);
}

function countRow({ span, at, account_id, what, count }: Record<string, unknown>): CountRow {
	return {
		span: Number(span) as Span,
		at: Number(at),
		accountId: Number(account_id) as AccountId,
		what: String(what),
		count: Number(count),
	};
}
