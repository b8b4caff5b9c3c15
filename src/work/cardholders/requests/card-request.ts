// Describes a card request: a link with which a cardholder is asked for a card, or for the CVV of a stored card.

import type { Token } from '../../../vault/tokens/token.ts';
import type { CardRequestRow } from './request-store.ts';

/**
 * Lists the states of a request (shapes §6.4). The interface does not return completed and expired requests (spec
 * §3.6), so its callers never see `CardStored` and `LinkExpired`.
 */
export const CARD_REQUEST_STATUSES = [
	...(['MessageQueued', 'MessageSent', 'MessageFailed', 'FormViewed'] as const),
	...(['CardStored', 'StoreFailed', 'LinkExpired'] as const),
] as const;
export type CardRequestStatus = (typeof CARD_REQUEST_STATUSES)[number];

/** The interface never returns a cancelled request, so `Cancelled` is not one of its states. */
export type CardRequestState = CardRequestStatus | 'Cancelled';

export type CardRequestKind = 'card' | 'cvv';

/** Names the cardholder and the ways to reach them. All members are stored sealed. */
export interface Recipient {
	readonly name?: string;
	readonly email?: string;
	readonly phone?: string;
}

export interface CardRequestPlan {
	readonly recipient: Recipient;
	readonly language?: string;
	/** The style sheet that the caller gives for the page. It is not trusted. */
	readonly css?: string;
	/** The reference under which the card is stored; if absent, the id of the request. */
	readonly reference?: string;
	/** True if the CVV must be entered; otherwise it may be left out. */
	readonly requireCvv?: boolean;
	/** The names of the accepted card types; if absent, all are accepted. */
	readonly cardTypes?: readonly string[];
	readonly expirationMinutes?: number;
	/** Where the browser goes after the card was stored. If it could not be stored, it goes to `failureUrl`. */
	readonly successUrl?: string;
	readonly failureUrl?: string;
	/** The card whose CVV is requested; if absent, a card is requested. */
	readonly card?: { readonly token: Token; readonly lastDigits: string | undefined };
}

/** The part of a request that is stored sealed. */
export interface SealedPart {
	readonly url: string;
	readonly recipient: Recipient;
	readonly css?: string;
	readonly successUrl?: string;
	readonly failureUrl?: string;
	readonly lastDigits?: string;
}

/** Selects requests of an account that fit everything that is given. */
export interface RequestQuestion {
	readonly state?: CardRequestState;
	/** Selects the requests made from this moment on, and before that one, in milliseconds since 1970. */
	readonly fromMs?: number;
	readonly toMs?: number;
}

/** A request as the portal shows it to its account, whether it is open or has ended. */
export type PastRequest = ReturnType<typeof pastRequestOf>;

export function pastRequestOf(row: CardRequestRow, opened: SealedPart, now: number) {
	const request = cardRequestOf(row, opened);
	const isOver = row.ended_at === null && row.expires_at <= now;
	const dateOf = (time: number | null) => (time === null ? undefined : new Date(time));
	return {
		...request,
		status: isOver ? 'LinkExpired' : request.status,
		/** The token of the card that was stored, or whose CVV was stored. */
		resultToken: row.result_token ?? undefined,
		remindedAt: dateOf(row.reminded_at),
		/** The time at which the request was completed, cancelled or found expired. */
		endedAt: isOver ? request.expiresAt : dateOf(row.ended_at),
		portalUserId: request.apiKeyId < 0 ? -request.apiKeyId : undefined,
	};
}

export type CardRequest = ReturnType<typeof cardRequestOf>;

export function cardRequestOf(row: CardRequestRow, opened: SealedPart) {
	return {
		...opened,
		id: row.id,
		kind: row.kind,
		/** The user ID of the sender, whose account is `accountId`. `ownerId` is the primary account, which owns the card. */
		senderId: row.sender_id,
		accountId: row.account_id,
		ownerId: row.owner_id,
		apiKeyId: Number(row.api_key_id),
		status: row.state,
		reference: row.reference,
		cardToken: row.card_token ?? undefined,
		language: row.language ?? undefined,
		requireCvv: row.require_cvv === null ? undefined : Boolean(row.require_cvv),
		cardTypes: row.card_types?.split(','),
		createdAt: new Date(row.created_at),
		expiresAt: new Date(row.expires_at),
	};
}
