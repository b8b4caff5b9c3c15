import test from 'ava';
import { asJson, storeCard } from '../helpers/card-calls.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { DUPLICATE, NETWORK, NO_TOKEN, query } from './duplicate.setup.ts';

for (const path of [DUPLICATE, NETWORK]) {
	test(`spec §7.4: ${path}: a token that does not exist`, query, path, `cardUri=${'a'.repeat(32)}`, 401, NO_TOKEN);

	test(`spec §7.4: ${path}: a URI without a token`, query, path, 'cardUri=https%3A%2F%2Fx.example%2F', 401, NO_TOKEN);

	test(`spec §7.4: ${path}: no cardUri`, query, path, 'ref=x', 400, {
		message: 'Bad input data',
		moreInfo: 'cardUri: is required',
	});
}
test('spec §7.4: a duplicate with a CVV of two digits', query, DUPLICATE, 'cardUri=TOKEN&cvv=12', 400, {
	message: 'Bad input parameter',
	moreInfo: 'cvv: expected 3 or 4 digits',
});
test('spec §7.4: a duplicate for a merchant nobody knows', query, DUPLICATE, 'cardUri=TOKEN&merchantId=x', 400, {
	message: 'Bad input data',
});

test('shapes §3: without a provider a network token is a 403 -1003', async (t) => {
	const parts = await openHttpApp(t, 'sqlite', { settings: { environment: 'production' } });
	const demo = await parts.createCaller('demo');
	const response = await demo.inject('POST', `${NETWORK}?cardUri=${await storeCard(demo)}`, asJson);
	t.deepEqual([response.statusCode, response.json().code], [403, -1003]);
	t.is(response.json().message, 'No network token provider is set up');
});
