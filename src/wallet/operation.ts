// What a session of the payments library may be for (shapes §8).

import type { Permission } from '../identity/permissions.ts';

export const WALLET_OPERATIONS = ['CHARGE', 'TOKENIZE', 'CHARGE_AND_TOKENIZE', 'PREAUTH_AND_TOKENIZE'] as const;
export type WalletOperation = (typeof WALLET_OPERATIONS)[number];

interface Steps {
	/** What is asked of the gateway; comes first, so that only a card that was taken is stored. */
	readonly payment: 'Charge' | 'PreAuth' | undefined;
	readonly storesCard: boolean;
	/** What the API key must be allowed that makes the session. */
	readonly permissions: readonly Permission[];
}

export const STEPS: Readonly<Record<WalletOperation, Steps>> = {
	CHARGE: { payment: 'Charge', storesCard: false, permissions: ['Gateway'] },
	TOKENIZE: { payment: undefined, storesCard: true, permissions: ['Tokenize'] },
	CHARGE_AND_TOKENIZE: { payment: 'Charge', storesCard: true, permissions: ['Gateway', 'Tokenize'] },
	PREAUTH_AND_TOKENIZE: { payment: 'PreAuth', storesCard: true, permissions: ['Gateway', 'Tokenize'] },
};

/** Units of the allowance: one a gateway operation, one a card stored (shapes §11). */
export function unitsOf(operation: WalletOperation): number {
	const { payment, storesCard } = STEPS[operation];
	return (payment ? 1 : 0) + (storesCard ? 1 : 0);
}
