// Lists the operations for which a session of the payments library can be created (shapes §8).

import type { Permission } from '../../../people/identity/permissions.ts';

export const WALLET_OPERATIONS = ['CHARGE', 'TOKENIZE', 'CHARGE_AND_TOKENIZE', 'PREAUTH_AND_TOKENIZE'] as const;
export type WalletOperation = (typeof WALLET_OPERATIONS)[number];

interface Steps {
	/**
	 * The operation at the gateway; undefined if nothing is paid. It comes before the card is stored, so that the card is
	 * stored only if the payment succeeded.
	 */
	readonly payment: 'Charge' | 'PreAuth' | undefined;
	readonly storesCard: boolean;
	/** The permissions that an API key needs to create a session for the operation. */
	readonly permissions: readonly Permission[];
}

export const STEPS: Readonly<Record<WalletOperation, Steps>> = {
	CHARGE: { payment: 'Charge', storesCard: false, permissions: ['Gateway'] },
	TOKENIZE: { payment: undefined, storesCard: true, permissions: ['Tokenize'] },
	CHARGE_AND_TOKENIZE: { payment: 'Charge', storesCard: true, permissions: ['Gateway', 'Tokenize'] },
	PREAUTH_AND_TOKENIZE: { payment: 'PreAuth', storesCard: true, permissions: ['Gateway', 'Tokenize'] },
};

/** Returns the units that the operation takes: one for a payment and one for a stored card (shapes §11). */
export function unitsOf(operation: WalletOperation): number {
	const { payment, storesCard } = STEPS[operation];
	return (payment ? 1 : 0) + (storesCard ? 1 : 0);
}
