import type { Knex } from 'knex';
import { deleteRows } from '../../../base/database/dialect.ts';
import type { AccountId, KeyId } from '../../../base/database/ids.ts';

export interface DestinationRow {
	readonly account_id: AccountId;
	readonly name: string;
	readonly host: string;
	readonly port: number;
	readonly user_name: string;
	readonly folder: string;
	/** The fingerprints of host keys, separated by blanks. */
	readonly host_keys: string;
	readonly key_id: KeyId;
	readonly sealed: Buffer;
	readonly created_at: number;
	readonly updated_at: number;
	readonly seal_key: KeyId | null;
	readonly seal: Buffer | null;
}

/** Returns methods for the destinations of accounts; each runs a single SQL statement. */
export function destinationStore(knex: Knex) {
	const destinations = () => knex<DestinationRow>('destinations');
	return {
		async find(accountId: AccountId, name: string): Promise<DestinationRow | undefined> {
			return destinations().where({ account_id: accountId, name }).first();
		},
		async list(accountId: AccountId): Promise<DestinationRow[]> {
			return (await destinations().where({ account_id: accountId }).orderBy('name')) as DestinationRow[];
		},
		async count(accountId: AccountId): Promise<number> {
			const [{ count }] = await destinations().where({ account_id: accountId }).count({ count: '*' });
			return Number(count);
		},
		/** Replaces the destination with the same name and keeps its creation time. */
		async put(row: DestinationRow): Promise<void> {
			const { created_at: _, ...changed } = row;
			await knex('destinations').insert(row).onConflict(['account_id', 'name']).merge(changed);
		},
		async remove(accountId: AccountId, name: string): Promise<DestinationRow | undefined> {
			return (await deleteRows<DestinationRow>(knex, destinations().where({ account_id: accountId, name })))[0];
		},
	};
}
