// Defines network tokens: a network token is a number that the card network issues and that takes the place of the
// card's own number.

import { randomInt } from 'node:crypto';
import { CardNumber } from '../../base/card/card-number.ts';
import { passesLuhn } from '../../base/card/luhn.ts';
import type { NewCard } from '../cards/new-card.ts';

/** Holds the facts about a card that are sent to the card network. */
export type ProvisionRequest = Pick<NewCard, 'number' | 'expiry' | 'type'>;

export type NetworkToken = Omit<ProvisionRequest, 'type'>;

/**
 * The interface to the card networks. It is called once for each network token that is created, and may return
 * different ones for the same card. Throws `ServiceError` if the network refuses or cannot be reached.
 */
export interface NetworkTokenProvider {
	provision(card: ProvisionRequest): Promise<NetworkToken>;
}

const LEADING_DIGITS = 6;

/**
 * Issues network tokens without a card network, for the sandbox only. Each begins with the card's own first six digits,
 * so that its brand can be recognised, and the rest is random.
 */
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
