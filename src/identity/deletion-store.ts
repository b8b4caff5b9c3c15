import type { Knex } from 'knex';
import type { AccountId } from '../database/ids.ts';

/** A deletion of an account, asked for, under way or done. */
export interface DeletionRow {
	readonly account_id: AccountId;
	readonly asked_by: string;
	readonly asked_at: number;
	readonly not_before: number;
	readonly begun_at: number | null;
	readonly finished_at: number | null;
	readonly removed: string | null;
}

/** Single statements over deletions. `knex` may be a transaction. */
export function deletionStore(knex: Knex) {
	const deletions = () => knex<DeletionRow>('account_deletions');
	return {
		async find(id: AccountId): Promise<DeletionRow | undefined> {
			return deletions()
				.where({ account_id: id } as never)
				.first();
		},
		/** Says whether there was none yet. */
		async insert(row: Pick<DeletionRow, 'account_id' | 'asked_by' | 'asked_at' | 'not_before'>): Promise<boolean> {
			const made = await knex('account_deletions')
				.insert(row)
				.onConflict('account_id')
				.ignore()
				.returning('account_id');
			return made.length > 0;
		},
		/** Takes it back unless it has begun; says whether it did. */
		async withdraw(id: AccountId): Promise<boolean> {
			return (await knex('account_deletions').where({ account_id: id, begun_at: null }).delete()) > 0;
		},
		/** Those that are to be begun or gone on with. */
		async listDue(at: number): Promise<DeletionRow[]> {
			return (await deletions()
				.whereNull('finished_at')
				.andWhere('not_before', '<=', at)
				.orderBy('account_id')) as DeletionRow[];
		},
		/** From here on it cannot be taken back; false when it was. */
		async begin(id: AccountId, at: number): Promise<boolean> {
			const begun = { begun_at: knex.raw('coalesce(begun_at, ?)', [at]) };
			return (await knex('account_deletions').where({ account_id: id }).update(begun)) > 0;
		},
		async note(id: AccountId, changes: Partial<Pick<DeletionRow, 'removed' | 'finished_at'>>): Promise<void> {
			await knex('account_deletions').where({ account_id: id }).update(changes);
		},
	};
}
