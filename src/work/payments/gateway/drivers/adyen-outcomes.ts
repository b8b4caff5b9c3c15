// Translates Adyen's answers into our result codes.

import { type Outcome, outcomeOf, type Result } from '../operation.ts';
import { AdyenRefusal } from './adyen-transport.ts';
import { NotSentError } from './provider-http.ts';

const SHOPPER_NEEDED = 'The issuer asks the cardholder to authenticate';
const RESULTS: Readonly<Record<string, readonly [Result, string]>> = {
	Authorised: ['Success', 'Authorised'],
	Received: ['Accepted', 'Received'],
	Pending: ['Accepted', 'In progress at the gateway'],
	PartiallyAuthorised: ['Accepted', 'Authorised in part'],
	Refused: ['Rejected', 'Declined'],
	Cancelled: ['Rejected', 'Cancelled'],
	Error: ['TemporaryFailure', 'The gateway could not carry it out'],
	AuthenticationFinished: ['Rejected', 'Authenticated without being authorised'],
	AuthenticationNotRequired: ['Rejected', 'Not authorised'],
	ChallengeShopper: ['Rejected', SHOPPER_NEEDED],
	IdentifyShopper: ['Rejected', SHOPPER_NEEDED],
	RedirectShopper: ['Rejected', SHOPPER_NEEDED],
	PresentToShopper: ['Rejected', SHOPPER_NEEDED],
};
/** These codes of a refusal do not concern the card: acquirer error, issuer unavailable. */
const TEMPORARY_REFUSALS = new Set(['4', '9']);
/** These validation errors concern the payment that the request names, and not the request itself. */
const REFUSED_CODES = new Set(['137', '138', '139', '167', '168']);

/** Describes the members that we read from the answer to a payment. */
export interface AdyenPayment {
	readonly resultCode?: string;
	readonly refusalReason?: string;
	readonly refusalReasonCode?: string;
	readonly pspReference?: string;
	readonly additionalData?: { readonly authCode?: string };
}

/** Returns the outcome of a payment, or `unknown` for a result code that is not in our table. */
export function outcomeOfPayment(response: AdyenPayment): Outcome | 'unknown' {
	const { resultCode, refusalReason, refusalReasonCode, pspReference } = response;
	const [result, description] = RESULTS[resultCode ?? ''] ?? [];
	if (result === undefined || description === undefined) return 'unknown';
	const isTemporary = result === 'Rejected' && TEMPORARY_REFUSALS.has(refusalReasonCode ?? '');
	return outcomeOf(
		isTemporary ? 'TemporaryFailure' : result,
		isTemporary ? 'The issuer cannot be reached' : description,
		{
			gatewayReference: pspReference ?? null,
			gatewayResultCode: refusalReasonCode ?? String(resultCode),
			gatewayResultDescription: refusalReason ?? null,
			authorizationCode: response.additionalData?.authCode ?? null,
		},
	);
}

/** Returns the outcome of a capture, refund or cancellation. Adyen accepts these first and carries them out later. */
export function outcomeOfModification(parts: { status?: string; pspReference?: string }): Outcome | 'unknown' {
	const { status, pspReference } = parts;
	if (status !== 'received') return 'unknown';
	return outcomeOf('Accepted', 'Received', { gatewayReference: pspReference ?? null, gatewayResultCode: status });
}

/** Translates a failed call by the table of Adyen's errors; anything that may have been carried out is `unknown`. */
export function outcomeOfError(error: unknown): Outcome | 'unknown' {
	if (error instanceof NotSentError) {
		return outcomeOf('TemporaryFailure', 'The gateway could not be reached; nothing was sent.');
	}
	if (!(error instanceof AdyenRefusal)) return 'unknown';
	const told = { gatewayResultCode: error.code ?? String(error.status), gatewayResultDescription: error.reason };
	const { status, code, isTransient } = error;
	// An error that Adyen calls transient may concern a request that is still being processed, so its outcome is
	// unknown.
	if (status >= 500 || status === 409 || isTransient) return 'unknown';
	if (status === 429) return outcomeOf('TemporaryFailure', 'The gateway is busy', told);
	if (isTurnedAway(error)) {
		return outcomeOf('FatalFailure', 'The gateway does not accept the credentials', told);
	}
	if (REFUSED_CODES.has(code ?? '')) return outcomeOf('Rejected', 'Not possible for this payment', told);
	return outcomeOf('FatalFailure', 'The gateway does not accept the request', told);
}

/** Tells whether Adyen refused the credentials, in which case it did not process the request. */
export function isTurnedAway(error: unknown): boolean {
	return error instanceof AdyenRefusal && (error.status === 401 || error.status === 403);
}
