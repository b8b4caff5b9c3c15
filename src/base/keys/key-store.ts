import type { Knex } from 'knex';
import { type Dialect, forUpdateClause, insertRow } from '../database/dialect.ts';
import type { KeyId } from '../database/ids.ts';
import { execute } from '../database/sql.ts';

/** This purpose names the environment key, which is wrapped by the master key and wraps all other keys. */
export const ENVIRONMENT = 'environment';
/**
 * A bridge is a new environment key wrapped by the one before it, for processes that still have the former master key.
 */
export const BRIDGE = 'bridge';

/** Describes a key as stored; it is always wrapped by another one. */
export interface KeyRow {
	readonly id: KeyId;
	readonly purpose: string;
	readonly account_id: number;
	readonly generation: number;
	/** The id of the wrapping key; null for the environment key, which the root key wraps. */
	readonly wrapped_by: KeyId | null;
	readonly wrapped: Buffer;
	/** The state of the key: an `active` one seals and opens, a `superseded` one only opens. */
	readonly state: 'active' | 'superseded';
	readonly created_at: number;
	/** For a bridge, the time when a process last reported that it needs the bridge; null for any other key. */
	readonly needed_at: number | null;
	/** The number of values that processes may have sealed under the key. */
	readonly seals: number;
	/** The time when the next generation of the key was created. */
	readonly superseded_at: number | null;
}

export type NewKeyRow = Omit<KeyRow, 'id' | 'needed_at' | 'seals' | 'superseded_at'> & { readonly needed_at?: number };

/** Each method is a single statement over the `keys` and `installation` tables. The key ring combines them. */
export function keyStore(knex: Knex) {
	return {
		/** Locks the keys, so that until the transaction ends nobody else can create, rotate or re-wrap one. */
		async lock(dialect: Dialect): Promise<void> {
			await execute(knex, `select id from installation where id = 1 ${forUpdateClause(dialect)}`);
		},
		async findLatest(purpose: string, accountId: number): Promise<KeyRow | undefined> {
			return knex<KeyRow>('keys').where({ purpose, account_id: accountId }).orderBy('generation', 'desc').first();
		},
		async findById(id: KeyId): Promise<KeyRow | undefined> {
			return knex<KeyRow>('keys').where({ id }).first();
		},
		/** Finds the bridge to an environment key from the one before it. */
		async findBridge(generation: number): Promise<KeyRow | undefined> {
			return knex<KeyRow>('keys').where({ purpose: BRIDGE, generation }).first();
		},
		async listAll(): Promise<KeyRow[]> {
			return knex<KeyRow>('keys').orderBy('id');
		},
		async listByPurpose(purpose: string, accountId: number): Promise<KeyRow[]> {
			return knex<KeyRow>('keys').where({ purpose, account_id: accountId }).orderBy('generation', 'desc');
		},
		/**
		 * Inserts a key.
		 * @throws a unique violation if another process inserted this generation first
		 */
		async insert(row: NewKeyRow): Promise<KeyRow> {
			return insertRow(knex<KeyRow>('keys'), row);
		},
		async supersedeBefore(purpose: string, accountId: number, generation: number, at: number): Promise<void> {
			await knex('keys')
				.where({ purpose, account_id: accountId })
				.andWhere('generation', '<', generation)
				.andWhere('state', 'active')
				.update({ state: 'superseded', superseded_at: at });
		},
		/** Adds to the number of values that processes may seal under a key. */
		async addSeals(id: KeyId, seals: number): Promise<void> {
			await knex('keys').where({ id }).increment('seals', seals);
		},
		/** Destroys a key that no longer seals, and tells whether it did. */
		async removeSuperseded(id: KeyId): Promise<boolean> {
			return (await knex('keys').where({ id, state: 'superseded' }).delete()) === 1;
		},
		async rewrap(id: KeyId, wrapped: Buffer, wrappedBy: KeyId | null): Promise<void> {
			await knex('keys').where({ id }).update({ wrapped, wrapped_by: wrappedBy });
		},
		/** Notes that bridges are needed, and tells whether there are any. */
		async needBridges(at: number): Promise<boolean> {
			return (await knex('keys').where({ purpose: BRIDGE }).update({ needed_at: at })) > 0;
		},
		async removeBridges(): Promise<number> {
			return knex('keys').where({ purpose: BRIDGE }).delete();
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
