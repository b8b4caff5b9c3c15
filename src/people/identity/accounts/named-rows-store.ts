import type { Knex } from 'knex';
import { deleteRows, firstRow } from '../../../base/database/dialect.ts';
import type { AccountId } from '../../../base/database/ids.ts';

export type OwnedRow<Row> = Row & { readonly user_id: string; readonly owner_id: AccountId };

/**
 * Returns methods for a table in which each account has rows under names of its own, which stand in the column `name`; each
 * runs a single SQL statement.
 */
export function namedRows<Row extends { readonly account_id: AccountId }>(
	knex: Knex,
	table: string,
	name: keyof Row & string,
) {
	const of = (accountId: AccountId) => knex(table).where({ account_id: accountId });
	return {
		async find(accountId: AccountId, named: string): Promise<Row | undefined> {
			return firstRow(of(accountId).where({ [name]: named }));
		},
		/** Returns the rows of an account in the order of their names. */
		async list(accountId: AccountId): Promise<Row[]> {
			return of(accountId).orderBy(name);
		},
		/** Returns the rows of an account and its sub-accounts, or of all accounts, each with the primary account to which it belongs. */
		async listOwned(ownerId?: AccountId): Promise<OwnedRow<Row>[]> {
			const owner = knex.raw('coalesce(accounts.parent_id, accounts.id)');
			const rows = knex(table)
				.join('accounts', 'accounts.id', `${table}.account_id`)
				.select(`${table}.*`, 'accounts.user_id', { owner_id: owner })
				.orderBy(['accounts.user_id', `${table}.${name}`]);
			if (ownerId !== undefined) rows.whereRaw(`${owner} = ?`, [ownerId]);
			return (await rows) as OwnedRow<Row>[];
		},
		async count(accountId: AccountId): Promise<number> {
			const [{ count }] = await of(accountId).count({ count: '*' });
			return Number(count);
		},
		/** Puts a row in the place of the one of its name, of which the columns in `kept` stay as they are. */
		async put(row: Row, kept: readonly (keyof Row)[] = []): Promise<void> {
			const same: readonly string[] = ['account_id', name, ...(kept as string[])];
			const changed = Object.keys(row).filter((column) => !same.includes(column));
			await knex(table).insert(row).onConflict(['account_id', name]).merge(changed);
		},
		async remove(accountId: AccountId, named: string): Promise<Row | undefined> {
			return (await deleteRows<Row>(knex, of(accountId).where({ [name]: named })))[0];
		},
	};
}
