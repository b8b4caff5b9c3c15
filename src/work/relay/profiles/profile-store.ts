import type { Knex } from 'knex';
import type { AccountId, KeyId } from '../../../base/database/ids.ts';
import type { RowSeal, RowShape } from '../../../base/keys/rows/row-seals.ts';
import { namedRows } from '../../../people/identity/accounts/named-rows-store.ts';

export interface ProfileRow extends RowSeal {
	readonly account_id: AccountId;
	readonly name: string;
	readonly version: number;
	/** The content of the profile as JSON, with stars in place of secrets. */
	readonly document: string;
	readonly key_id: KeyId | null;
	readonly sealed: Buffer | null;
	readonly created_at: number;
	readonly updated_at: number;
}

/** The seal covers everything that decides where cards may go, and how, and the sealed secrets with which we log in there. */
export const sealedProfiles: RowShape = {
	table: 'relay_profiles',
	id: ['account_id', 'name'],
	columns: ['document', 'updated_at', 'sealed'],
	freshness: { by: 'ended-rows', generation: 'updated_at' },
};

export function profileStore(knex: Knex) {
	return {
		...namedRows<ProfileRow>(knex, 'relay_profiles', 'name'),
		/** Lists the profiles of all accounts that have a certificate of their own or trust some. */
		async listWithCertificates(): Promise<ProfileRow[]> {
			return (await knex('relay_profiles')
				.where('document', 'like', '%"clientCertificate"%')
				.orWhere('document', 'like', '%"authorities"%')
				.orderBy(['account_id', 'name'])) as ProfileRow[];
		},
		/** A profile of the same name is replaced: its creation time stays, and its version increases by 1. */
		async put(row: Omit<ProfileRow, 'version'>): Promise<void> {
			const { document, key_id, sealed, updated_at, seal_key, seal } = row;
			const version = knex.raw('relay_profiles.version + 1');
			await knex('relay_profiles')
				.insert({ ...row, version: 1 })
				.onConflict(['account_id', 'name'])
				.merge({ document, key_id, sealed, updated_at, seal_key, seal, version });
		},
	};
}
