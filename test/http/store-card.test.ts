import test from 'ava';
import { onBoth } from '../helpers/caller-stories.ts';
import { asJson, cardXml, postCard, storeCard, tokenOf, VISA, xml } from '../helpers/card-calls.ts';
import { openHttpApp, TEST_BASE_URL } from '../helpers/http-app.ts';
import { clientOf } from '../helpers/openapi-client.ts';
import { standsAlone } from '../helpers/stands-alone.ts';

onBoth('shapes §3: a card in JSON is stored: 201, location, masked card', async (t, parts, demo) => {
	const client = await clientOf(parts, demo);
	const ExpirationDate = { Month: '04', Year: '2030' };
	const response = await client.expect(201, 'POST /api/payments/paycard', {
		query: { ref: 'order-1' },
		body: { BankCard: { Type: 'Visa', Number: VISA, ExpirationDate, NameOnCard: 'A HOLDER', CVV: '306' } },
	});
	t.is(response.headers['content-type'], 'text/json; charset=utf-8');
	t.regex(String(response.headers.location), new RegExp(`^${TEST_BASE_URL}/api/payments/paycard/[0-9a-f]{32}$`));
	t.is(response.headers['x-service-tokenization-warnings'], undefined);
	t.deepEqual(response.body, {
		BankCard: {
			Type: 'Visa',
			Virtual: null,
			Number: '411111******1111',
			NameOnCard: 'A HOLDER',
			ExpirationDate: { Month: '04', Year: '2030' },
			IssueNumber: null,
			OwnerID: null,
		},
	});
	const found = await parts.vault.find(demo.account.id, tokenOf(response) as never);
	t.is(found?.record.digits.toString(), VISA);
	t.notRegex(response.text, standsAlone('306'));
});

onBoth('shapes §2: a card in XML is stored and answered in XML', async (t, _, demo) => {
	const response = await demo.inject('POST', '/api/payments/paycard', xml(cardXml()));
	t.is(response.statusCode, 201);
	t.is(response.headers['content-type'], 'application/xml; charset=utf-8');
	t.is(response.headers['x-service-tokenization-warnings'], 'The Card type is missing');
	t.is(
		response.body,
		'<BankCard><Type>Visa</Type><Number>411111******1111</Number><ExpirationDate><Month>04</Month><Year>2030</Year></ExpirationDate></BankCard>',
	);
});

onBoth(
	'shapes §3: eliminateCardDuplication gives the earlier token back, with what the call asks beside it',
	async (t, parts, demo) => {
		const shop = await parts.createCaller('shop');
		const first = await storeCard(demo, '?ref=a');
		t.not(await storeCard(demo), first);
		const again = await storeCard(demo, '?eliminateCardDuplication=TRUE&ref=b&merchantId=shop', { CVV: '306' });
		t.is(again, first);
		t.is((await demo.inject('GET', '/api/payments/paycard/meta?ref=b', asJson)).json().length, 1);
		const seen = (await shop.inject('GET', `/api/payments/paycard/${first}/meta`, asJson)).json();
		t.like(seen, { CvvExists: true, AssociatedMerchants: ['shop'] });
	},
);

test('shapes §3: an earlier token is answered with the card as it is stored, not as it was sent', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo');
	const first = await postCard(demo, '', { NameOnCard: 'A HOLDER', OwnerID: 'one' });
	const more = { NameOnCard: 'SOMEBODY ELSE', OwnerID: 'two', IssueNumber: '7', Type: null };
	const again = await postCard(demo, '?eliminateCardDuplication=true', more);
	t.is(again.headers.location, first.headers.location);
	t.deepEqual(again.json(), first.json());
	t.like(again.json().BankCard, { NameOnCard: 'A HOLDER', OwnerID: 'one', IssueNumber: null, Type: 'Visa' });
});

test('spec §2.1: a sub-user stores for its parent, and is named in UserID', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo');
	const clerk = await parts.createCaller('clerk', { kind: 'sub-user', parent: 'demo' });
	const token = await storeCard(clerk);
	t.is((await demo.inject('GET', `/api/payments/paycard/${token}/meta`, asJson)).json().UserID, 'clerk');
});

const REFUSED: [string, string, object, number, object][] = [
	[
		'spec §7.4: a card that fails Luhn',
		'',
		{ Number: '4111111111111112' },
		400,
		{ message: 'Bad input data', moreInfo: 'BankCard.Number: Luhn (Mod10) error' },
	],
	[
		'spec §7.4: a CVV of two digits',
		'',
		{ CVV: '12' },
		400,
		{ message: 'Bad input parameter', moreInfo: 'BankCard.CVV: CVV must be 3 or 4 digits' },
	],
	[
		'a reference that may be a card number',
		`?ref=${VISA}`,
		{},
		400,
		{ message: 'Bad input data', moreInfo: 'ref: looks like a card number' },
	],
	[
		'a flag that is neither true nor false',
		'?saveCVV=yes',
		{},
		400,
		{ message: 'Bad input data', moreInfo: 'saveCVV: expected true or false' },
	],
	['spec §7.4: a merchant nobody knows', '?merchantId=nobody', {}, 400, { message: 'Bad input data' }],
	[
		"spec §7.4: the caller's own sub-user as merchant",
		'?merchantId=clerk',
		{},
		403,
		{
			message: 'This operation is not allowed for the given entity',
			moreInfo: 'You are not authorized to access this resource. Please contact customer support.',
		},
	],
	[
		'spec §7.3: keeping a CVV without retention',
		'?saveCVV=true',
		{ CVV: '306' },
		401,
		{
			code: -1003,
			message: 'User is not authorized to handle bank cards',
			moreInfo: 'saveCVV: expected false, since the account keeps no CVV',
		},
	],
];
for (const [title, query, card, status, error] of REFUSED) {
	test(`${title} is a ${status}, costs nothing and stores nothing`, async (t) => {
		const parts = await openHttpApp(t);
		const demo = await parts.createCaller('demo', { allowanceLimit: 5 });
		await parts.createCaller('clerk', { kind: 'sub-user', parent: 'demo' });
		const response = await postCard(demo, query, card);
		t.is(response.statusCode, status);
		t.like(response.json(), error);
		t.false(response.body.includes(VISA));
		t.is((await parts.identity.accounts.get('demo')).allowanceUsed, 0);
		t.is(Number((await parts.database.knex('pages').count({ n: '*' }))[0].n), 0);
	});
}

test('spec §7.4: XML out of order is told which elements', async (t) => {
	const demo = await (await openHttpApp(t)).createCaller('demo');
	const elements = `<NameOnCard>A</NameOnCard><Number>${VISA}</Number>`;
	const response = await demo.inject('POST', '/api/payments/paycard', xml(cardXml(elements)));
	t.is(response.statusCode, 400);
	t.is(
		response.body,
		'<ErrorBlock><code>-125</code><message>Message badly formatted</message><moreInfo>BankCard.Number: expected before NameOnCard</moreInfo></ErrorBlock>',
	);
});
