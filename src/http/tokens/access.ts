// Checks a token before a route uses it: first existence and access (401), then the kind (404).

import { ServiceError } from '../../errors.ts';
import type { Principal } from '../../identity/principal.ts';
import type { Resolved } from '../../vault/card-reader.ts';
import type { RecordKind } from '../../vault/record-codec.ts';
import type { Token } from '../../vault/token.ts';
import type { Vault } from '../../vault/vault.ts';

/** Cards, and the network tokens that replace them. */
export const PAYMENT_KINDS: readonly RecordKind[] = ['card', 'network-token'];

/**
 * Returns a token that the caller may use and that has a record of one of the kinds. @throws ServiceError (spec §7.4)
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

/** Does the same for actions that only the owner may do; for anybody else the token does not exist. */
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

/** @throws ServiceError when a token has a record of another kind than the endpoint works on. */
export function checkKind(kind: RecordKind, kinds: readonly RecordKind[]): void {
	if (!kinds.includes(kind))
		throw new ServiceError('uri-not-found', { moreInfo: 'the token holds another kind of record' });
}
