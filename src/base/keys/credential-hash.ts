// Hashes API keys and session tokens as HMACs under a key that is not in the database. Random text of 256 bits needs no
// slow password hash, and without the key nobody can test guesses against a stolen table.

import { createHmac } from 'node:crypto';
import type { KeyId } from '../database/ids.ts';
import type { KeyRing, SealingKey } from './key-ring.ts';

export interface CredentialHash {
	readonly hash: string;
	readonly keyId: KeyId;
}

const KNOWN_FOR_MS = 5_000;
/** The keys are read again at most this often, so that failed logins cannot make the database work harder. */
const FORGET_EVERY_MS = 1_000;

export type CredentialHasher = ReturnType<typeof credentialHasher>;

export function credentialHasher(keyRing: KeyRing) {
	let known: Promise<readonly SealingKey[]> | undefined;
	let readAt = 0;
	const allKeys = () => {
		if (!known || Date.now() - readAt > KNOWN_FOR_MS) {
			readAt = Date.now();
			const reading = keyRing.all('credential');
			known = reading;
			reading.catch(() => {
				if (known === reading) known = undefined;
			});
		}
		return known;
	};
	const hashAll = async (text: string) => (await allKeys()).map((key) => hashUnder(key, text));
	return {
		/**
		 * Hashes a text under the current key, for storing. It must not be called inside a transaction, because it may
		 * query the database outside of that transaction.
		 */
		async hashNew(text: string): Promise<CredentialHash> {
			return hashUnder(await keyRing.current('credential'), text);
		},
		/**
		 * Hashes a text under every generation of the key, newest first, for searching. It always computes all hashes, so its
		 * duration does not tell which of them is stored.
		 */
		hashAll,
		/**
		 * Finds what is stored under the hash of a text; `look` gets its hashes as `hashAll` returns them. If it finds nothing,
		 * another daemon may have just begun to hash under a new key. The keys are then read again for a second look.
		 */
		async find<Found>(
			text: string,
			look: (hashes: readonly CredentialHash[]) => Promise<Found | undefined>,
		): Promise<Found | undefined> {
			const found = await look(await hashAll(text));
			if (found !== undefined || Date.now() - readAt < FORGET_EVERY_MS) return found;
			known = undefined;
			return look(await hashAll(text));
		},
	};
}

/** Hashes a text under a key of the purpose `credential`. */
export function hashUnder(key: SealingKey, text: string): CredentialHash {
	return { hash: createHmac('sha256', key.secret).update(text).digest('hex'), keyId: key.id };
}
