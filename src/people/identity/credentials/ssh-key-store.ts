import type { Knex } from 'knex';
import { type Dialect, insertRow } from '../../../base/database/dialect.ts';
import type { AccountId } from '../../../base/database/ids.ts';
import type { RowSeal } from '../../../base/keys/rows/row-seals.ts';

export interface SshKeyRow extends RowSeal {
	readonly id: number;
	readonly account_id: AccountId;
	readonly fingerprint: string;
	readonly algorithm: string;
	readonly blob: Buffer;
	readonly comment: string;
	readonly permissions: string;
	readonly created_at: number;
	/** The allowed address ranges, in the form of `address-ranges.ts`. */
	readonly from_ranges: string | null;
	/** The time of the last change, and at least one more than before that change. */
	readonly generation: number;
}

export function sshKeyStore(knex: Knex) {
	return {
		/** @throws a unique violation if the account has the key already */
		async insert(row: Omit<SshKeyRow, 'id' | 'seal_key' | 'seal'>): Promise<SshKeyRow> {
			return insertRow(knex('ssh_keys'), row);
		},
		async listByAccount(accountId: AccountId): Promise<SshKeyRow[]> {
			return knex<SshKeyRow>('ssh_keys').where({ account_id: accountId }).orderBy('id');
		},
		/**
		 * Returns the SSH keys of an account, and locks their rows until the transaction ends. With `fingerprint`, it
		 * returns only the key with this fingerprint.
		 */
		async listForUpdate(accountId: AccountId, dialect: Dialect, fingerprint?: string): Promise<SshKeyRow[]> {
			const keys = knex<SshKeyRow>('ssh_keys').where({ account_id: accountId }).orderBy('id');
			if (fingerprint !== undefined) keys.andWhere({ fingerprint });
			return dialect === 'postgres' ? keys.forUpdate() : keys;
		},
		async update(id: number, changed: Partial<Omit<SshKeyRow, 'id'>>): Promise<void> {
			await knex('ssh_keys').where({ id }).update(changed);
		},
		async putSeal(id: number, seal: Pick<SshKeyRow, 'seal_key' | 'seal'>): Promise<void> {
			await knex('ssh_keys').where({ id }).update(seal);
		},
		async remove(accountId: AccountId, fingerprint: string): Promise<SshKeyRow | undefined> {
			const row = await knex<SshKeyRow>('ssh_keys').where({ account_id: accountId, fingerprint }).first();
			return row && (await knex('ssh_keys').where({ id: row.id }).delete()) === 1 ? row : undefined;
		},
	};
}
