import type { Knex } from 'knex';
import type { KeyId } from '../database/ids.ts';

export type CredentialKind = 'api-key' | 'ssh-key';

/** A credential that was ended: its rows with this `version` or a lower one are invalid. */
export interface EndedRow {
	readonly kind: CredentialKind;
	readonly credential_id: number;
	/**
	 * The creation time of the credential. It is stored with the id, because a restored database gives out the same ids
	 * again.
	 */
	readonly created_at: number;
	readonly version: number;
	readonly at: number;
	readonly seal_key: KeyId;
	readonly seal: Buffer;
}

/** Each method is a single statement over `ended_credentials`. */
export function endedStore(knex: Knex) {
	return {
		async put(row: EndedRow): Promise<void> {
			await knex('ended_credentials').insert(row).onConflict(['kind', 'credential_id', 'created_at']).merge();
		},
		/** Returns the ends that were noted at or after a time, oldest first. */
		async listSince(at: number): Promise<EndedRow[]> {
			return knex<EndedRow>('ended_credentials').where('at', '>=', at).orderBy('at') as never;
		},
	};
}
