import type { Knex } from 'knex';
import { deleteRows, firstRow, insertNew } from '../../../base/database/dialect.ts';
import type { AccountId, KeyId } from '../../../base/database/ids.ts';
import type { RowSeal, Seal } from '../../../base/keys/rows/row-seals.ts';

export interface TotpRow extends RowSeal {
	readonly user_id: number;
	readonly account_id: AccountId | null;
	readonly key_id: KeyId;
	readonly sealed: Buffer;
	readonly confirmed_at: number | null;
	readonly last_step: number;
	/** The time when the secret was made or confirmed; it grows with every change of the row. */
	readonly created_at: number;
}

export interface PasskeyRow extends Seal {
	readonly id: number;
	readonly user_id: number;
	readonly account_id: AccountId | null;
	readonly credential_id: string;
	readonly public_key: Buffer;
	readonly label: string;
	readonly transports: string;
	readonly counter: number;
	readonly created_at: number;
	readonly used_at: number | null;
}

export interface RecoveryCodeRow extends Seal {
	readonly user_id: number;
	readonly hash: string;
	readonly account_id: AccountId | null;
	readonly created_at: number;
}

export function factorStore(knex: Knex) {
	const totp = () => knex<TotpRow>('portal_totp');
	const passkeys = () => knex<PasskeyRow>('portal_passkeys');
	const codes = () => knex<RecoveryCodeRow>('portal_recovery_codes');
	return {
		async insertTotp(row: TotpRow): Promise<boolean> {
			return insertNew(totp(), row, 'user_id');
		},
		async findTotp(userId: number): Promise<TotpRow | undefined> {
			return totp().where({ user_id: userId }).first();
		},
		/**
		 * Records the half minute for which a code of an authenticator app was valid, because the code was used. Returns
		 * false if a code of this half minute or of a later one was used before.
		 */
		async useStep(userId: number, step: number): Promise<boolean> {
			const changed = await totp().where({ user_id: userId }).where('last_step', '<', step).update({ last_step: step });
			return changed === 1;
		},
		/** Writes the time when an app was confirmed, with the new seal of its row; returns false if it was confirmed before. */
		async confirmTotp(row: Pick<TotpRow, 'user_id' | 'confirmed_at' | 'created_at' | 'seal_key' | 'seal'>) {
			const { user_id, ...confirmed } = row;
			return (await totp().where({ user_id, confirmed_at: null }).update(confirmed)) === 1;
		},
		async insertPasskey(row: Omit<PasskeyRow, 'id'>): Promise<void> {
			await passkeys().insert(row as never);
		},
		async listPasskeys(userId: number): Promise<PasskeyRow[]> {
			return passkeys().where({ user_id: userId }).orderBy('id');
		},
		async findPasskey(credentialId: string): Promise<PasskeyRow | undefined> {
			return firstRow(passkeys().where({ credential_id: credentialId }));
		},
		async notePasskey(id: number, counter: number, at: number): Promise<void> {
			await passkeys().where({ id }).update({ counter, used_at: at });
		},
		async removeTotp(userId: number): Promise<TotpRow[]> {
			return deleteRows(knex, totp().where({ user_id: userId }));
		},
		async removePasskey(id: number, userId: number): Promise<PasskeyRow | undefined> {
			return (await deleteRows<PasskeyRow>(knex, passkeys().where({ id, user_id: userId })))[0];
		},
		async removePasskeys(userId: number): Promise<PasskeyRow[]> {
			return deleteRows(knex, passkeys().where({ user_id: userId }));
		},
		async insertCodes(rows: readonly RecoveryCodeRow[]): Promise<void> {
			await codes().insert(rows as never);
		},
		async findCode(userId: number, hash: string): Promise<RecoveryCodeRow | undefined> {
			return codes().where({ user_id: userId, hash }).first();
		},
		/** Uses up a recovery code; returns false if it was used before. */
		async useCode(userId: number, hash: string): Promise<boolean> {
			return (await codes().where({ user_id: userId, hash }).delete()) === 1;
		},
		async countCodes(userId: number): Promise<number> {
			const rows = await codes().where({ user_id: userId }).select('hash');
			return rows.length;
		},
		async removeCodes(userId: number): Promise<RecoveryCodeRow[]> {
			return deleteRows(knex, codes().where({ user_id: userId }));
		},
	};
}
