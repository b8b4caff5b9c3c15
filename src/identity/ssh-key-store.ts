import type { Knex } from 'knex';
import type { AccountId } from '../database/ids.ts';

export interface SshKeyRow {
	readonly id: number;
	readonly account_id: AccountId;
	readonly fingerprint: string;
	readonly algorithm: string;
	readonly blob: Buffer;
	readonly comment: string;
	readonly permissions: string;
	readonly created_at: number;
	/** See `address-ranges.ts`. */
	readonly from_ranges: string | null;
}

/** Single statements over `ssh_keys`. */
export function sshKeyStore(knex: Knex) {
	return {
		/** @throws a unique violation when the account has the key already. */
		async insert(row: Omit<SshKeyRow, 'id'>): Promise<SshKeyRow> {
			const [inserted] = await knex('ssh_keys').insert(row).returning('*');
			return inserted as SshKeyRow;
		},
		async listByAccount(accountId: AccountId): Promise<SshKeyRow[]> {
			return knex<SshKeyRow>('ssh_keys').where({ account_id: accountId }).orderBy('id');
		},
		/** What logins with its keys may do, or with one of them; says how many there are. */
		async permit(accountId: AccountId, permissions: string, fingerprint?: string): Promise<number> {
			const keys = knex('ssh_keys').where({ account_id: accountId });
			if (fingerprint !== undefined) keys.andWhere({ fingerprint });
			return keys.update({ permissions });
		},
		async remove(accountId: AccountId, fingerprint: string): Promise<boolean> {
			return (await knex('ssh_keys').where({ account_id: accountId, fingerprint }).delete()) > 0;
		},
	};
}
