// Makes the calls to Stripe: PaymentIntents with raw card data, captured manually for a PreAuth. They are separate from
// the driver, which every installation loads, because Stripe's library takes 36 MB when it is loaded.

import Stripe from 'stripe';
import type { CallContext } from '../driver.ts';
import { type Money, minorUnits } from '../money.ts';
import { type Order, type Outcome, outcomeOf, type PayerDetails } from '../operation.ts';
import { callProvider, type ProviderAnswer, type ProviderLimits, rebased } from './provider-http.ts';
import { isMissing, outcomeOfError, outcomeOfIntent, outcomeOfRefund } from './stripe-outcomes.ts';

/**
 * For these currencies Stripe's minor units differ from ISO 4217: docs.stripe.com/currencies. MGA is among its
 * zero-decimal currencies; ISK and UGX are special cases that have no decimals but are sent in hundredths. HUF and TWD
 * are special in payouts only.
 */
const EXPONENTS = { MGA: 0, ISK: 2, UGX: 2 } as const;
/** Amounts in these currencies have three decimals, of which Stripe requires the last to be 0. */
const THREE_DECIMALS = new Set(['BHD', 'JOD', 'KWD', 'OMR', 'TND']);
/** Stripe stores the id of our attempt under this name, and finds the payment by it. */
const ATTEMPT = 'tokendrop_transaction';
/** Stripe stores the id of a capture under this name. The payment is still found by the attempt that began it. */
const CAPTURE = 'tokendrop_capture';
const EXPAND = { expand: ['latest_charge'] };

export async function sendToStripe(root: URL, order: Order, context: CallContext): Promise<Outcome | 'unknown'> {
	const amount = order.amount && stripeUnits(order.amount);
	if (order.amount && amount === undefined) {
		return outcomeOf('FatalFailure', 'The gateway takes no such amount in this currency');
	}
	try {
		return await run(clientOf(root, context), order, context, amount);
	} catch (error) {
		return outcomeOfError(error);
	}
}

/** Returns an amount in Stripe's units, or undefined if Stripe cannot express it. */
function stripeUnits(amount: Money): number | undefined {
	const units = minorUnits(amount, EXPONENTS);
	const isTooFine = units !== undefined && THREE_DECIMALS.has(amount.currency) && units % 10 !== 0;
	return isTooFine ? undefined : units;
}

export async function askStripe(
	root: URL,
	order: Order,
	context: CallContext,
): Promise<Outcome | 'unknown' | 'absent'> {
	try {
		return await ask(clientOf(root, context), order, context);
	} catch (error) {
		return isMissing(error) ? 'absent' : 'unknown';
	}
}

function clientOf(root: URL, { credentials, deadlineAt, signal }: CallContext): Stripe {
	return stripeClient(credentials.SecretKey.reveal(), { base: root, deadlineAt, signal });
}

async function run(stripe: Stripe, order: Order, context: CallContext, amount: number | undefined) {
	const once = { idempotencyKey: context.idempotencyKey };
	const metadata = { [ATTEMPT]: context.attemptId, ...(order.myRef !== undefined && { my_ref: order.myRef }) };
	const reference = order.gatewayReference ?? '';
	switch (order.operation) {
		case 'PreAuth':
		case 'Charge': {
			const intent = {
				amount: amount!,
				currency: order.amount!.currency.toLowerCase(),
				metadata,
				confirm: true,
				capture_method: order.operation === 'PreAuth' ? 'manual' : 'automatic',
				payment_method_types: ['card'],
				payment_method_data: paymentMethod(order, context),
				// A payment that needs the issuer's page is refused, because no cardholder is present who could be sent there.
				error_on_requires_action: true,
				...EXPAND,
			} as Stripe.PaymentIntentCreateParams;
			return outcomeOfIntent(await stripe.paymentIntents.create(intent, once));
		}
		case 'Capture': {
			const problem = await findCurrencyProblem(stripe, order, context);
			if (problem) return problem;
			const capture = { amount_to_capture: amount!, metadata: { [CAPTURE]: context.attemptId }, ...EXPAND };
			return outcomeOfIntent(await stripe.paymentIntents.capture(reference, capture, once));
		}
		case 'Refund': {
			const problem = await findCurrencyProblem(stripe, order, context);
			if (problem) return problem;
			return outcomeOfRefund(
				await stripe.refunds.create({ payment_intent: reference, amount: amount!, metadata }, once),
			);
		}
		case 'Void':
			return outcomeOfVoid(await stripe.paymentIntents.cancel(reference, {}, once));
	}
}

/**
 * Finds out whether an order is in another currency than its payment. Stripe assumes the payment's currency for
 * captures and refunds, and does not check the currency of the order.
 */
async function findCurrencyProblem(stripe: Stripe, order: Order, context: CallContext): Promise<Outcome | undefined> {
	if (context.known) return undefined;
	try {
		const { currency } = await stripe.paymentIntents.retrieve(order.gatewayReference!);
		if (currency.toUpperCase() === order.amount!.currency) return undefined;
		return outcomeOf('FatalFailure', 'The payment was made in another currency');
	} catch (error) {
		const outcome = outcomeOfError(error);
		return outcome === 'unknown'
			? outcomeOf('TemporaryFailure', 'The gateway did not answer; nothing was done.')
			: outcome;
	}
}

function outcomeOfVoid(intent: Stripe.PaymentIntent): Outcome | 'unknown' {
	if (intent.status !== 'canceled') return 'unknown';
	return outcomeOf('Success', 'Voided', { gatewayReference: intent.id, gatewayResultCode: intent.status });
}

function paymentMethod({ payer }: Order, { card }: CallContext): object {
	if (!card) throw new Error('internal error: no card for an operation that needs one');
	return {
		type: 'card',
		card: {
			number: card.number.reveal(),
			exp_month: Number(card.expiryMonth),
			exp_year: Number(card.expiryYear),
			...(card.cvv && { cvc: card.cvv.reveal() }),
		},
		billing_details: billingDetails(payer, card.name),
	};
}

function billingDetails({ email, phone, street, city, postalCode, state, country }: PayerDetails, name?: string) {
	return { name, email, phone, address: { line1: street, city, postal_code: postalCode, state, country } };
}

/**
 * Queries an order. An order that continues a payment is found by the reference of the payment; one that began a
 * payment is searched for by the id of our attempt.
 */
async function ask(stripe: Stripe, order: Order, context: CallContext): Promise<Outcome | 'unknown' | 'absent'> {
	const reference = order.gatewayReference ?? '';
	switch (order.operation) {
		case 'PreAuth':
		case 'Charge': {
			const query = `metadata['${ATTEMPT}']:'${context.attemptId}'`;
			const found = await stripe.paymentIntents.search({ query, expand: ['data.latest_charge'] });
			return found.data[0] ? outcomeOfIntent(found.data[0]) : 'absent';
		}
		case 'Capture': {
			const intent = await stripe.paymentIntents.retrieve(reference, EXPAND);
			// That the payment is captured does not suffice: another capture, or a person at Stripe, may have done it.
			return intent.metadata[CAPTURE] === context.attemptId ? outcomeOfIntent(intent) : 'absent';
		}
		case 'Refund': {
			// Every page of Stripe's list of refunds is read, because a refund on a later page would otherwise be
			// reported as absent.
			for await (const refund of stripe.refunds.list({ payment_intent: reference, limit: 100 })) {
				if (refund.metadata?.[ATTEMPT] === context.attemptId) return outcomeOfRefund(refund);
			}
			return 'absent';
		}
		case 'Void': {
			const intent = await stripe.paymentIntents.retrieve(reference);
			return intent.status === 'canceled' ? outcomeOfVoid(intent) : 'absent';
		}
	}
}

/**
 * Returns Stripe's library over our own transport, because the library's own transport repeats a request once when a
 * connection closes and prints notices of the server.
 */
function stripeClient(secretKey: string, limits: ProviderLimits): Stripe {
	const { base } = limits;
	return new Stripe(secretKey, {
		host: base.hostname,
		port: base.port || (base.protocol === 'http:' ? 80 : 443),
		protocol: base.protocol === 'http:' ? 'http' : 'https',
		httpClient: new Transport(limits),
		maxNetworkRetries: 0,
		telemetry: false,
	});
}

type MakeRequest = InstanceType<typeof Stripe.HttpClient>['makeRequest'];

class Transport extends Stripe.HttpClient {
	readonly #limits: ProviderLimits;

	constructor(limits: ProviderLimits) {
		super();
		this.#limits = limits;
	}

	override getClientName(): string {
		return 'node';
	}

	override async makeRequest(...request: Parameters<MakeRequest>): ReturnType<MakeRequest> {
		const [, , path, method, headers, body] = request;
		const { base, deadlineAt, signal } = this.#limits;
		const url = rebased(base, path);
		return new Answer(await callProvider({ url, method, headers, body, deadlineAt, signal }));
	}
}

class Answer extends Stripe.HttpClientResponse {
	readonly #answer: ProviderAnswer;

	constructor(answer: ProviderAnswer) {
		const { 'stripe-notice': _, ...headers } = answer.headers;
		super(answer.status, headers as never);
		this.#answer = answer;
	}

	override getRawResponse(): unknown {
		return {};
	}

	override async toJSON(): Promise<unknown> {
		return JSON.parse(this.#answer.text ?? '{}');
	}
}
