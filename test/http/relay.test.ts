import test from 'ava';
import { VISA } from '../helpers/card-calls.ts';
import { callsOf, isBadInput, openPartnership, XML_PROFILE } from '../helpers/third-party.ts';

const AMEX = '378282246310005';

test('spec §4.1: the card stands where the profile says, every other byte as it came', async (t) => {
	const { relay, party, store } = await openPartnership(t);
	party.answers(({ text }) => ({ status: 201, headers: { 'x-their-header': 'yes' }, body: `{"echo":${text}}` }));
	const cardToken = await store({ NameOnCard: 'A HOLDER' });
	const payload =
		'{ "card": {"number":"", "month":"", "year": null, "cvv":"000", "holder":"x", "brand":""}, "o": 1.0 }';
	const answer = await relay({ cardToken }, { payload });
	t.is(
		party.only().text,
		`{ "card": {"number":"${VISA}", "month":"04", "year": "2030", "cvv":"", "holder":"A HOLDER", "brand":"Visa"}, "o": 1.0 }`,
	);
	t.is(answer.statusCode, 201);
	t.is(answer.headers['x-their-header'], 'yes');
	t.true(answer.body.includes('411111******1111'));
	t.false(answer.body.includes(VISA));
});

test('shapes §4: a number that comes back without quotes is masked in JSON that can still be read', async (t) => {
	const { relay, party, store } = await openPartnership(t);
	party.answers(({ text }) => ({ headers: { 'content-type': 'application/json' }, body: text }));
	const answer = await relay({ cardToken: await store() }, { payload: '{"card":{"number":0,"month":0,"year":0}}' });
	t.is(party.only().text, `{"card":{"number":${VISA},"month":4,"year":2030}}`);
	t.is(answer.body, '{"card":{"number":"411111******1111","month":4,"year":2030}}');
});

test('spec §7.4: a profile that only tokenizes is refused', async (t) => {
	const tokenizing = XML_PROFILE.replace('direction: both', 'direction: tokenize');
	const { relay } = await openPartnership(t, { profiles: [tokenizing] });
	const answer = await relay({ profileName: 'Soap', cardToken: '0'.repeat(32) });
	isBadInput(t, answer, 'profileName: this profile only tokenizes; expected one that replaces tokens');
});

test('spec §4.1: the token comes in cardToken in any case, or its URI in X-service-cardUri', async (t) => {
	const { relay, party, store, parts } = await openPartnership(t);
	const token = await store();
	const uri = `${parts.settings.baseUrl}/api/payments/paycard/${token}`;
	const answers = [
		await relay({ cardToken: token.toUpperCase() }),
		await relay({ cardToken: uri }),
		await relay({}, { headers: { 'X-Service-CardUri': uri } }),
		await relay({ cardToken: token }, { headers: { 'x-service-carduri': '' } }),
	];
	t.deepEqual(
		answers.map(({ statusCode }) => statusCode),
		[200, 200, 200, 200],
	);
	t.true(party.seen.every(({ text }) => text.includes(VISA)));
});

test('spec §5.4.2: a key without Relay is refused, and so is a call without a key', async (t) => {
	const { party, parts } = await openPartnership(t);
	const reader = callsOf(await parts.createCaller('reader', { permissions: ['QueryTokens', 'Capture'] }), party);
	const answer = await reader.relay({ cardToken: '0'.repeat(32) });
	t.is(answer.statusCode, 403);
	t.is(answer.json().message, 'Permission Relay is required');
	const nobody = await parts.app.inject({ method: 'POST', url: '/api/payments/paycard/relay', payload: '{}' });
	t.deepEqual([nobody.statusCode, nobody.body], [401, '']);
});

const SLOT = '{"number":"","month":"","year":"","cvv":"","holder":"","brand":""}';

test('shapes §4: several tokens go to as many places, in order', async (t) => {
	const { relay, party, store, parts } = await openPartnership(t);
	const tokens = [await store(), await store({ Number: AMEX, Type: 'AMEX' }), await store()];
	const call = { payload: `{"cards":[${SLOT},${SLOT},${SLOT}]}` };
	t.is((await relay({ profileName: 'Several', cardToken: tokens.join(',') }, call)).statusCode, 200);
	const uris = tokens.map((token) => `${parts.settings.baseUrl}/api/payments/paycard/${token}`).join(', ');
	const headers = { 'x-service-carduri': uris };
	t.is((await relay({ profileName: 'Several' }, { ...call, headers })).statusCode, 200);
	for (const { text } of party.seen) {
		const numbers = JSON.parse(text).cards.map(({ number }: { number: string }) => number);
		t.deepEqual(numbers, [VISA, AMEX, VISA]);
	}
	const entries = await parts.database.knex('audit').where('action', 'card.relay');
	t.is(entries.length, 6, 'an entry for each card');
	for (const { details } of entries) t.regex(details, /"address":"127\.0\.0\.1","credential":"api-key \d+"/);
});

test('shapes §4: more or fewer tokens than places are refused; one goes everywhere', async (t) => {
	const { relay, party, store } = await openPartnership(t);
	const token = await store();
	const call = { payload: `{"cards":[${SLOT},${SLOT}]}` };
	const answer = await relay({ profileName: 'Several', cardToken: `${token},${token},${token}` }, call);
	isBadInput(t, answer, '3 tokens were given; the selectors of the profile match 2 cards');
	t.is(party.seen.length, 0);
	t.is((await relay({ profileName: 'Several', cardToken: token }, call)).statusCode, 200);
	t.is(party.only().text.split(VISA).length, 3);
});

test('shapes §4: placeholders of a text name the card they are of', async (t) => {
	const { relay, party, store } = await openPartnership(t);
	const cardToken = [await store(), await store({ Number: AMEX, Type: 'AMEX', NameOnCard: 'B' })].join(',');
	const payload =
		'1={{cardNumber}} {{expirationMonth}}/{{expirationYear2}};2={{cardNumber:2}} {{nameOnCard:2}}{{cvv:2}}';
	const headers = { 'content-type': 'text/plain' };
	t.is((await relay({ profileName: 'Text', cardToken }, { payload, headers })).statusCode, 200);
	t.is(party.only().text, `1=${VISA} 04/30;2=${AMEX} B`);
});
