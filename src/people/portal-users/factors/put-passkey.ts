import type { Knex } from 'knex';
import type { RowSealer } from '../../../base/keys/rows/row-seals.ts';
import { maskCardNumbers } from '../../../base/log/card-numbers.ts';
import { sealedPortalPasskeys } from '../sealed-rows.ts';
import { factorStore, type PasskeyRow } from './factor-store.ts';

export type NewPasskey = Pick<PasskeyRow, 'credential_id' | 'public_key' | 'counter' | 'transports'>;

/** Stores a passkey of a user under a label that the user has typed. A card number in it is masked. */
export async function putPasskey(
	transaction: Knex.Transaction,
	sealer: RowSealer,
	passkey: NewPasskey & Pick<PasskeyRow, 'user_id' | 'account_id' | 'created_at'> & { readonly label: string },
): Promise<void> {
	const written = [...passkey.label.normalize('NFC').replace(/\p{C}/gu, '').trim()].slice(0, 60).join('');
	const label = maskCardNumbers(written) || 'passkey';
	const row = { ...passkey, label, used_at: null };
	const { generation, ...seal } = await sealer.renew(transaction, sealedPortalPasskeys, row);
	await factorStore(transaction).insertPasskey({ ...row, created_at: generation, ...seal });
}
