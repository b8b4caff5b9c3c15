// Describes a session of the payments library: one operation that a page may carry out within five minutes.

import { type Money, moneyOf } from '../gateway/money.ts';
import type { WalletOperation } from './operation.ts';
import type { SessionRow } from './session-store.ts';

export interface SessionPlan {
	readonly operation: WalletOperation;
	readonly amount: Money | undefined;
	/** The name of the driver for the gateway; undefined if nothing is paid. */
	readonly gateway: string | undefined;
	readonly credentialsId: string | undefined;
	/** The name that the caller has given to the payment. The gateway gets it too. */
	readonly myRef: string | undefined;
	/** The reference that is stored with the card, so that the caller can search for its token by it. */
	readonly reference: string | undefined;
	/** The user ID of a merchant with whom the stored card is associated. */
	readonly merchantId: string | undefined;
	readonly saveCvv: boolean | undefined;
	/** The names of the accepted card types; if absent, all are accepted. */
	readonly cardTypes: readonly string[] | undefined;
}

export type WalletSession = ReturnType<typeof sessionOf>;

export function sessionOf(row: SessionRow) {
	const { amount_minor: minor, currency, save_cvv } = row;
	return {
		id: row.id,
		ownerId: row.owner_id,
		operation: row.operation,
		amount: minor === null || currency === null ? undefined : moneyOf(minor, currency),
		gateway: row.gateway ?? undefined,
		credentialsId: row.credentials_id ?? undefined,
		myRef: row.my_ref ?? undefined,
		reference: row.reference ?? undefined,
		merchantId: row.merchant_id ?? undefined,
		saveCvv: save_cvv === null ? undefined : Boolean(save_cvv),
		cardTypes: row.card_types?.split(','),
		expiresAt: new Date(row.expires_at),
		isCompleted: row.completed_at !== null,
	};
}
