import type { Knex } from 'knex';
import { countByKey } from '../database/count-by-key.ts';
import type { KeyId } from '../database/ids.ts';
import type { Role } from './roles.ts';

export interface OperatorRow {
	readonly id: number;
	readonly name: string;
	readonly role: Role;
	readonly fingerprint: string;
	readonly public_key: string | null;
	readonly token_hash: string | null;
	readonly key_id: KeyId | null;
	readonly created_at: number;
	readonly removed_at: number | null;
}

/** Single statements over `operators`. */
export function operatorStore(knex: Knex) {
	return {
		/** Oldest first, with those that were removed. */
		async list(): Promise<OperatorRow[]> {
			return knex<OperatorRow>('operators').orderBy('id');
		},
		/** @throws a unique violation when the name was given before. */
		async insert(row: Omit<OperatorRow, 'id' | 'removed_at'>): Promise<void> {
			await knex('operators').insert(row);
		},
		/** How many tokens of operators who were not removed are found under each key of hashes. */
		async countByKey(): Promise<{ key_id: KeyId; count: number }[]> {
			return countByKey(knex('operators').where({ removed_at: null }).whereNotNull('key_id'));
		},
		/** Says whether there was one to remove. */
		async remove(name: string, at: number): Promise<boolean> {
			const changed = await knex('operators').where({ name, removed_at: null }).update({ removed_at: at });
			return changed > 0;
		},
		/** Removes all of them; names are not given again. */
		async removeAll(at: number): Promise<number> {
			return knex('operators').where({ removed_at: null }).update({ removed_at: at });
		},
	};
}
