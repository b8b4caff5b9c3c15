import type { Knex } from 'knex';
import { byteOrdered, type Dialect, firstRow, forUpdateClause, insertRow } from '../../../base/database/dialect.ts';
import type { AccountId } from '../../../base/database/ids.ts';
import { countUpTo, type ListPage, readListPage } from '../../../base/database/list-page.ts';
import { queryRows } from '../../../base/database/sql.ts';
import type { RowSeal } from '../../../base/keys/rows/row-seals.ts';

export type AccountKind = 'primary' | 'sub-user' | 'property';

export interface AccountRow extends RowSeal {
	readonly id: AccountId;
	readonly user_id: string;
	readonly kind: AccountKind;
	readonly parent_id: AccountId | null;
	/** True if CVVs of new cards may be kept; SQLite returns 0 or 1. */
	readonly cvv_retention: boolean | number;
	readonly allowance_limit: number | null;
	readonly allowance_used: number;
	readonly blocked_at: number | null;
	readonly disabled_at: number | null;
	readonly created_at: number;
	/** Cards are removed after so many days, or kept if it is null. Only the value of a primary account counts. */
	readonly cards_retention_days: number | null;
	readonly cards_retired: number;
	/** The time of the last change of a column that the seal covers; at least one more than before that change. */
	readonly generation: number;
}

/** A change of columns that the seal of an account covers. */
export type SealedChange = Partial<Pick<AccountRow, 'cvv_retention' | 'disabled_at'>>;

/** Replaces NUL characters, so that any text can be searched for: PostgreSQL rejects NUL, and no user ID has one. */
export function searchable(text: string): string {
	return text.replaceAll('\0', '\uFFFD');
}

export function accountStore(knex: Knex) {
	const accounts = () => knex<AccountRow>('accounts');
	return {
		/** @throws a unique violation if the user ID is already used */
		async insert(
			row: Omit<AccountRow, 'id' | 'cards_retention_days' | 'cards_retired' | 'seal_key' | 'seal'>,
		): Promise<AccountRow> {
			return insertRow(accounts(), row);
		},
		async putSeal(id: AccountId, seal: Pick<AccountRow, 'seal_key' | 'seal'>): Promise<void> {
			await accounts().where({ id }).update(seal);
		},
		async findByUserId(userId: string): Promise<AccountRow | undefined> {
			return firstRow(accounts().where({ user_id: searchable(userId) }));
		},
		async findById(id: AccountId): Promise<AccountRow | undefined> {
			return (await queryRows<AccountRow>(knex, 'select * from accounts where id = ?', [id]))[0];
		},
		async list(limit: number, offset: number): Promise<AccountRow[]> {
			return accounts().orderBy('id').limit(limit).offset(offset);
		},
		/** Returns a page of the sub-users and properties of an account, in the order of their user IDs by bytes. */
		async listChildren(dialect: Dialect, parentId: AccountId, page: ListPage<string>): Promise<AccountRow[]> {
			return readListPage(accounts().where({ parent_id: parentId }), byteOrdered(dialect, 'user_id'), page, 'asc');
		},
		async countChildren(parentId: AccountId, most: number): Promise<number> {
			return countUpTo(knex, accounts().where({ parent_id: parentId }), most);
		},
		/** Returns a page of all accounts, the oldest first. */
		async listPage(page: ListPage<AccountId>): Promise<AccountRow[]> {
			return readListPage(accounts(), 'id', page, 'asc');
		},
		async count(most: number): Promise<number> {
			return countUpTo(knex, accounts(), most);
		},
		async listByIds(ids: readonly AccountId[]): Promise<AccountRow[]> {
			return accounts().whereIn('id', ids);
		},
		async userIdsOf(ids: readonly AccountId[]): Promise<ReadonlyMap<AccountId, string>> {
			const rows: Pick<AccountRow, 'id' | 'user_id'>[] = await accounts().whereIn('id', ids).select('id', 'user_id');
			return new Map(rows.map((row) => [row.id, row.user_id]));
		},
		async idsOf(userIds: readonly string[]): Promise<ReadonlyMap<string, AccountId>> {
			const rows: Pick<AccountRow, 'id' | 'user_id'>[] = await accounts()
				.whereIn('user_id', userIds.map(searchable))
				.select('id', 'user_id');
			return new Map(rows.map((row) => [row.user_id, row.id]));
		},
		async hasAny(): Promise<boolean> {
			return (await accounts().select('id').first()) !== undefined;
		},
		async block(id: AccountId, at: number): Promise<boolean> {
			return (await accounts().where({ id }).whereNull('blocked_at').update({ blocked_at: at })) > 0;
		},
		/**
		 * Lifts the block and grants the whole allowance again. Units that were used before this and are not in the
		 * statistics yet are still added to the statistics later.
		 */
		async unblock(id: AccountId): Promise<void> {
			const counted = knex.raw('allowance_counted - allowance_used');
			await knex('accounts').where({ id }).update({ blocked_at: null, allowance_used: 0, allowance_counted: counted });
		},
		async setCardsRetention(id: AccountId, days: number | null): Promise<void> {
			await accounts().where({ id }).update({ cards_retention_days: days });
		},
		async listWithCardsRetention(): Promise<AccountRow[]> {
			return accounts().whereNotNull('cards_retention_days').orderBy('id');
		},
		async addCardsRetired(id: AccountId, cards: number): Promise<void> {
			await accounts().where({ id }).increment('cards_retired', cards);
		},
		async sumCardsRetired(): Promise<number> {
			const [{ retired }] = await knex('accounts').sum('cards_retired as retired');
			return Number(retired ?? 0);
		},
		/** Returns the row of an account, and locks it until the transaction ends. */
		async findForUpdate(id: AccountId, dialect: Dialect): Promise<AccountRow | undefined> {
			const sql = `select * from accounts where id = ? ${forUpdateClause(dialect)}`;
			return (await queryRows<AccountRow>(knex, sql, [id]))[0];
		},
		/** Changes columns that the seal covers, together with the seal. */
		async change(id: AccountId, changed: Pick<AccountRow, 'generation' | 'seal_key' | 'seal'> & SealedChange) {
			await accounts()
				.where({ id })
				.update(changed as never);
		},
		async setAllowanceLimit(id: AccountId, limit: number | null): Promise<void> {
			await accounts().where({ id }).update({ allowance_limit: limit });
		},
	};
}
