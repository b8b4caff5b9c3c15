// A session of the payments library: one operation that a page may carry out, for five minutes.

import type { AccountId } from '../database/ids.ts';
import { type Money, moneyOf } from '../gateway/money.ts';
import type { WalletOperation } from './operation.ts';
import type { SessionRow } from './session-store.ts';

/** What a session is for. */
export interface SessionPlan {
	readonly operation: WalletOperation;
	/** Absent only where nothing is paid. */
	readonly amount: Money | undefined;
	/** Name of the driver, where something is paid. */
	readonly gateway: string | undefined;
	readonly credentialsId: string | undefined;
	/** The caller's own name for it, given to the gateway. */
	readonly myRef: string | undefined;
	/** Stored beside the card, which is found by it. */
	readonly reference: string | undefined;
	/** User ID of an account that may use the card too. */
	readonly merchantId: string | undefined;
	readonly saveCvv: boolean | undefined;
	/** Names of those taken; all of them unless given. */
	readonly cardTypes: readonly string[] | undefined;
}

export interface WalletSession extends SessionPlan {
	readonly id: string;
	readonly ownerId: AccountId;
	readonly expiresAt: Date;
	readonly isCompleted: boolean;
}

/** A stored session as the rest of the room knows it. */
export function sessionOf(row: SessionRow): WalletSession {
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
