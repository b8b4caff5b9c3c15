// Defines the terms of the payment gateway (shapes §7), which the gateway, its drivers and the HTTP routes share.

import type { CardNumber } from '../../../base/card/card-number.ts';
import type { Cvv } from '../../../base/card/clear-cvv.ts';
import type { Money } from './money.ts';

export const OPERATIONS = ['PreAuth', 'Capture', 'Charge', 'Refund', 'Void'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** These operations begin a payment and need a card; the others continue one and need its reference. */
export const CARD_OPERATIONS: ReadonlySet<Operation> = new Set(['PreAuth', 'Charge']);

/** These operations move money. A PreAuth of amount zero only verifies a card. */
export const MOVING_OPERATIONS: ReadonlySet<Operation> = new Set(['Charge', 'Capture', 'Refund']);

export const RESULTS = ['Success', 'Accepted', 'Rejected', 'TemporaryFailure', 'FatalFailure'] as const;
export type Result = (typeof RESULTS)[number];

/** Holds the result of an operation, in our terms and in the gateway's. It contains no card data: see `scrub.ts`. */
export interface Outcome {
	readonly result: Result;
	readonly description: string;
	readonly gatewayReference: string | null;
	readonly gatewayResultCode: string | null;
	readonly gatewayResultDescription: string | null;
	readonly authorizationCode: string | null;
}

export interface GatewayCard {
	readonly number: CardNumber;
	/** The month as two digits, from `01` to `12`. */
	readonly expiryMonth: string;
	/** The year as four digits. */
	readonly expiryYear: string;
	readonly cvv: Cvv | undefined;
	readonly name: string | undefined;
	/** The card type by its name (shapes §2); `Unspecified` if unknown. */
	readonly type: string;
}

/** Holds details of the payer. Every member is optional; they are passed on and never stored. */
export interface PayerDetails {
	readonly email?: string;
	readonly phone?: string;
	readonly ipAddress?: string;
	readonly street?: string;
	readonly city?: string;
	readonly postalCode?: string;
	readonly state?: string;
	/** The country as two letters (ISO 3166). */
	readonly country?: string;
}

export interface Order {
	readonly operation: Operation;
	/** The amount; absent only for a Void. */
	readonly amount: Money | undefined;
	/** The name that the caller has given to the order. */
	readonly myRef: string | undefined;
	/** The reference of the payment that a Capture, Refund or Void continues. */
	readonly gatewayReference: string | undefined;
	readonly payer: PayerDetails;
}

/** Returns an outcome in which every member that is not given is absent. */
export function outcomeOf(
	result: Result,
	description: string,
	more: Partial<Omit<Outcome, 'result' | 'description'>> = {},
): Outcome {
	return {
		result,
		description,
		gatewayReference: null,
		gatewayResultCode: null,
		gatewayResultDescription: null,
		authorizationCode: null,
		...more,
	};
}
