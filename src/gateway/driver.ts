// The port of a payment gateway: what our code calls and what a driver guarantees.

import type { AccountId } from '../database/ids.ts';
import type { Secret } from '../secret.ts';
import type { GatewayCard, Operation, Order, Outcome } from './operation.ts';

/** One field of an account's contract with a gateway. */
export interface CredentialField {
	readonly name: string;
	readonly description: string;
	/** A secret field is shown masked. */
	readonly isSecret: boolean;
	readonly isRequired: boolean;
	readonly pattern?: RegExp;
	/** Describes in words what `pattern` accepts. */
	readonly expectation?: string;
}

/** Values by the name of the field. All are kept like secrets; the schema says which may be shown. */
export type Credentials = Readonly<Record<string, Secret>>;

/** The journal's facts about the payment that a Capture, Refund or Void refers to; amounts are in ISO minor units. */
export interface KnownPayment {
	readonly operation: Operation;
	readonly currency: string;
	readonly amountMinor: number;
	readonly capturedMinor: number;
	readonly refundedMinor: number;
	readonly isVoided: boolean;
}

/** Everything besides the order itself. */
export interface CallContext {
	/** The id of the attempt, which is unique and not secret. It is sent to providers that can find an attempt by it. */
	readonly attemptId: string;
	/** Is the same for every sending of one attempt. */
	readonly idempotencyKey: string;
	/** The account that pays. Calls in progress are counted for each account. */
	readonly accountId: AccountId;
	readonly credentials: Credentials;
	/** Is set only for operations that begin a payment, and never for a query. */
	readonly card?: GatewayCard;
	/** Is undefined if this account's journal has no such payment, which may have been made elsewhere. */
	readonly known?: KnownPayment;
	/** The time of `performance.now()` after which the answer is late. */
	readonly deadlineAt: number;
	readonly signal: AbortSignal;
}

/**
 * A gateway. A driver sends once: it never repeats by itself, never logs, and neither its outcomes nor its errors
 * contain card data or credentials.
 */
export interface GatewayDriver {
	/** The name that callers use, in any case. */
	readonly name: string;
	readonly operations: readonly Operation[];
	readonly credentialsSchema: readonly CredentialField[];
	/**
	 * Carries out an order. The result is `unknown` whenever the gateway may have done it without saying so: there was no
	 * answer in time, the connection was lost after the first byte, the answer cannot be read, or the gateway failed. An
	 * outcome is returned only if it is certain. A thrown error counts as `unknown`.
	 */
	send(order: Order, context: CallContext): Promise<Outcome | 'unknown'>;
	/**
	 * Queries an earlier order without doing anything new. Returns `absent` if the gateway does not know it. If a gateway
	 * has no such query, unknown outcomes stay unknown.
	 */
	query?(order: Order, context: CallContext): Promise<Outcome | 'unknown' | 'absent'>;
	/**
	 * For a gateway whose only books are our journal: returns why the payment no longer allows an order, if so. It is
	 * called with the payment locked, in the transaction that records an approval, so that concurrent orders cannot
	 * exceed the payment. Its result replaces the approval.
	 */
	findRefusal?(order: Order, known: KnownPayment): Outcome | undefined;
	/** `absent` counts only this long after sending, because gateways find new payments with a delay. */
	readonly absentAfterMs?: number;
	/** `query` may be used this long after sending, if it is safe only for a time. Without it there is no limit. */
	readonly askUntilMs?: number;
}
