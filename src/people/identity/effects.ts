// Lists what calls can do to stored cards, and the one permission that guards each of these effects, so that two calls with
// the same effect never need different permissions. A call that exists for its effect names the permission in its
// definition; where an effect depends on parameters or on the card, the code checks it with the functions of this file.

import { missingPermission, type Permission, requirePermission } from './permissions.ts';
import type { Principal } from './principal.ts';

export const EFFECTS = {
	/** Another account may use the card from now on, and so may send its number anywhere. */
	'gives-away': 'Associate',
	/** An account may no longer use the card. */
	'takes-back': 'Associate',
	/** The caller learns what is known of a stored card without its full number: digits, expiry, names. */
	shows: 'QueryTokens',
	/** A page shows the full number, or the CVV, of which that spends a use. */
	'shows-number': 'DisplayCard',
	/** The caller learns whether a number is stored. */
	'tells-known': 'EliminateDuplicates',
	/** The number moves to a third party, and a use of the CVV is spent if the profile has a place for it. */
	'moves-to-third-party': 'Relay',
	/** The number moves to a payment provider, and a use of the CVV is spent. */
	'moves-to-gateway': 'Gateway',
	/** The number moves into a file, and a use of the CVV is spent if the format has a place for it. */
	'moves-to-file': 'FileDetokenize',
	/** A CVV is stored, destroyed, or may be used otherwise than before. */
	'changes-cvv': 'Tokenize',
	/** The card is deleted, at once or with its CVV. */
	deletes: 'DeleteToken',
} as const satisfies Readonly<Record<string, Permission>>;

export type Effect = keyof typeof EFFECTS;

export function mayCause({ permissions }: Pick<Principal, 'permissions'>, effect: Effect): boolean {
	return permissions.has(EFFECTS[effect]);
}

/** Returns the error about an effect that the caller may not cause; its message names the permission (spec §5.4.2). */
export function missingEffect(effect: Effect): Error {
	return missingPermission(EFFECTS[effect]);
}

/**
 * Checks that the caller may cause an effect.
 * @throws ServiceError whose message names the permission (spec §5.4.2)
 */
export function requireEffect(principal: Pick<Principal, 'permissions'>, effect: Effect): void {
	requirePermission(principal, EFFECTS[effect]);
}
