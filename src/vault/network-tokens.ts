// Network tokens: a card's number replaced by one that its network issued.

import { randomInt } from 'node:crypto';
import type { CardTypeIndex } from '../card/brand.ts';
import { CardNumber } from '../card/card-number.ts';
import type { Expiry } from '../card/expiry.ts';
import { passesLuhn } from '../card/luhn.ts';

/** What a network is told of a card. */
export interface ProvisionRequest {
	readonly number: CardNumber;
	/** 0 when unknown. */
	readonly expiry: Expiry;
	readonly type: CardTypeIndex;
}

/** What it issues in its place. */
export interface NetworkToken {
	readonly number: CardNumber;
	readonly expiry: Expiry;
}

/**
 * Port to whoever speaks with the networks. Called once for each token that is made; a second call for the same card may
 * bring another network token. Throws `ServiceError` where the network refuses or cannot be reached.
 */
export interface NetworkTokenProvider {
	provision(card: ProvisionRequest): Promise<NetworkToken>;
}

const LEADING_DIGITS = 6;

/** Issues numbers no network knows: the card's own first six, so that its brand shows, the rest drawn. Sandbox only. */
export const sandboxNetworkTokens: NetworkTokenProvider = {
	async provision({ number, expiry }) {
		const digits = Buffer.from(number.reveal());
		const original = Buffer.from(digits);
		do {
			for (let i = LEADING_DIGITS; i < digits.length - 1; i++) digits[i] = 48 + randomInt(10);
			do digits[digits.length - 1] = 48 + ((digits[digits.length - 1] - 47) % 10);
			while (!passesLuhn(digits, 0, digits.length));
		} while (digits.equals(original));
		const issued = new CardNumber(digits.toString('latin1'));
		digits.fill(0);
		original.fill(0);
		return { number: issued, expiry };
	},
};
