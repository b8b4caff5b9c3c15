import type { Knex } from 'knex';
import type { KeyId } from '../database/ids.ts';

export type CredentialKind = 'api-key' | 'ssh-key';

/** A credential that was ended: its rows of this version and below are dead. */
export interface EndedRow {
	readonly kind: CredentialKind;
	readonly credential_id: number;
	/** Of the credential. With the id, since a database that was put back gives ids anew. */
	readonly created_at: number;
	readonly version: number;
	readonly at: number;
	readonly seal_key: KeyId;
	readonly seal: Buffer;
}

/** Single statements over `ended_credentials`. */
export function endedStore(knex: Knex) {
	return {
		async put(row: EndedRow): Promise<void> {
			await knex('ended_credentials').insert(row).onConflict(['kind', 'credential_id', 'created_at']).merge();
		},
		/** Those noted at a time or later, oldest first. */
		async listSince(at: number): Promise<EndedRow[]> {
			return knex<EndedRow>('ended_credentials').where('at', '>=', at).orderBy('at') as never;
		},
	};
}
