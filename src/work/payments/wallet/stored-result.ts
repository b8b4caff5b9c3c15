// Opens the result of a session. The result contains the cardholder's name, so it is stored only in sealed form.

import type { KeyRing } from '../../../base/keys/key-ring.ts';
import type { SealedRows } from '../../../base/keys/rows/sealed-rows.ts';
import { findValue } from '../../../base/keys/rows/sealed-values.ts';
import type { Token } from '../../../vault/tokens/token.ts';
import type { SessionRow } from './session-store.ts';

/** The card that a session has stored. `masked` is as the HTTP answer shows it: no full number, no CVV. */
export interface StoredResult {
	readonly token: Token;
	readonly masked: object;
}

/** Opens the sealed result of a session. Returns undefined if there is no result yet, or if no card was stored. */
export async function openResult(
	keyRing: KeyRing,
	row: Pick<SessionRow, 'id' | 'key_id' | 'sealed'>,
): Promise<StoredResult | undefined> {
	return (await findValue<StoredResult | null>(keyRing, sealedResults, row)) ?? undefined;
}

/**
 * Names the table and the column in which the results of sessions are sealed, that of one without a card as null. After a
 * key rotation, they are found by this and sealed again under the new key.
 */
export const sealedResults: SealedRows = {
	table: 'wallet_sessions',
	id: ['id'],
	column: 'sealed',
	label: ({ id }, keyId) => Buffer.from(`tokendrop wallet result ${id}/${keyId}`),
};
