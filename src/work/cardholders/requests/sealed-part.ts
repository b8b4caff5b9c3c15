// Seals the data about a cardholder in a card request, and the link that was sent to them.

import type { KeyId } from '../../../base/database/ids.ts';
import type { KeyRing } from '../../../base/keys/key-ring.ts';
import type { SealedRows } from '../../../base/keys/rows/sealed-rows.ts';
import { seal, unseal } from '../../../base/keys/seal.ts';
import type { SealedPart } from './card-request.ts';
import type { CardRequestRow } from './request-store.ts';

/**
 * Seals the part of a request that is not stored in clear. It must not be called inside a transaction, because it may
 * query the database for a key.
 */
export async function sealPart(
	keyRing: KeyRing,
	id: string,
	part: SealedPart,
): Promise<{ readonly key_id: KeyId; readonly sealed: Buffer }> {
	const key = await keyRing.current('secret');
	const plain = Buffer.from(JSON.stringify(part));
	const sealed = seal(key.secret, plain, label(id, key.id));
	plain.fill(0);
	return { key_id: key.id, sealed };
}

export async function openPart(
	keyRing: KeyRing,
	{ id, key_id, sealed }: Pick<CardRequestRow, 'id' | 'key_id' | 'sealed'>,
): Promise<SealedPart> {
	const key = await keyRing.byId(key_id);
	const plain = unseal(key.secret, sealed, label(id, key.id));
	const part = JSON.parse(plain.toString()) as SealedPart;
	plain.fill(0);
	return part;
}

/** Declares the table and columns with the sealed parts of requests, so that they can be sealed again under a new key. */
export const sealedRequestParts: SealedRows = {
	table: 'card_requests',
	id: ['id'],
	column: 'sealed',
	label: ({ id }, keyId) => label(id, keyId),
};

function label(id: string, keyId: KeyId): Buffer {
	return Buffer.from(`tokendrop card request ${id}/${keyId}`);
}
