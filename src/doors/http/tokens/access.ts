// Checks a token before a route uses it. A token that does not exist or is not accessible is a 401, and a token of the
// wrong kind is a 404; the access is checked first.

import { ServiceError } from '../../../base/errors.ts';
import type { Principal } from '../../../people/identity/principal.ts';
import type { Resolved } from '../../../vault/cards/card-reader.ts';
import type { RecordKind } from '../../../vault/pages/record-codec.ts';
import type { Token } from '../../../vault/tokens/token.ts';
import type { Vault } from '../../../vault/vault.ts';

/** The kinds of record with which a payment can be made: cards, and the network tokens that replace them. */
export const PAYMENT_KINDS: readonly RecordKind[] = ['card', 'network-token'];

/**
 * Returns the record of a token. The caller must be allowed to use the token, and the record must be of one of the
 * given kinds.
 * @throws ServiceError if one of these conditions is not met (spec §7.4)
 */
export async function getRecord(
	vault: Vault,
	principal: Principal,
	token: Token,
	kinds: readonly RecordKind[] = ['card'],
): Promise<Resolved> {
	const found = await vault.find(principal.ownerId, token);
	if (!found) throw new ServiceError('token-not-accessible');
	checkKind(found.record.kind, kinds);
	return found;
}

/**
 * Returns the record of a token like `getRecord`, but only to the account that owns the token. Any other account gets
 * the error of a token that does not exist.
 * @throws ServiceError if the caller does not own the token, or its record is not of one of the given kinds
 */
export async function getOwnRecord(
	vault: Vault,
	principal: Principal,
	token: Token,
	kinds?: readonly RecordKind[],
): Promise<Resolved> {
	const found = await getRecord(vault, principal, token, kinds);
	if (!found.isOwner) throw new ServiceError('token-not-accessible');
	return found;
}

/**
 * Checks that a record is of a kind that the endpoint works on.
 * @throws ServiceError if it is not
 */
export function checkKind(kind: RecordKind, kinds: readonly RecordKind[]): void {
	if (!kinds.includes(kind)) throw otherKind();
}

/** Returns the error for a token whose record is of a kind that the endpoint does not work on (spec §7.4). */
export function otherKind(): ServiceError {
	return new ServiceError('uri-not-found', { moreInfo: 'the token holds another kind of record' });
}
