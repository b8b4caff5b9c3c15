// Makes the calls to Adyen Checkout.

import type { CallContext } from '../driver.ts';
import { minorUnits } from '../money.ts';
import { CARD_OPERATIONS, type Order, type Outcome, outcomeOf, type PayerDetails } from '../operation.ts';
import { isTurnedAway, outcomeOfError, outcomeOfModification, outcomeOfPayment } from './adyen-outcomes.ts';
import { type AskAdyen, adyenClient } from './adyen-transport.ts';

/** Adyen's minor units of these differ from ISO 4217: docs.adyen.com/development-resources/currency-codes. */
const EXPONENTS = { CLP: 2, CVE: 0, IDR: 0, ISK: 2 } as const;
/** Adyen requires this URL, but nobody is ever sent there, because payments that need the cardholder are rejected. */
const RETURN_URL = 'https://localhost/';

export async function sendToAdyen(root: URL, order: Order, context: CallContext): Promise<Outcome | 'unknown'> {
	try {
		return await run(root, order, context);
	} catch (error) {
		return outcomeOfError(error);
	}
}

/**
 * Queries an operation. Checkout reports a payment afterwards only by webhook, so a payment whose answer was lost stays
 * unknown. An operation that continues a payment is sent again under its idempotency key: if Adyen has answered the
 * operation before, it returns the same answer.
 */
export async function askAdyen(root: URL, order: Order, context: CallContext): Promise<Outcome | 'unknown'> {
	if (CARD_OPERATIONS.has(order.operation)) return 'unknown';
	try {
		return await run(root, order, context);
	} catch (error) {
		// Adyen refused the credentials of the repeated request. This does not tell what became of the operation when
		// it was sent first.
		if (isTurnedAway(error)) return 'unknown';
		const outcome = outcomeOfError(error);
		return outcome === 'unknown' || outcome.result === 'TemporaryFailure' ? 'unknown' : outcome;
	}
}

async function run(root: URL, order: Order, context: CallContext): Promise<Outcome | 'unknown'> {
	const value = order.amount && minorUnits(order.amount, EXPONENTS);
	if (order.amount && value === undefined) {
		return outcomeOf('FatalFailure', 'The gateway takes no such amount in this currency');
	}
	const { credentials, deadlineAt, signal, idempotencyKey } = context;
	const ask = adyenClient({ apiKey: credentials.ApiKey.reveal(), idempotencyKey }, { base: root, deadlineAt, signal });
	const amount = { value: value!, currency: order.amount?.currency ?? '' };
	if (!CARD_OPERATIONS.has(order.operation)) return modify(ask, order, context, amount);
	return outcomeOfPayment(await ask('/payments', paymentOf(order, context, amount)));
}

interface Amount {
	readonly value: number;
	readonly currency: string;
}

async function modify(ask: AskAdyen, order: Order, context: CallContext, amount: Amount): Promise<Outcome | 'unknown'> {
	const payment = `/payments/${encodeURIComponent(order.gatewayReference ?? '')}` as const;
	const request = {
		merchantAccount: context.credentials.MerchantAccount.reveal(),
		reference: order.myRef ?? context.attemptId,
	};
	switch (order.operation) {
		case 'Capture':
			return outcomeOfModification(await ask(`${payment}/captures`, { ...request, amount }));
		case 'Refund':
			return outcomeOfModification(await ask(`${payment}/refunds`, { ...request, amount }));
		default:
			return outcomeOfModification(await ask(`${payment}/cancels`, request));
	}
}

function paymentOf(order: Order, { card, credentials, attemptId }: CallContext, amount: Amount): object {
	if (!card) throw new Error('internal error: no card for an operation that needs one');
	const { payer } = order;
	return {
		amount,
		merchantAccount: credentials.MerchantAccount.reveal(),
		reference: order.myRef ?? attemptId,
		returnUrl: RETURN_URL,
		metadata: { tokendropTransaction: attemptId },
		paymentMethod: {
			type: 'scheme',
			number: card.number.reveal(),
			expiryMonth: card.expiryMonth,
			expiryYear: card.expiryYear,
			...(card.cvv && { cvc: card.cvv.reveal() }),
			...(card.name !== undefined && { holderName: card.name }),
		},
		shopperEmail: payer.email,
		telephoneNumber: payer.phone,
		shopperIP: payer.ipAddress,
		billingAddress: billingAddress(payer),
		...(order.operation === 'PreAuth' ? { additionalData: { manualCapture: 'true' } } : { captureDelayHours: 0 }),
	};
}

/** Returns the billing address, or none if it is not complete, because Adyen accepts only a complete one. */
function billingAddress({ street, city, postalCode, state, country }: PayerDetails) {
	if (!street || !city || !postalCode || !country) return undefined;
	return { street, houseNumberOrName: 'N/A', city, postalCode, stateOrProvince: state, country };
}
