import type { Knex } from 'knex';
import type { KeyId } from '../database/ids.ts';

/** A key as stored: always wrapped by another one. */
export interface KeyRow {
	readonly id: KeyId;
	readonly purpose: string;
	readonly account_id: number;
	readonly generation: number;
	/** Null for the environment key, which the root key wraps. */
	readonly wrapped_by: KeyId | null;
	readonly wrapped: Buffer;
	/** `active` seals and opens, `superseded` only opens. */
	readonly state: 'active' | 'superseded';
	readonly created_at: number;
}

export type NewKeyRow = Omit<KeyRow, 'id'>;

/** Single statements over the `keys` and `installation` tables; what they mean together is the key ring's. */
export function keyStore(knex: Knex) {
	return {
		async findLatest(purpose: string, accountId: number): Promise<KeyRow | undefined> {
			return knex<KeyRow>('keys').where({ purpose, account_id: accountId }).orderBy('generation', 'desc').first();
		},
		async findById(id: KeyId): Promise<KeyRow | undefined> {
			return knex<KeyRow>('keys').where({ id }).first();
		},
		async listAll(): Promise<KeyRow[]> {
			return knex<KeyRow>('keys').orderBy('id');
		},
		async listByPurpose(purpose: string): Promise<KeyRow[]> {
			return knex<KeyRow>('keys').where({ purpose }).orderBy('generation', 'desc');
		},
		/** @throws a unique violation when somebody else made this generation first. */
		async insert(row: NewKeyRow): Promise<KeyRow> {
			const [inserted] = await knex<KeyRow>('keys')
				.insert(row as never)
				.returning('*');
			return inserted as KeyRow;
		},
		async supersedeBefore(purpose: string, accountId: number, generation: number): Promise<void> {
			await knex('keys')
				.where({ purpose, account_id: accountId })
				.andWhere('generation', '<', generation)
				.update({ state: 'superseded' });
		},
		async rewrap(id: KeyId, wrapped: Buffer, wrappedBy: KeyId | null): Promise<void> {
			await knex('keys').where({ id }).update({ wrapped, wrapped_by: wrappedBy });
		},
		async findEnvironment(): Promise<string | undefined> {
			const row = await knex('installation').where({ id: 1 }).first();
			return row?.environment;
		},
		async stampEnvironment(environment: string, createdAt: number): Promise<void> {
			await knex('installation').insert({ id: 1, environment, created_at: createdAt }).onConflict('id').ignore();
		},
	};
}
