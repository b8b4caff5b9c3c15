import test from 'ava';
import { allPermissions } from '../../src/people/identity/permissions.ts';
import { asJson, cardXml, json, storeCard, tokenOf, xml } from '../helpers/card-calls.ts';
import { databases } from '../helpers/database.ts';
import type { Caller } from '../helpers/http-app.ts';
import {
	bearer,
	beginSession,
	CHARGE,
	CHARGE_AND_TOKENIZE,
	countCards,
	listPayments,
	lookAtSession,
	MASTERCARD,
	openWalletApp,
	readResults,
	sendCard,
	WALLET,
	WALLET_SESSION,
	WALLET_TOKENIZE,
} from '../helpers/wallet-calls.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

for (const dialect of databases) {
	test(`shapes §8: a session that charges and stores, from its making to its results (${dialect})`, async (t) => {
		const { parts, caller } = await openWalletApp(t, dialect);
		await parts.createCaller('partner');
		const token = await beginSession(caller, {
			...{ ...CHARGE, operation: 'CHARGE_AND_TOKENIZE', myRef: 'order-1', ref: 'customer-1', merchantId: 'partner' },
		});
		t.regex(token, /^ws_[\w-]{43}$/);
		t.like((await lookAtSession(parts, token)).json(), {
			...{ operation: 'CHARGE_AND_TOKENIZE', status: 'open', amount: 10.23, currencyCode: 'USD' },
			...{ environment: 'sandbox', expiresAt: '2026-11-21T12:05:00.000Z' },
		});
		const done = await sendCard(parts, token, { CVV: '306', NameOnCard: 'A HOLDER' });
		t.is(done.statusCode, 200, done.body);
		t.is(done.headers['cache-control'], 'no-store');
		const { upgChargeResults, tokenAndMaskedCardModel, ...rest } = done.json();
		t.deepEqual(rest, { operation: 'CHARGE_AND_TOKENIZE', status: 'completed', myRef: 'order-1' });
		t.like(upgChargeResults, {
			OperationType: 'Charge',
			OperationResultCode: 'Success',
			Amount: 10.23,
			Currency: 'USD',
		});
		t.like(tokenAndMaskedCardModel.maskedCard, { Number: '411111******1111', NameOnCard: 'A HOLDER', Type: 'Visa' });
		// Looks for the CVV as a value of its own, because ids and tokens may contain any three digits by chance.
		t.notRegex(done.body, /4111111111111111|\b306\b/);
		t.deepEqual(await readResults(caller, token), done.json());

		const url = `${tokenAndMaskedCardModel.cardToken.replace(parts.settings.baseUrl, '')}/meta`;
		t.like((await caller.inject('GET', url, asJson)).json(), {
			...{ CreatorReference: 'customer-1', AssociatedMerchants: ['partner'], CvvExists: false },
		});
		const payments = await listPayments(caller);
		t.deepEqual(
			payments.map(({ MyRef, State }: Record<string, string>) => [MyRef, State]),
			[['order-1', 'approved']],
		);
		const entries: { action: string; actor: string }[] = await parts.database.knex('audit').orderBy('seq');
		t.deepEqual(
			entries.filter(({ actor }) => actor === 'agency').map(({ action }) => action),
			['wallet.session', 'gateway.charge', 'card.store'],
		);
	});

	test(`neither a token nor a card stands in clear in what is kept of a session (${dialect})`, async (t) => {
		const { parts, caller } = await openWalletApp(t, dialect);
		const token = await beginSession(caller, { operation: 'TOKENIZE' });
		await sendCard(parts, token, { NameOnCard: 'A HOLDER', CVV: '306' });
		const [row] = await parts.database.knex('wallet_sessions');
		const text = Object.values(row)
			.map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : String(value)))
			.join('\n');
		// Looks for the last four digits as a value of their own, because hashes and sealed bytes may contain them by chance.
		t.notRegex(text, /A HOLDER|411111[1*]|\b1111\b/);
		t.false(text.includes(token.slice(3)));
		t.false(parts.logText().includes(token));
	});
}

test('shapes §8: TOKENIZE needs no amount, stores, and asks nothing of a gateway', async (t) => {
	const { parts, caller } = await openWalletApp(t);
	const token = await beginSession(caller, { operation: 'tokenize' });
	t.like((await lookAtSession(parts, token)).json(), { operation: 'TOKENIZE', amount: null, currencyCode: null });
	const done = (await sendCard(parts, token)).json();
	t.like(done, { status: 'completed', upgChargeResults: null });
	t.truthy(done.tokenAndMaskedCardModel.cardToken);
	t.deepEqual(await listPayments(caller), []);
});

test('shapes §8: CHARGE stores nothing, PREAUTH_AND_TOKENIZE authorises', async (t) => {
	const { parts, caller } = await openWalletApp(t);
	const charged = (await sendCard(parts, await beginSession(caller, CHARGE))).json();
	t.like(charged, { status: 'completed', tokenAndMaskedCardModel: null });
	t.is(await countCards(caller), 0);
	const authorised = (
		await sendCard(parts, await beginSession(caller, { ...CHARGE, operation: 'PREAUTH_AND_TOKENIZE' }))
	).json();
	t.is(authorised.upgChargeResults.OperationType, 'PreAuth');
	t.is(await countCards(caller), 1);
});

test('XML in and out', async (t) => {
	const { parts, caller } = await openWalletApp(t);
	const body = '<eWalletOperation><operation>TOKENIZE</operation><cardTypes>Visa</cardTypes></eWalletOperation>';
	const made = await caller.inject('POST', WALLET, xml(body));
	const token = /<token>(.*)<\/token>/.exec(made.body)![1];
	const asXml = {
		method: 'GET',
		url: WALLET_SESSION,
		headers: bearer(token, { accept: 'application/xml' }),
	} as const;
	t.regex((await parts.app.inject(asXml)).body, /<cardTypes><cardType>Visa<\/cardType><\/cardTypes>/);
	const bad = await parts.app.inject({
		method: 'POST',
		url: WALLET_TOKENIZE,
		...xml(cardXml('<Number>1</Number>'), bearer(token)),
	});
	t.is(bad.statusCode, 400);
	t.regex(bad.body, /^<ValidationErrors><errors><error field="/);
	const done = await parts.app.inject({ method: 'POST', url: WALLET_TOKENIZE, ...xml(cardXml(), bearer(token)) });
	t.regex(done.body, /^<eWalletResult>.*<maskedCard>.*<Number>411111\*{6}1111<\/Number>/);
	const asked = `<eWalletToken><token>${token}</token></eWalletToken>`;
	t.is((await caller.inject('POST', `${WALLET}/validateResults`, xml(asked))).body, done.body);
});

test('gateway credentials that are kept are used, as they are when the card comes', async (t) => {
	const { parts, caller } = await openWalletApp(t);
	const kept = '/api/paymentGateway/credentials/shop-1';
	await caller.inject('PUT', kept, json({ Name: 'Sandbox' }));
	const [one, two] = [CHARGE, CHARGE].map(({ gateway: _, ...rest }) => ({ ...rest, credentialsId: 'shop-1' }));
	t.is((await sendCard(parts, await beginSession(caller, one))).json().upgChargeResults.GatewayName, 'Sandbox');
	const token = await beginSession(caller, two);
	await caller.inject('DELETE', kept);
	const gone = await sendCard(parts, token);
	t.is(gone.statusCode, 400);
	t.deepEqual(gone.json(), { errors: { credentialsId: ['no such credentials'] } });
	t.is((await readResults(caller, token)).status, 'open', 'nothing was sent');
	await caller.inject('PUT', kept, json({ Name: 'Sandbox' }));
	t.is((await sendCard(parts, token)).json().status, 'completed');
});

test('card types are held against the number, whatever the page says', async (t) => {
	const { parts, caller } = await openWalletApp(t);
	const token = await beginSession(caller, { operation: 'TOKENIZE', cardTypes: 'visa, MasterCard' });
	t.deepEqual((await lookAtSession(parts, token)).json().cardTypes, ['MasterCard', 'Visa']);
	const refused = await sendCard(parts, token, { Type: 'Visa', Number: '378282246310005' });
	t.deepEqual(refused.json(), { errors: { 'BankCard.Number': ['expected a card of MasterCard, Visa'] } });
	t.is((await sendCard(parts, token, { Number: MASTERCARD })).json().status, 'completed');
});

const lacking = test.macro({
	async exec(t, operation: string, permission: 'Tokenize' | 'Gateway') {
		const { parts } = await openWalletApp(t);
		const others = (['Tokenize', 'Gateway', 'Relay'] as const).filter((name) => name !== permission);
		const caller = await parts.createCaller('clerk', { permissions: others });
		const response = await caller.inject('POST', WALLET, json({ ...CHARGE, operation }));
		t.is(response.statusCode, 403);
		t.like(response.json(), { code: -1003, message: `Permission ${permission} is required` });
	},
	title: (_, operation: string, permission: string) => `shapes §9: ${operation} needs ${permission}`,
});
test(lacking, 'TOKENIZE', 'Tokenize');
test(lacking, 'CHARGE', 'Gateway');
test(lacking, 'CHARGE_AND_TOKENIZE', 'Gateway');
test(lacking, 'CHARGE_AND_TOKENIZE', 'Tokenize');
test(lacking, 'PREAUTH_AND_TOKENIZE', 'Gateway');

test('CVV: kept with a card that is only stored, as the account and the session say', async (t) => {
	const { parts, caller } = await openWalletApp(t);
	const plain = await parts.createCaller('plain');
	const store = async (who: Caller, body: object) => {
		const { cardToken } = (await sendCard(parts, await beginSession(who, body), { CVV: '306' })).json()
			.tokenAndMaskedCardModel;
		return (await who.inject('GET', `${cardToken.replace(parts.settings.baseUrl, '')}/meta`, asJson)).json().CvvExists;
	};
	t.true(await store(caller, { operation: 'TOKENIZE' }));
	t.false(await store(caller, { operation: 'TOKENIZE', saveCVV: false }));
	t.false(await store(caller, CHARGE_AND_TOKENIZE));
	t.false(await store(plain, { operation: 'TOKENIZE' }));
	const refused = await plain.inject('POST', WALLET, json({ operation: 'TOKENIZE', saveCVV: true }));
	t.like(refused.json(), { code: -1003, message: 'User is not authorized to handle bank cards' });
});

test('results are for the account of the session, its sub-users among it, and unknown to others', async (t) => {
	const { parts, caller } = await openWalletApp(t);
	const clerk = await parts.createCaller('clerk', { kind: 'sub-user', parent: 'agency' });
	const stranger = await parts.createCaller('stranger');
	const token = await beginSession(clerk, { operation: 'TOKENIZE' });
	await sendCard(parts, token);
	t.is((await readResults(caller, token)).status, 'completed');
	t.is((await readResults(clerk, token)).status, 'completed');
	t.deepEqual(await readResults(stranger, token), { errors: { token: ['no such session'] } });
	t.deepEqual(await readResults(caller, 'ws_nobody'), { errors: { token: ['no such session'] } });
	t.deepEqual(await readResults(caller, ''), { errors: { token: ['is required'] } });
});

test('results are kept for 24 hours after the session, whose end they tell', async (t) => {
	const { parts, caller } = await openWalletApp(t);
	const [used, unused] = [await beginSession(caller, { operation: 'TOKENIZE' }), await beginSession(caller, CHARGE)];
	await sendCard(parts, used);
	parts.clock.turn(5 * MINUTE_MS);
	t.is((await readResults(caller, unused)).status, 'expired');
	parts.clock.turn(24 * HOUR_MS - 1);
	t.is((await readResults(caller, used)).status, 'completed');
	parts.clock.turn(1);
	t.deepEqual(await readResults(caller, used), { errors: { token: ['no such session'] } });
});

test('a session token is no other credential, and no other credential is one', async (t) => {
	const { parts, caller } = await openWalletApp(t);
	const token = await beginSession(caller, { operation: 'TOKENIZE' });
	const meta = '/api/payments/paycard/meta';
	t.is((await parts.app.inject({ method: 'GET', url: `${meta}?sessionToken=${token}` })).statusCode, 401);
	t.is((await parts.app.inject({ method: 'GET', url: meta, headers: { 'x-service-api-key': token } })).statusCode, 401);
	t.is((await parts.app.inject({ method: 'GET', url: meta, headers: bearer(token) })).statusCode, 401);
	t.is(await parts.identity.sftpLogin.byPassword({ userName: 'agency', password: token }), null);
	const temporary = (await caller.inject('POST', '/api/payments/paycard/tempsession')).body;
	for (const secret of [caller.apiKey, temporary]) t.is((await lookAtSession(parts, secret)).statusCode, 401);
	const viaQuery = `${WALLET_SESSION}?sessionToken=${temporary}`;
	t.is((await caller.inject('GET', viaQuery)).statusCode, 401);
});

test('a card stored by a session is one like any other', async (t) => {
	const { parts, caller } = await openWalletApp(t);
	const { tokenAndMaskedCardModel } = (
		await sendCard(parts, await beginSession(caller, { operation: 'TOKENIZE' }))
	).json();
	const mine = await storeCard(caller);
	const location = tokenAndMaskedCardModel.cardToken as string;
	t.not(tokenOf({ headers: { location } }), mine);
	t.is((await caller.inject('DELETE', location.replace(parts.settings.baseUrl, ''))).statusCode, 200);
});

test('spec §5.4.3, shapes §11: failures of session calls count, and a valid session is never limited', async (t) => {
	const { parts, caller } = await openWalletApp(t);
	const token = await beginSession(caller);
	const call = (headers = {}) => parts.app.inject({ method: 'GET', url: WALLET_SESSION, headers });
	for (let count = 0; count < 50; count++) {
		t.is((await call(bearer('wrong'))).statusCode, 401);
		t.is((await call()).statusCode, 401);
	}
	for (const response of [await call(bearer('wrong')), await call()]) {
		t.is(response.statusCode, 429);
		t.is(response.body, '');
		t.is(response.headers['retry-after'], '600');
	}
	t.is((await call(bearer(token))).statusCode, 200);
});

test('the trail names, for everything a session does, the credential that made it and the address of the call', async (t) => {
	const { parts, caller } = await openWalletApp(t);
	await sendCard(parts, await beginSession(caller, { operation: 'TOKENIZE' }));
	const entries = await parts.database
		.knex('audit')
		.whereIn('action', ['wallet.session', 'card.store'])
		.pluck('details');
	t.true(entries.length >= 2);
	for (const details of entries) t.like(JSON.parse(details), { credential: 'api-key 1', address: '127.0.0.1' });
});

test('spec §5.2.2: results are read with a session token as well, and not by another account', async (t) => {
	const { parts, caller } = await openWalletApp(t);
	const { token } = (await caller.inject('POST', WALLET, json({ operation: 'TOKENIZE' }))).json();
	const temporary = (await caller.inject('POST', '/api/payments/paycard/tempsession')).body;
	const url = `${WALLET}/validateResults`;
	const read = await parts.app.inject({ method: 'POST', url: `${url}?sessionToken=${temporary}`, ...json({ token }) });
	t.is(read.statusCode, 200, read.body);
	t.is(read.json().operation, 'TOKENIZE');
	const stranger = await parts.createCaller('stranger');
	t.deepEqual(Object.keys((await stranger.inject('POST', url, json({ token }))).json().errors), ['token']);
	const itself = { ...json({ token }).headers, authorization: `Bearer ${token}` };
	t.is((await parts.app.inject({ method: 'POST', url, headers: itself, payload: { token } })).statusCode, 401);
});

test('results need the permissions that making the session needs', async (t) => {
	const { parts, caller } = await openWalletApp(t);
	const token = await beginSession(caller, CHARGE_AND_TOKENIZE);
	for (const permission of ['Gateway', 'Tokenize'] as const) {
		const permissions = new Set([...allPermissions].filter((name) => name !== permission));
		const { secret } = await parts.identity.apiKeys.create(caller.account, 'operator test', permissions);
		const headers = { 'x-service-api-key': secret.reveal() };
		const read = await caller.inject('POST', `${WALLET}/validateResults`, json({ token }, headers));
		t.deepEqual([read.statusCode, read.json().message], [403, `Permission ${permission} is required`]);
	}
});
