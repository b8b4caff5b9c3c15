// Makes of a row of the trail what people read.

import type { AccountId } from '../../base/database/ids.ts';
import type { AuditRow } from '../audit-store.ts';
import type { AuditDetails } from '../entry.ts';

export type TrailEntry = ReturnType<typeof trailEntry>;

/** Returns an entry as people read it. `viewerId` is the primary account of those who read only the entries of one. */
export function trailEntry(row: AuditRow, viewerId?: AccountId) {
	const { seq, at, actor, action, subject } = row;
	const { person, credential, address, requestId, ...details } = JSON.parse(row.details) as AuditDetails;
	const found = Object.entries({ person, credential, address, call: requestId }).filter(
		([, value]) => typeof value === 'string',
	);
	/** Each part is absent if it is not known, and all are if the asker may not see them. `call` is the `X-Request-Id`. */
	const origin: { readonly [part in 'person' | 'credential' | 'address' | 'call']?: string } = isOfOthers(row, viewerId)
		? {}
		: Object.fromEntries(found);
	// `seq` is the position in lists; `actor` is the user ID, operator or daemon that acted.
	return { seq, at: new Date(at).toISOString(), actor, origin, action, subject, details };
}

/**
 * Tells whether somebody outside an account has acted: another account that was given a card, or an operator. The account
 * learns who it was and what they did, and neither their address nor their keys.
 */
function isOfOthers({ actor, by_account_id: by }: AuditRow, viewerId: AccountId | undefined): boolean {
	return viewerId !== undefined && (actor.startsWith('operator ') || (by !== null && by !== viewerId));
}

export const TRAIL_COLUMNS = [
	'number',
	'at',
	'actor',
	'person',
	'credential',
	'address',
	'call',
	'action',
	'subject',
	'details',
] as const;

/** Returns the row of an entry in CSV. */
export function trailCells(entry: TrailEntry): Record<(typeof TRAIL_COLUMNS)[number], string | number> {
	const { seq, at, actor, origin, action, subject, details } = entry;
	const { person = '', credential = '', address = '', call = '' } = origin;
	const rest = JSON.stringify(details);
	return { number: seq, at, actor, person, credential, address, call, action, subject, details: rest };
}
