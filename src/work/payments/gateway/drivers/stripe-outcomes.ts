// Translates Stripe's answers into our result codes.

import Stripe from 'stripe';
import { type Outcome, outcomeOf, type Result } from '../operation.ts';
import { NotSentError } from './provider-http.ts';

const INTENT_RESULTS: Readonly<Record<string, readonly [Result, string]>> = {
	requires_capture: ['Success', 'Authorised'],
	succeeded: ['Success', 'Approved'],
	processing: ['Accepted', 'In progress at the gateway'],
	requires_action: ['Rejected', 'The issuer asks the cardholder to authenticate'],
	requires_payment_method: ['Rejected', 'Declined'],
	requires_confirmation: ['Rejected', 'Not confirmed'],
	canceled: ['Rejected', 'Cancelled'],
};

const REFUND_RESULTS: Readonly<Record<string, readonly [Result, string]>> = {
	succeeded: ['Success', 'Refunded'],
	pending: ['Accepted', 'Refund in progress'],
	requires_action: ['Accepted', 'Refund waits for the payer'],
	failed: ['Rejected', 'Refund failed'],
	canceled: ['Rejected', 'Refund cancelled'],
};

/** These codes mean that a request is well-formed, but the state of the payment does not allow it. */
const REFUSED_CODES = new Set([
	...['payment_intent_unexpected_state', 'resource_missing', 'charge_already_refunded', 'charge_already_captured'],
	...['charge_disputed', 'amount_too_large', 'charge_expired_for_capture'],
]);

/**
 * A refund that exceeds the payment or concerns an uncaptured one has no error code: Stripe names only one of these
 * parameters. Malformed values of these parameters do have a code.
 */
const REFUSED_PARAMETERS = new Set(['amount', 'amount_to_capture', 'charge', 'payment_intent']);

export function outcomeOfIntent(intent: Stripe.PaymentIntent): Outcome | 'unknown' {
	const [result, description] = INTENT_RESULTS[intent.status] ?? [];
	if (result === undefined || description === undefined) return 'unknown';
	const error = intent.last_payment_error;
	const isDeclined = result === 'Rejected' && error;
	const charge = typeof intent.latest_charge === 'object' ? intent.latest_charge : null;
	return outcomeOf(result, description, {
		gatewayReference: intent.id,
		gatewayResultCode: isDeclined ? (error.decline_code ?? error.code ?? intent.status) : intent.status,
		gatewayResultDescription: isDeclined ? (error.message ?? null) : (charge?.outcome?.seller_message ?? null),
		authorizationCode: charge?.payment_method_details?.card?.authorization_code ?? charge?.authorization_code ?? null,
	});
}

export function outcomeOfRefund(refund: Stripe.Refund): Outcome | 'unknown' {
	const [result, description] = REFUND_RESULTS[refund.status ?? ''] ?? [];
	if (result === undefined || description === undefined) return 'unknown';
	return outcomeOf(result, description, {
		gatewayReference: refund.id,
		gatewayResultCode: refund.failure_reason ?? refund.status,
	});
}

/** Translates a failed call by the table of Stripe's errors; anything that may have been carried out is `unknown`. */
export function outcomeOfError(error: unknown): Outcome | 'unknown' {
	if (error instanceof Stripe.errors.StripeConnectionError) {
		const isSent = !((error.detail as unknown) instanceof NotSentError);
		return isSent ? 'unknown' : outcomeOf('TemporaryFailure', 'The gateway could not be reached; nothing was sent.');
	}
	if (!(error instanceof Stripe.errors.StripeError)) return 'unknown';
	const told = {
		gatewayReference: error.payment_intent?.id ?? null,
		gatewayResultCode: error.decline_code || error.code || error.rawType || null,
		gatewayResultDescription: error.message,
	};
	if (error instanceof Stripe.errors.StripeCardError) return outcomeOf('Rejected', 'Declined', told);
	if (error instanceof Stripe.errors.StripeRateLimitError) {
		return outcomeOf('TemporaryFailure', 'The gateway is busy', told);
	}
	if (
		error instanceof Stripe.errors.StripeAuthenticationError ||
		error instanceof Stripe.errors.StripePermissionError
	) {
		return outcomeOf('FatalFailure', 'The gateway does not accept the credentials', told);
	}
	if (error instanceof Stripe.errors.StripeInvalidRequestError) {
		const isRefused = error.code ? REFUSED_CODES.has(error.code) : REFUSED_PARAMETERS.has(error.param ?? '');
		if (isRefused) return outcomeOf('Rejected', 'Not possible for this payment', told);
		return outcomeOf('FatalFailure', 'The gateway does not accept the request', told);
	}
	if (error instanceof Stripe.errors.StripeIdempotencyError) {
		return outcomeOf('FatalFailure', 'The gateway knows another request under this key', told);
	}
	// What remains are the status 409, the statuses from 500, and answers that cannot be read. After these, nobody
	// knows whether the request was carried out.
	return 'unknown';
}

export function isMissing(error: unknown): boolean {
	return error instanceof Stripe.errors.StripeError && error.code === 'resource_missing';
}
