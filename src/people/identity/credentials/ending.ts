// Decides when a session or a stream ends with its credential: in every case in which it would be refused, or get other
// rights, if it were opened now.

import { type Reason, ServiceError } from '../../../base/errors.ts';
import { isFrom } from '../accounts/address-ranges.ts';
import type { StandingRow } from '../accounts/standing-store.ts';
import { readPermissions } from '../permissions.ts';
import type { Principal } from '../principal.ts';

/**
 * Maps the reason why a session or stream is cut off, in words for the log and the audit trail, to the error for a
 * caller that can still get an answer.
 */
export const endings = {
	'the API key was revoked': 'authentication-failed',
	'the API key has ended': 'authentication-failed',
	'the API key is gone': 'authentication-failed',
	'the address is not among those of the key': 'authentication-failed',
	'the session token has expired': 'authentication-failed',
	'the access token has expired': 'authentication-failed',
	'the SSH key was removed': 'authentication-failed',
	'the credential was altered in the database': 'authentication-failed',
	'the permissions were changed': 'permission-denied',
	'the account was disabled': 'authentication-failed',
	'the account was blocked': 'allowance-exceeded',
} as const satisfies Record<string, Reason>;

export type Ending = keyof typeof endings;

/** This error is thrown if the session or call may not continue, because its credential has ended. */
export class CredentialEndedError extends ServiceError {
	readonly why: Ending;

	constructor(why: Ending) {
		// The error for a blocked account carries no message (spec §7.4), as in every other call that a block refuses.
		super(endings[why], endings[why] === 'allowance-exceeded' ? {} : { moreInfo: why });
		this.why = why;
	}
}

/**
 * Returns the reason for which a session or call of `principal` must end, or undefined if it may go on. `row` is the
 * current state of its credential: null if the credential no longer exists, undefined if it has not been read yet.
 */
export function findEnding(
	principal: Principal,
	row: StandingRow | null | undefined,
	nowMs: number,
	isBillable: boolean,
): Ending | undefined {
	const { method, endsAtMs, permissions } = principal;
	if (endsAtMs !== undefined && endsAtMs <= nowMs) {
		return method === 'access-token' ? 'the access token has expired' : 'the session token has expired';
	}
	if (row === undefined) return undefined;
	if (row === null) return method === 'ssh-key' ? 'the SSH key was removed' : 'the API key is gone';
	if (row.disabled_at !== null || row.owner_disabled_at !== null) return 'the account was disabled';
	if (row.revoked_at !== null) return 'the API key was revoked';
	if (row.ends_at !== null && row.ends_at <= nowMs) return 'the API key has ended';
	if (row.valid_until !== null && row.valid_until <= nowMs) return 'the API key has ended';
	// The address is not checked for a session token, which is meant for a browser with another address.
	if (method !== 'session-token' && !isFrom(row.from_ranges, principal.address))
		return 'the address is not among those of the key';
	if (row.isAltered) return 'the credential was altered in the database';
	if (!isSameSet(permissions, readPermissions(row.permissions))) return 'the permissions were changed';
	// If the account was already blocked at the beginning, the session or call goes on, because it was opened for
	// something that a block allows.
	const isBlocked = row.blocked_at !== null || row.owner_blocked_at !== null;
	return isBillable && isBlocked && !principal.isBlocked ? 'the account was blocked' : undefined;
}

function isSameSet<T>(one: ReadonlySet<T>, other: ReadonlySet<T>): boolean {
	return one === other || (one.size === other.size && one.isSubsetOf(other));
}
