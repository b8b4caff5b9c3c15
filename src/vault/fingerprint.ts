import { createHmac } from 'node:crypto';
import type { Expiry } from '../card/expiry.ts';
import type { SealingKey } from '../keys/key-ring.ts';
import type { RecordFields } from './record-codec.ts';

/**
 * What makes two cards of an account the same: number and expiry, and the spelling where a file wrote the number
 * with blanks or escapes, since a token must bring back exactly what stood there. HMAC-SHA-256 under the account's
 * own key: useless to anyone without it, and no link between accounts.
 */
export function fingerprintOf(
	key: SealingKey,
	card: Pick<RecordFields, 'digits' | 'digitCount' | 'expiry' | 'spelling' | 'shape'>,
): Buffer {
	const mac = createHmac('sha256', key.secret);
	mac.update(card.digits.subarray(0, card.digitCount));
	mac.update(`|${card.expiry satisfies Expiry}`);
	if (card.spelling || card.shape !== 'plain') {
		mac.update(`|${card.shape}|`);
		if (card.spelling) mac.update(card.spelling);
	}
	return mac.digest();
}
