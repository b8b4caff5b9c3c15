import type { Knex } from 'knex';
import { insertNew } from '../../../base/database/dialect.ts';
import type { AccountId } from '../../../base/database/ids.ts';

/** Describes a deletion of an account that is requested, in progress or done. */
export interface DeletionRow {
	readonly account_id: AccountId;
	readonly asked_by: string;
	readonly asked_at: number;
	readonly not_before: number;
	readonly begun_at: number | null;
	readonly finished_at: number | null;
	readonly removed: string | null;
}

/** Each method is a single statement over `account_deletions`. `knex` may be a transaction. */
export function deletionStore(knex: Knex) {
	const deletions = () => knex<DeletionRow>('account_deletions');
	return {
		async find(id: AccountId): Promise<DeletionRow | undefined> {
			return deletions()
				.where({ account_id: id } as never)
				.first();
		},
		/** Stores that the deletion of an account was requested; returns false if that was stored already. */
		async insert(row: Pick<DeletionRow, 'account_id' | 'asked_by' | 'asked_at' | 'not_before'>): Promise<boolean> {
			return insertNew(knex('account_deletions'), row, 'account_id');
		},
		async withdraw(id: AccountId): Promise<boolean> {
			return (await knex('account_deletions').where({ account_id: id, begun_at: null }).delete()) > 0;
		},
		async listDue(at: number): Promise<DeletionRow[]> {
			return (await deletions()
				.whereNull('finished_at')
				.andWhere('not_before', '<=', at)
				.orderBy('account_id')) as DeletionRow[];
		},
		/** Marks a deletion as begun, after which it cannot be cancelled. Returns false if it was cancelled before. */
		async begin(id: AccountId, at: number): Promise<boolean> {
			const begun = { begun_at: knex.raw('coalesce(begun_at, ?)', [at]) };
			return (await knex('account_deletions').where({ account_id: id }).update(begun)) > 0;
		},
		async note(id: AccountId, changes: Partial<Pick<DeletionRow, 'removed' | 'finished_at'>>): Promise<void> {
			await knex('account_deletions').where({ account_id: id }).update(changes);
		},
	};
}
