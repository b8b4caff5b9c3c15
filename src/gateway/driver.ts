// The port of a payment gateway: what the flow asks and what a driver promises.

import type { AccountId } from '../database/ids.ts';
import type { Secret } from '../secret.ts';
import type { GatewayCard, Operation, Order, Outcome } from './operation.ts';

/** One thing an account has to tell about its contract with a gateway. */
export interface CredentialField {
	readonly name: string;
	readonly description: string;
	/** Shown masked. */
	readonly isSecret: boolean;
	readonly isRequired: boolean;
	readonly pattern?: RegExp;
	/** What `pattern` holds, in words. */
	readonly expectation?: string;
}

/** By the name of the field. Every value is kept like a secret; which are shown is the schema's to say. */
export type Credentials = Readonly<Record<string, Secret>>;

/** What the journal knows of the payment that a Capture, Refund or Void is about; amounts in ISO minor units. */
export interface KnownPayment {
	readonly operation: Operation;
	readonly currency: string;
	readonly amountMinor: number;
	readonly capturedMinor: number;
	readonly refundedMinor: number;
	readonly isVoided: boolean;
}

/** Everything beside the order itself. */
export interface CallContext {
	/** Id of the attempt: unique, and no secret. Sent along where a provider lets us find an attempt by it. */
	readonly attemptId: string;
	/** The same for every sending of one attempt. */
	readonly idempotencyKey: string;
	/** Whose payment it is: calls under way are counted for each account. */
	readonly accountId: AccountId;
	readonly credentials: Credentials;
	/** Only for operations that begin a payment, and never when asking for an outcome. */
	readonly card?: GatewayCard;
	/** Undefined when this account's journal has no such payment: it may have been made elsewhere. */
	readonly known?: KnownPayment;
	/** `performance.now()` at which the answer is late. */
	readonly deadlineAt: number;
	readonly signal: AbortSignal;
}

/**
 * A gateway. A driver sends once: it never repeats by itself, never logs, and neither its outcomes nor its errors carry
 * card data or credentials.
 */
export interface GatewayDriver {
	/** As callers name it; matched without regard to case. */
	readonly name: string;
	readonly operations: readonly Operation[];
	readonly credentialsSchema: readonly CredentialField[];
	/**
	 * Carries out an order. `unknown` whenever the gateway may have done it and has not said so: no answer in time, a
	 * connection lost after the first byte, an answer that cannot be read, a fault of its own. An outcome is given only
	 * when it is certain. An error thrown counts as `unknown`.
	 */
	send(order: Order, context: CallContext): Promise<Outcome | 'unknown'>;
	/**
	 * Asks what became of an earlier order without doing anything new. `absent` when the gateway has never heard of it.
	 * A gateway without it leaves unknown outcomes unknown.
	 */
	query?(order: Order, context: CallContext): Promise<Outcome | 'unknown' | 'absent'>;
	/**
	 * For a gateway that keeps no books but the journal: what the payment allows of an order by now. Asked with the payment
	 * locked, in the transaction that records an approval, so that of orders at the same moment no more are approved than
	 * fit; what it gives takes the approval's place.
	 */
	findRefusal?(order: Order, known: KnownPayment): Outcome | undefined;
	/** How long after sending `absent` is to be believed: gateways find what is new with a delay. */
	readonly absentAfterMs?: number;
	/** How long after sending `query` may be used, where it is safe for a time only; without it there is no such end. */
	readonly askUntilMs?: number;
}
