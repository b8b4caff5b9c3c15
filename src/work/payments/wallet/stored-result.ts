// Seals and opens the result of a session. The result contains the cardholder's name, so it is stored only in sealed
// form.

import type { KeyId } from '../../../base/database/ids.ts';
import type { KeyRing } from '../../../base/keys/key-ring.ts';
import type { SealedRows } from '../../../base/keys/rows/sealed-rows.ts';
import { seal, unseal } from '../../../base/keys/seal.ts';
import type { Token } from '../../../vault/tokens/token.ts';
import type { SessionRow } from './session-store.ts';

/** The card that a session has stored. `masked` is as the HTTP answer shows it: no full number, no CVV. */
export interface StoredResult {
	readonly token: Token;
	readonly masked: object;
}

/** This function seals the result of a session. If no card was stored, it seals the fact that there is none. */
export type SealResult = (result: StoredResult | undefined) => { readonly key_id: KeyId; readonly sealed: Buffer };

/** The key is fetched now, so that the function can be called inside a transaction, which must not wait for a key. */
export async function resultSealer(keyRing: KeyRing, sessionId: string): Promise<SealResult> {
	const key = await keyRing.current('secret');
	return (result) => {
		const plain = Buffer.from(JSON.stringify(result ?? null));
		const sealed = seal(key.secret, plain, label(sessionId, key.id));
		plain.fill(0);
		return { key_id: key.id, sealed };
	};
}

/** Opens the sealed result of a session. Returns undefined if there is no result yet, or if no card was stored. */
export async function openResult(
	keyRing: KeyRing,
	{ id, key_id, sealed }: Pick<SessionRow, 'id' | 'key_id' | 'sealed'>,
): Promise<StoredResult | undefined> {
	if (key_id === null || sealed === null) return undefined;
	const key = await keyRing.byId(key_id);
	const plain = unseal(key.secret, sealed, label(id, key.id));
	const result = JSON.parse(plain.toString()) as StoredResult | null;
	plain.fill(0);
	return result ?? undefined;
}

/**
 * Names the table and the column in which the results of sessions are sealed. After a key rotation, they are found by
 * this and sealed again under the new key.
 */
export const sealedResults: SealedRows = {
	table: 'wallet_sessions',
	id: ['id'],
	column: 'sealed',
	label: ({ id }, keyId) => label(id, keyId),
};

function label(sessionId: string, keyId: KeyId): Buffer {
	return Buffer.from(`tokendrop wallet result ${sessionId}/${keyId}`);
}
