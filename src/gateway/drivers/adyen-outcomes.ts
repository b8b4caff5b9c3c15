// What Adyen says in our words.

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
/** Refusals that say nothing of the card: acquirer error, issuer unavailable. */
const TEMPORARY_REFUSALS = new Set(['4', '9']);
/** Validation errors about the payment named rather than about the request. */
const REFUSED_CODES = new Set(['137', '138', '139', '167', '168']);

/** What is read of the answer to a payment. */
export interface AdyenPayment {
	readonly resultCode?: string;
	readonly refusalReason?: string;
	readonly refusalReasonCode?: string;
	readonly pspReference?: string;
	readonly additionalData?: { readonly authCode?: string };
}

/** What a payment has come to; `unknown` for a result code that is not on our table. */
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

/** Captures, refunds and cancellations are taken in and carried out later. */
export function outcomeOfModification({
	status,
	pspReference,
}: {
	status?: string;
	pspReference?: string;
}): Outcome | 'unknown' {
	if (status !== 'received') return 'unknown';
	return outcomeOf('Accepted', 'Received', { gatewayReference: pspReference ?? null, gatewayResultCode: status });
}

/** A failed call by the table of Adyen's errors; `unknown` for whatever may have been carried out. */
export function outcomeOfError(error: unknown): Outcome | 'unknown' {
	if (error instanceof NotSentError) {
		return outcomeOf('TemporaryFailure', 'The gateway could not be reached; nothing was sent.');
	}
	if (!(error instanceof AdyenRefusal)) return 'unknown';
	const told = { gatewayResultCode: error.code ?? String(error.status), gatewayResultDescription: error.reason };
	const { status, code, isTransient } = error;
	// A transient error is told of a request that is still being worked on.
	if (status >= 500 || status === 409 || isTransient) return 'unknown';
	if (status === 429) return outcomeOf('TemporaryFailure', 'The gateway is busy', told);
	if (isTurnedAway(error)) {
		return outcomeOf('FatalFailure', 'The gateway does not accept the credentials', told);
	}
	if (REFUSED_CODES.has(code ?? '')) return outcomeOf('Rejected', 'Not possible for this payment', told);
	return outcomeOf('FatalFailure', 'The gateway does not accept the request', told);
}

/** Whether Adyen has looked at who asks and no further. */
export function isTurnedAway(error: unknown): boolean {
	return error instanceof AdyenRefusal && (error.status === 401 || error.status === 403);
}
