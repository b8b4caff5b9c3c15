import { createHmac } from 'node:crypto';
import type { Expiry } from '../card/expiry.ts';
import type { Generations } from '../keys/generations.ts';
import type { SealingKey } from '../keys/key-ring.ts';
import type { RecordFields } from './record-codec.ts';

/** Two cards of an account are the same if these fields are equal. */
type Compared = Pick<RecordFields, 'digits' | 'digitCount' | 'expiry' | 'spelling' | 'shape'>;

/**
 * Holds the fingerprints of a card: the one it is stored with now, and all those it may have been stored with before.
 */
export interface Fingerprints {
	readonly own: Buffer;
	readonly generation: number;
	/** Identifies the card among others. It is the fingerprint `own` in hexadecimal. */
	readonly name: string;
	/** The fingerprints under every generation of the account's key, including `own`. */
	readonly all: readonly Buffer[];
}

/** Computes a fingerprint under each generation of the key, because until a sweep ends some cards have only an older one. */
export function fingerprintsOf({ all: keys, writer }: Generations, card: Compared): Fingerprints {
	const own = fingerprintOf(writer, card);
	const all = keys.length === 1 ? [own] : keys.map((key) => (key === writer ? own : fingerprintOf(key, card)));
	return { own, generation: writer.generation, name: own.toString('hex'), all };
}

/**
 * Computes the fingerprint of a card, which covers the number and the expiry. It also covers the spelling if a file
 * wrote the number with blanks or escapes, because a token must restore exactly that spelling. It is an HMAC-SHA-256
 * under the account's own key: useless without the key, and different for every account.
 */
export function fingerprintOf(key: SealingKey, card: Compared): Buffer {
	const mac = createHmac('sha256', key.secret);
	mac.update(card.digits.subarray(0, card.digitCount));
	mac.update(`|${card.expiry satisfies Expiry}`);
	if (card.spelling || card.shape !== 'plain') {
		mac.update(`|${card.shape}|`);
		if (card.spelling) mac.update(card.spelling);
	}
	return mac.digest();
}
