// Defines the interface to a payment gateway: the functions that our code calls, and what a driver guarantees.

import type { AccountId } from '../../../base/database/ids.ts';
import type { Secret } from '../../../base/settings/secret.ts';
import type { GatewayCard, Operation, Order, Outcome } from './operation.ts';

export interface CredentialField {
	readonly name: string;
	readonly description: string;
	/** True if the field is secret and shown masked. */
	readonly isSecret: boolean;
	readonly isRequired: boolean;
	readonly pattern?: RegExp;
	/** Describes in words what `pattern` accepts. */
	readonly expectation?: string;
}

/** Holds values by the name of the field. All are kept like secrets; the schema says which may be shown. */
export type Credentials = Readonly<Record<string, Secret>>;

/** What the journal knows of the payment that a Capture, Refund or Void refers to; amounts are in ISO minor units. */
export interface KnownPayment {
	readonly operation: Operation;
	readonly currency: string;
	readonly amountMinor: number;
	readonly capturedMinor: number;
	readonly refundedMinor: number;
	readonly isVoided: boolean;
}

/** Holds everything that a call needs besides the order itself. */
export interface CallContext {
	/** The id of the attempt, which is unique and not secret. It is sent to providers that can find an attempt by it. */
	readonly attemptId: string;
	/** The idempotency key, which is the same each time that one attempt is sent. */
	readonly idempotencyKey: string;
	/** The account that gave the order. The number of its calls in progress is limited. */
	readonly accountId: AccountId;
	readonly credentials: Credentials;
	/** The card, which is set only for operations that begin a payment and never for a query. */
	readonly card?: GatewayCard;
	/** The payment that the order is about; undefined if the journal has none, because it may be made elsewhere. */
	readonly known?: KnownPayment;
	/** The time of `performance.now()` after which the answer is late. */
	readonly deadlineAt: number;
	readonly signal: AbortSignal;
}

/**
 * Defines the interface to one gateway. A driver sends once: it never repeats by itself, never logs, and neither its
 * outcomes nor its errors contain card data or credentials.
 */
export interface GatewayDriver {
	/** The name of the gateway, which callers may write in upper or lower case. */
	readonly name: string;
	readonly operations: readonly Operation[];
	readonly credentialsSchema: readonly CredentialField[];
	/**
	 * Carries out an order. The result is `unknown` whenever the gateway may have done it without saying so: there was
	 * no answer in time, the connection was lost after the first byte, the answer cannot be read, or the gateway failed.
	 * An outcome is returned only if it is certain. A thrown error is treated as `unknown`.
	 */
	send(order: Order, context: CallContext): Promise<Outcome | 'unknown'>;
	/**
	 * Queries the outcome of an earlier order without carrying out anything new. Returns `absent` if the gateway does
	 * not know the order. If a gateway has no such query, unknown outcomes stay unknown.
	 */
	query?(order: Order, context: CallContext): Promise<Outcome | 'unknown' | 'absent'>;
	/**
	 * Returns a refusal if the payment no longer allows an order. Only gateways whose payments are recorded nowhere but
	 * in our journal need this. It is called with the payment locked, in the transaction that records an approval, so
	 * that concurrent orders cannot exceed the payment. Its result replaces the approval.
	 */
	findRefusal?(order: Order, known: KnownPayment): Outcome | undefined;
	/** An answer `absent` is believed only this long after the order, because gateways find new payments late. */
	readonly absentAfterMs?: number;
	/**
	 * `query` may be called for this long after the order was sent, because later it would not be safe. If the member is
	 * absent, a query is always safe.
	 */
	readonly askUntilMs?: number;
}
