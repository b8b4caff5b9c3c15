import test from 'ava';
import type { Order, Outcome } from '../../../src/work/payments/gateway/operation.ts';
import { card, context, KNOWN, money, openProvider, order } from '../servers/gateways.ts';

const form = (body: string) => Object.fromEntries(new URLSearchParams(body));

test('a PreAuth is a PaymentIntent captured by hand, a Charge one captured at once', async (t) => {
	const provider = await openProvider(t, 'Stripe');
	const payer = { email: 'a@example.com', postalCode: 'E1 1AA', country: 'GB' };
	await provider.driver.send(order('PreAuth', { payer }), context(provider, { card: card() }));
	const charge = context(provider, { card: { ...card(), cvv: undefined }, idempotencyKey: 'other' });
	await provider.driver.send(order('Charge', { myRef: undefined }), charge);
	const [preAuth, charged] = provider.server.asked.map(({ body }) => form(body));
	t.like(preAuth, {
		...{ amount: '1023', currency: 'usd', capture_method: 'manual', confirm: 'true' },
		'payment_method_data[card][exp_month]': '4',
		'payment_method_data[card][exp_year]': '2030',
		'payment_method_data[billing_details][name]': 'A HOLDER',
		'payment_method_data[billing_details][address][postal_code]': 'E1 1AA',
		'metadata[my_ref]': 'order-1',
	});
	t.is(charged.capture_method, 'automatic');
	t.false('payment_method_data[card][cvc]' in charged);
	const { headers } = provider.server.asked[0];
	t.is(headers['idempotency-key'], '6b1f3c1e-3d55-4b6e-9f6c-2f1f6f6f0001');
	t.regex(String(headers['stripe-version']), /^\d{4}-\d\d-\d\d/);
	t.false('x-stripe-client-telemetry' in headers);
});

const sends = test.macro(async (t, text: string, currency: string, minor: string | undefined) => {
	const provider = await openProvider(t, 'Stripe');
	const outcome = await provider.driver.send(
		order('Charge', { amount: money(text, currency) }),
		context(provider, { card: card() }),
	);
	t.is(provider.server.asked.map(({ body }) => form(body).amount).join(), minor ?? '');
	t.like(outcome, { result: minor === undefined ? 'FatalFailure' : 'Success' });
});

test('yen have no decimals', sends, '500', 'JPY', '500');
test('krónur have two at Stripe', sends, '5', 'ISK', '500');
test('dinars have three', sends, '1.230', 'KWD', '1230');
test('the last of three decimals is 0 at Stripe', sends, '1.234', 'KWD', undefined);
test('shillings of Uganda have two at Stripe', sends, '5', 'UGX', '500');
test('forints have two, other than in payouts', sends, '10.45', 'HUF', '1045');
test('ariary have none at Stripe', sends, '5.00', 'MGA', '5');
test('an order that Stripe cannot express is not sent', sends, '5.50', 'MGA', undefined);

test('a refund of more than was captured, or of nothing captured, is not possible for the payment', async (t) => {
	const { driver, ...provider } = await openProvider(t, 'Stripe');
	let calls = 0;
	const send = async (asked: Order) => {
		const more = { card: card(), known: KNOWN, idempotencyKey: `key-${++calls}` };
		return (await driver.send(asked, context(provider, more))) as Outcome;
	};
	const { gatewayReference } = await send(order('PreAuth'));
	const refund = (text: string) => order('Refund', { gatewayReference: gatewayReference!, amount: money(text, 'USD') });
	const refused = { result: 'Rejected', description: 'Not possible for this payment' };
	t.like(await send(refund('1.00')), refused, 'nothing captured');
	await send(order('Capture', { gatewayReference: gatewayReference!, amount: money('4.00', 'USD') }));
	t.like(await send(refund('4.01')), refused);
	t.like(await send(refund('4.00')), { result: 'Success' });
	t.like(await send(refund('0.01')), refused, 'all refunded');
});

test('a payment made elsewhere is captured only in its own currency', async (t) => {
	const provider = await openProvider(t, 'Stripe');
	const made = await provider.driver.send(order('PreAuth'), context(provider, { card: card() }));
	const gatewayReference = (made as { gatewayReference: string }).gatewayReference;
	const capture = (amount: Order['amount']) =>
		provider.driver.send(
			order('Capture', { gatewayReference, amount }),
			context(provider, { idempotencyKey: String(amount?.currency) }),
		);
	t.like(await capture(money('10', 'JPY')), { result: 'FatalFailure' });
	t.is(provider.server.asked.at(-1)!.method, 'GET', 'nothing was done');
	t.like(await capture(money('10', 'USD')), { result: 'Success' });
	provider.server.mode = 'error';
	t.like(await capture(money('10', 'EUR')), { result: 'TemporaryFailure' }, 'asking did nothing');
});

test('an operation that the state of the payment does not allow is rejected', async (t) => {
	const provider = await openProvider(t, 'Stripe');
	const made = await provider.driver.send(order('Charge'), context(provider, { card: card() }));
	const gatewayReference = (made as { gatewayReference: string }).gatewayReference;
	const later = context(provider, { known: KNOWN, idempotencyKey: 'later' });
	t.like(await provider.driver.send(order('Void', { gatewayReference }), later), {
		result: 'Rejected',
		gatewayResultCode: 'payment_intent_unexpected_state',
	});
});

test('a refund is found however many came after it', async (t) => {
	const provider = await openProvider(t, 'Stripe');
	const made = await provider.driver.send(order('Charge'), context(provider, { card: card() }));
	const gatewayReference = (made as { gatewayReference: string }).gatewayReference;
	const refund = order('Refund', { gatewayReference, amount: money('0.01', 'USD') });
	const attempt = (nth: number) =>
		context(provider, { known: KNOWN, attemptId: `attempt${nth}`, idempotencyKey: `key-${nth}` });
	for (let nth = 0; nth < 102; nth++) await provider.driver.send(refund, attempt(nth));
	t.like(await provider.driver.query!(refund, attempt(0)), { result: 'Success', gatewayReference: 're_1Contract' });
	t.is(await provider.driver.query!(refund, attempt(102)), 'absent');
});
