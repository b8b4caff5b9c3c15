// How entries hang together. Every entry's hash covers its content and the hash before it, under a key that the database
// does not hold in clear: whoever can write rows cannot make them fit.

import { createHmac, type KeyObject } from 'node:crypto';

/** What a hash covers; `previousHash` gives an entry its place, so its number is not among it. */
export interface ChainedEntry {
	readonly at: number;
	readonly actor: string;
	readonly action: string;
	readonly subject: string;
	/** JSON text exactly as stored: it is hashed as text, never as what a parser makes of it. */
	readonly details: string;
	readonly previousHash: string;
	readonly keyId: number;
}

/** The hash before the first entry. */
export const ORIGIN_HASH = '0'.repeat(64);

export function hashOf(entry: ChainedEntry, key: KeyObject): string {
	const { previousHash, keyId, at, actor, action, subject, details } = entry;
	return mac(key, ['entry', previousHash, keyId, at, actor, action, subject, details]);
}

/** Signs where the trail ends. */
export function signatureOf(head: { seq: number; hash: string; keyId: number }, key: KeyObject): string {
	return mac(key, ['head', head.seq, head.hash, head.keyId]);
}

/** JSON of an array: unambiguous where joined text would not be. */
function mac(key: KeyObject, parts: readonly (string | number)[]): string {
	return createHmac('sha256', key).update(JSON.stringify(parts)).digest('hex');
}
