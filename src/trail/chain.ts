// Links the entries. Every entry's hash covers its content and the hash before it, under a key that the database does
// not hold in clear, so a person who can write rows cannot make them match.

import { createHmac, type KeyObject } from 'node:crypto';

/**
 * This content is covered by the hash of an entry. `previousHash` fixes the entry's position, so its number is not
 * included.
 */
export interface ChainedEntry {
	readonly at: number;
	readonly actor: string;
	readonly action: string;
	readonly subject: string;
	/** The details as JSON, exactly as stored. The text itself is hashed, never the parsed value. */
	readonly details: string;
	/** The accounts that the entry is about and by, or null. Entries from before they were kept have neither. */
	readonly account_id?: number | null;
	readonly by_account_id?: number | null;
	readonly previousHash: string;
	readonly keyId: number;
}

/** This value stands for the hash before the first entry. */
export const ORIGIN_HASH = '0'.repeat(64);

export function hashOf(entry: ChainedEntry, key: KeyObject): string {
	const { previousHash, keyId, at, actor, action, subject, details } = entry;
	const { account_id = null, by_account_id = null } = entry;
	const parts = ['entry', previousHash, keyId, at, actor, action, subject, details];
	const accounts = account_id === null && by_account_id === null ? [] : [account_id, by_account_id];
	return mac(key, [...parts, ...accounts]);
}

/** Signs the end of the trail with the key of its last entry. */
export function signatureOf(head: { seq: number; hash: string; keyId: number }, key: KeyObject): string {
	return mac(key, ['head', head.seq, head.hash, head.keyId]);
}

/** Returns the MAC of some parts. They are joined as a JSON array, because plain joined text would be ambiguous. */
function mac(key: KeyObject, parts: readonly (string | number | null)[]): string {
	return createHmac('sha256', key).update(JSON.stringify(parts)).digest('hex');
}
