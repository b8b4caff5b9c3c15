import test from 'ava';
import { outcomeOfPayment } from '../../../src/work/payments/gateway/drivers/adyen-outcomes.ts';
import type { Result } from '../../../src/work/payments/gateway/operation.ts';
import { CVV, card, context, money, openProvider, order, VISA } from '../servers/gateways.ts';

test('a PreAuth waits for its capture, a Charge is captured at once; both carry key and reference', async (t) => {
	const provider = await openProvider(t, 'Adyen');
	const payer = { street: 'High St', city: 'London', postalCode: 'E1 1AA', country: 'GB' };
	await provider.driver.send(order('PreAuth', { payer }), context(provider, { card: card() }));
	const other = context(provider, { card: { ...card(), cvv: undefined }, idempotencyKey: 'other' });
	await provider.driver.send(order('Charge', { myRef: undefined }), other);
	const [preAuth, charge] = provider.server.asked.map(({ body }) => JSON.parse(body));
	t.like(preAuth, {
		amount: { value: 1023, currency: 'USD' },
		additionalData: { manualCapture: 'true' },
		paymentMethod: { type: 'scheme', number: VISA, expiryMonth: '04', expiryYear: '2030', cvc: CVV },
		reference: 'order-1',
		metadata: { tokendropTransaction: '01kzattempt00000000000000a' },
		billingAddress: { street: 'High St', postalCode: 'E1 1AA' },
	});
	t.is(charge.captureDelayHours, 0);
	t.is(charge.reference, '01kzattempt00000000000000a');
	t.false('cvc' in charge.paymentMethod);
	t.is(provider.server.asked[0].headers['idempotency-key'], '6b1f3c1e-3d55-4b6e-9f6c-2f1f6f6f0001');
});

const sends = test.macro(async (t, text: string, currency: string, value: number | undefined) => {
	const provider = await openProvider(t, 'Adyen');
	const asked = order('Charge', { amount: money(text, currency) });
	const outcome = await provider.driver.send(asked, context(provider, { card: card() }));
	t.is(provider.server.asked[0] && JSON.parse(provider.server.asked[0].body).amount.value, value);
	t.like(outcome, { result: value === undefined ? 'FatalFailure' : 'Success' });
});

test('Chilean pesos have two decimals at Adyen', sends, '500', 'CLP', 50_000);
test('rupiah have none at Adyen', sends, '500.00', 'IDR', 500);
test('an order that Adyen cannot express is not sent', sends, '500.25', 'IDR', undefined);

const means = test.macro((t, response: object, result: Result | 'unknown') => {
	const outcome = outcomeOfPayment(response as never);
	t.is(typeof outcome === 'string' ? outcome : outcome.result, result);
});

test('Received is accepted', means, { resultCode: 'Received' }, 'Accepted');
test('Error is a temporary failure', means, { resultCode: 'Error' }, 'TemporaryFailure');
test('a refusal by the issuer', means, { resultCode: 'Refused', refusalReasonCode: '2' }, 'Rejected');
test('an issuer that is away', means, { resultCode: 'Refused', refusalReasonCode: '9' }, 'TemporaryFailure');
test('a cardholder who would have to authenticate', means, { resultCode: 'RedirectShopper' }, 'Rejected');
test('a result nobody knows', means, { resultCode: 'Surprise' }, 'unknown');
test('no result at all', means, {}, 'unknown');
