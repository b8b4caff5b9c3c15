// What routes ask of a token before they do anything with it: existence and access first (401), then the kind (404).

import { ServiceError } from '../../errors.ts';
import type { Principal } from '../../identity/principal.ts';
import type { Resolved } from '../../vault/card-reader.ts';
import type { RecordKind } from '../../vault/record-codec.ts';
import type { Token } from '../../vault/token.ts';
import type { Vault } from '../../vault/vault.ts';

/** Cards and what stands for them in a network. */
export const PAYMENT_KINDS: readonly RecordKind[] = ['card', 'network-token'];

/** A token the caller may use that holds a record of one of the kinds. @throws ServiceError (spec §7.4) */
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

/** The same for what only the owner may do; to anybody else the token does not exist. */
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

/** @throws ServiceError when a token holds something else than the endpoint works on. */
export function checkKind(kind: RecordKind, kinds: readonly RecordKind[]): void {
	if (!kinds.includes(kind))
		throw new ServiceError('uri-not-found', { moreInfo: 'the token holds another kind of record' });
}
