// Links the entries. Every entry's hash covers its content and the hash before it, under a key that the database does
// not hold in clear, so a person who can write rows cannot make them match.

import { createHmac, type KeyObject } from 'node:crypto';

/**
 * This content is covered by the hash of an entry. Within a trail of one lane, `previousHash` fixes the position and with
 * it the number. Where there are several lanes, the hash covers lane and number too.
 */
export interface ChainedEntry {
	readonly at: number;
	readonly actor: string;
	readonly action: string;
	readonly subject: string;
	/** The details as JSON, exactly as stored. The text itself is hashed, never the parsed value. */
	readonly details: string;
	/** The accounts that the entry is about and by, and its page, or null. Entries from before they were kept have none. */
	readonly account_id?: number | null;
	readonly by_account_id?: number | null;
	readonly page_id?: number | null;
	/** The lane of the entry and its number; the lane is null in a trail of one lane. */
	readonly lane?: number | null;
	readonly seq?: number;
	readonly previousHash: string;
	readonly keyId: number;
}

/** The end of a lane: its last entry, how many lanes there are, and the last link of the main chain that was there. */
export interface LaneEnd {
	readonly seq: number;
	readonly hash: string;
	readonly keyId: number;
	readonly lane?: number;
	readonly lanes?: number;
	readonly link?: number;
}

/** A link of the main chain, which has the ends of all lanes. */
export interface ChainLink {
	readonly number: number;
	readonly at: number;
	/** The ends as JSON, exactly as stored. */
	readonly heads: string;
	readonly previousHash: string;
	readonly keyId: number;
}

/** This value stands for the hash before the first entry. */
export const ORIGIN_HASH = '0'.repeat(64);

export function hashOf(entry: ChainedEntry, key: KeyObject): string {
	const { previousHash, keyId, at, actor, action, subject, details } = entry;
	const { account_id = null, by_account_id = null, page_id = null, lane = null, seq = null } = entry;
	if (lane !== null) {
		const place = ['lane entry', lane, seq, previousHash];
		return mac(key, [...place, keyId, at, actor, action, subject, details, account_id, by_account_id, page_id]);
	}
	const parts: (string | number | null)[] = ['entry', previousHash, keyId, at, actor, action, subject, details];
	if (page_id !== null) parts.push(account_id, by_account_id, page_id);
	else if (account_id !== null || by_account_id !== null) parts.push(account_id, by_account_id);
	return mac(key, parts);
}

/** Signs the end of a lane with the key of its last entry. */
export function signatureOf({ seq, hash, keyId, lane = 0, lanes = 1, link = 0 }: LaneEnd, key: KeyObject): string {
	if (lanes === 1) return mac(key, ['head', seq, hash, keyId]);
	return mac(key, ['lane head', lane, lanes, link, seq, hash, keyId]);
}

export function hashOfLink({ number, at, heads, previousHash, keyId }: ChainLink, key: KeyObject): string {
	return mac(key, ['link', number, previousHash, keyId, at, heads]);
}

export function signatureOfMain(end: { seq: number; hash: string; keyId: number }, key: KeyObject): string {
	return mac(key, ['main head', end.seq, end.hash, end.keyId]);
}

/** Returns the MAC of some parts. They are joined as a JSON array, because plain joined text would be ambiguous. */
function mac(key: KeyObject, parts: readonly (string | number | null)[]): string {
	return createHmac('sha256', key).update(JSON.stringify(parts)).digest('hex');
}
