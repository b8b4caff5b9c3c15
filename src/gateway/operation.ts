// The words of the payment gateway (shapes §7), shared by the flow, its drivers and the doors.

import type { CardNumber } from '../card/card-number.ts';
import type { Cvv } from '../card/cvv-code.ts';
import type { Money } from './money.ts';

export const OPERATIONS = ['PreAuth', 'Capture', 'Charge', 'Refund', 'Void'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Operations that begin a payment and need a card; the others continue one and need its reference. */
export const CARD_OPERATIONS: ReadonlySet<Operation> = new Set(['PreAuth', 'Charge']);

/** Operations that move money. A PreAuth of nothing verifies a card. */
export const MOVING_OPERATIONS: ReadonlySet<Operation> = new Set(['Charge', 'Capture', 'Refund']);

export const RESULTS = ['Success', 'Accepted', 'Rejected', 'TemporaryFailure', 'FatalFailure'] as const;
export type Result = (typeof RESULTS)[number];

/** What became of an operation, in our words and in the gateway's. Holds no card data: see `scrub.ts`. */
export interface Outcome {
	readonly result: Result;
	readonly description: string;
	readonly gatewayReference: string | null;
	readonly gatewayResultCode: string | null;
	readonly gatewayResultDescription: string | null;
	readonly authorizationCode: string | null;
}

/** A card on its way to a gateway. */
export interface GatewayCard {
	readonly number: CardNumber;
	/** `01` to `12`. */
	readonly expiryMonth: string;
	/** Four digits. */
	readonly expiryYear: string;
	readonly cvv: Cvv | undefined;
	readonly name: string | undefined;
	/** Card type by its name (shapes §2); `Unspecified` when not known. */
	readonly type: string;
}

/** What is said of the payer; every member optional. Passed on, never kept. */
export interface PayerDetails {
	readonly email?: string;
	readonly phone?: string;
	readonly ipAddress?: string;
	readonly street?: string;
	readonly city?: string;
	readonly postalCode?: string;
	readonly state?: string;
	/** Two letters (ISO 3166). */
	readonly country?: string;
}

/** What is asked of a gateway. */
export interface Order {
	readonly operation: Operation;
	/** Absent for a Void only. */
	readonly amount: Money | undefined;
	/** The caller's own name for it. */
	readonly myRef: string | undefined;
	/** The payment a Capture, Refund or Void is about. */
	readonly gatewayReference: string | undefined;
	readonly payer: PayerDetails;
}

/** An outcome with everything absent that is not said. */
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
