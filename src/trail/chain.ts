// Links the entries. Every entry's hash covers its content and the hash before it, under a key that the database does
// not hold in clear, so a person who can write rows cannot make them match.

import { createHmac, type KeyObject } from 'node:crypto';
import type { AuditRow } from './audit-store.ts';
import type { HeadRow, LinkRow } from './lanes/lane-store.ts';

/**
 * This content is covered by the hash of an entry: the details as the text that is stored, never the parsed value. Within
 * a trail of one lane, `previous_hash` fixes the position and with it the number. Where there are several lanes, the hash
 * covers lane and number too.
 */
type ChainedEntry = Pick<AuditRow, 'at' | 'actor' | 'action' | 'subject' | 'details' | 'previous_hash' | 'key_id'> &
	Partial<Pick<AuditRow, 'account_id' | 'by_account_id' | 'page_id' | 'lane' | 'seq'>>;

/** The end of a lane: its last entry, how many lanes there are, and the last link of the main chain that was there. */
export type LaneEnd = Pick<HeadRow, 'seq' | 'hash' | 'key_id'> &
	Partial<Pick<HeadRow, 'lanes' | 'link'>> & { readonly lane?: number };

/** This value stands for the hash before the first entry. */
export const ORIGIN_HASH = '0'.repeat(64);

export function hashOf(entry: ChainedEntry, key: KeyObject): string {
	const { previous_hash, key_id, at, actor, action, subject, details } = entry;
	const { account_id = null, by_account_id = null, page_id = null, lane = null, seq = null } = entry;
	if (lane !== null) {
		const place = ['lane entry', lane, seq, previous_hash];
		return mac(key, [...place, key_id, at, actor, action, subject, details, account_id, by_account_id, page_id]);
	}
	const parts: (string | number | null)[] = ['entry', previous_hash, key_id, at, actor, action, subject, details];
	if (page_id !== null) parts.push(account_id, by_account_id, page_id);
	else if (account_id !== null || by_account_id !== null) parts.push(account_id, by_account_id);
	return mac(key, parts);
}

/** Signs the end of a lane with the key of its last entry. */
export function signatureOf({ seq, hash, key_id, lane = 0, lanes = 1, link = 0 }: LaneEnd, key: KeyObject): string {
	if (lanes === 1) return mac(key, ['head', seq, hash, key_id]);
	return mac(key, ['lane head', lane, lanes, link, seq, hash, key_id]);
}

export function hashOfLink(
	{ number, at, heads, previous_hash, key_id }: Omit<LinkRow, 'hash'>,
	key: KeyObject,
): string {
	return mac(key, ['link', number, previous_hash, key_id, at, heads]);
}

export function signatureOfMain(
	{ seq, hash, key_id }: Pick<HeadRow, 'seq' | 'hash' | 'key_id'>,
	key: KeyObject,
): string {
	return mac(key, ['main head', seq, hash, key_id]);
}

/** Returns the MAC of some parts. They are joined as a JSON array, because plain joined text would be ambiguous. */
function mac(key: KeyObject, parts: readonly (string | number | null)[]): string {
	return createHmac('sha256', key).update(JSON.stringify(parts)).digest('hex');
}
