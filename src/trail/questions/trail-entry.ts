// Makes of a row of the trail what people read.

import type { AccountId } from '../../base/database/ids.ts';
import type { AuditRow } from '../audit-store.ts';
import type { AuditDetails } from '../entry.ts';

export interface TrailEntry {
	/** The number of the entry, which is also its position in lists. */
	readonly seq: number;
	/** The time in ISO 8601. */
	readonly at: string;
	/** The user ID, operator or daemon that acted. */
	readonly actor: string;
	/** Where the actor came from; each part is absent if it is not known, and all are if the asker may not see them. */
	readonly origin: {
		readonly person?: string;
		/** The credential, such as `api-key 7`. */
		readonly credential?: string;
		readonly address?: string;
		/** The `X-Request-Id` of the call. */
		readonly call?: string;
	};
	readonly action: string;
	readonly subject: string;
	readonly details: AuditDetails;
}

/** Returns an entry as people read it. `viewerId` is the primary account of those who read only the entries of one. */
export function trailEntry(row: AuditRow, viewerId?: AccountId): TrailEntry {
	const { seq, at, actor, action, subject } = row;
	const { person, credential, address, requestId, ...details } = JSON.parse(row.details) as AuditDetails;
	const found = Object.entries({ person, credential, address, call: requestId }).filter(
		([, value]) => typeof value === 'string',
	);
	const origin = isOfOthers(row, viewerId) ? {} : Object.fromEntries(found);
	return { seq: Number(seq), at: new Date(Number(at)).toISOString(), actor, origin, action, subject, details };
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
