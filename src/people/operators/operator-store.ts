import type { Knex } from 'knex';
import { countByKey } from '../../base/database/count-by-key.ts';
import type { KeyId } from '../../base/database/ids.ts';
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

export function operatorStore(knex: Knex) {
	return {
		/** Lists all operators, oldest first, including those who were removed. */
		async list(): Promise<OperatorRow[]> {
			return knex<OperatorRow>('operators').orderBy('id');
		},
		/** @throws a unique violation if the name was used before */
		async insert(row: Omit<OperatorRow, 'id' | 'removed_at'>): Promise<void> {
			await knex('operators').insert(row);
		},
		async countByKey(): Promise<{ key_id: KeyId; count: number }[]> {
			return countByKey(knex('operators').where({ removed_at: null }).whereNotNull('key_id'));
		},
		async remove(name: string, at: number): Promise<boolean> {
			const changed = await knex('operators').where({ name, removed_at: null }).update({ removed_at: at });
			return changed > 0;
		},
		/** Removes all operators. Their rows stay, so their names cannot be given to new operators. */
		async removeAll(at: number): Promise<number> {
			return knex('operators').where({ removed_at: null }).update({ removed_at: at });
		},
	};
}
