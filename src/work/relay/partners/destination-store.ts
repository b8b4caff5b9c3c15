import type { Knex } from 'knex';
import type { AccountId, KeyId } from '../../../base/database/ids.ts';
import type { RowSeal, RowShape } from '../../../base/keys/rows/row-seals.ts';
import { namedRows } from '../../../people/identity/accounts/named-rows-store.ts';

export interface DestinationRow extends RowSeal {
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
}

/** The seal covers everything that decides where cards may go, and the sealed secrets with which we log in there. */
export const sealedDestinations: RowShape = {
	table: 'destinations',
	id: ['account_id', 'name'],
	columns: [...['host', 'port', 'user_name', 'folder', 'host_keys'], 'updated_at', 'sealed'],
	freshness: { by: 'ended-rows', generation: 'updated_at' },
};

export function destinationStore(knex: Knex) {
	const rows = namedRows<DestinationRow>(knex, 'destinations', 'name');
	return { ...rows, put: (row: DestinationRow) => rows.put(row, ['created_at']) };
}
