import { createHmac } from 'node:crypto';
import type { Expiry } from '../../base/card/expiry.ts';
import type { Generations } from '../../base/keys/generations.ts';
import type { SealingKey } from '../../base/keys/key-ring.ts';
import type { RecordFields } from '../pages/record-codec.ts';

/** The fields by which cards are compared: two cards of an account are duplicates if all of these fields are equal. */
type Compared = Pick<RecordFields, 'digits' | 'digitCount' | 'expiry' | 'spelling' | 'shape'>;

/**
 * Holds the fingerprints of a card: the one that is stored with it if it is new, and those with which it may have been
 * stored before, under older keys.
 */
export interface Fingerprints {
	readonly own: Buffer;
	readonly generation: number;
	/** Tells the card from others in a map. It is the fingerprint `own` in hexadecimal. */
	readonly name: string;
	/** The fingerprints under every generation of the account's key, including `own`. */
	readonly all: readonly Buffer[];
}

/**
 * Computes the fingerprint of a card under each generation of the key. All of them are needed, because until a sweep
 * ends, some stored cards have only a fingerprint under an older generation.
 */
export function fingerprintsOf({ all: keys, writer }: Generations, card: Compared): Fingerprints {
	const own = fingerprintOf(writer, card);
	const all = keys.length === 1 ? [own] : keys.map((key) => (key === writer ? own : fingerprintOf(key, card)));
	return { own, generation: writer.generation, name: own.toString('hex'), all };
}

/**
 * Computes the fingerprint of a card from its number and expiry. The shape and the spelling are included unless the
 * number was plain digits, because a token must restore exactly what stood in the file. The fingerprint is an
 * HMAC-SHA-256 under the account's own key: it is useless without the key, and different for every account.
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
