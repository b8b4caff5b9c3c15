// Tests card requests over HTTP, up to the page of the cardholder (spec §2.6, §3.6, §5.4.4, §7.4.9, shapes §6).

import test, { type ExecutionContext } from 'ava';
import { diskBlobStore } from '../../src/base/blobs/disk.ts';
import type { Dialect } from '../../src/base/database/dialect.ts';
import { transactPlainly } from '../../src/base/database/plain-transaction.ts';
import { countSealed } from '../../src/installation/keys/key-counts.ts';
import type { Token } from '../../src/vault/tokens/token.ts';
import { openMailStyles } from '../../src/work/cardholders/requests/mail-style.ts';
import { asJson, json, storeCard, xml } from '../helpers/card-calls.ts';
import { databases } from '../helpers/database.ts';
import { makeFolder } from '../helpers/drop-rooms.ts';
import { type HttpRoomsOptions, openHttpRooms, TEST_BASE_URL } from '../helpers/http-rooms.ts';
import { HOUR_MS, MINUTE_MS } from '../helpers/identity-rooms.ts';
import { startMailServer } from '../helpers/mail-server.ts';

const PATH = '/api/cardrequest';
const TOKEN = '9e107d9d372bb6826bd81d3542a419d6' as Token;

async function open(t: ExecutionContext, options: HttpRoomsOptions = {}, dialect: Dialect = 'sqlite') {
	const rooms = await openHttpRooms(t, dialect, options);
	const hotel = await rooms.createCaller('hotel', { cvvRetention: true });
	const ask = (more: object = {}, path = PATH) => hotel.inject('POST', path, json({ SenderID: 'hotel', ...more }));
	const status = async (id: string) => (await hotel.inject('GET', `${PATH}/${id}`, asJson)).json().Status;
	return { rooms, hotel, ask, status };
}

async function openWithMail(t: ExecutionContext, options: HttpRoomsOptions = {}, dialect: Dialect = 'sqlite') {
	const server = await startMailServer(t);
	const { host, port } = server;
	const mail = { host, port, tls: 'none', from: 'cards@vault.example', ...options.mail } as const;
	return { server, ...(await open(t, { ...options, mail }, dialect)) };
}

const secretOf = (url: string) => url.slice(`${TEST_BASE_URL}/cardrequest/`.length);

test('shapes §6.1: a request is made and read, in JSON', async (t) => {
	const { hotel, ask } = await open(t);
	const made = await ask({ CreatorReference: 'booking-7', ExpirationMinutes: 60 });
	t.is(made.statusCode, 201);
	const { requestID, url } = made.json();
	t.is(made.headers.location, `${TEST_BASE_URL}${PATH}/${requestID}`);
	t.regex(url, /^https:\/\/vault\.example\/cardrequest\/cr_[\w-]{43}$/);
	const read = await hotel.inject('GET', `${PATH}/${requestID}`, asJson);
	t.is(read.statusCode, 200);
	t.deepEqual(Object.keys(read.json()), [
		'RequestID',
		'SenderID',
		'Status',
		'CreateDate',
		'ExpirationDate',
		'CreatorReference',
	]);
	t.like(read.json(), {
		RequestID: requestID,
		SenderID: 'hotel',
		Status: 'MessageQueued',
		CreatorReference: 'booking-7',
	});
	t.is(Date.parse(read.json().ExpirationDate) - Date.parse(read.json().CreateDate), HOUR_MS);
});

test('shapes §6.1: the same in XML, and the reference is the requestID unless given', async (t) => {
	const { hotel } = await open(t);
	const made = await hotel.inject('POST', PATH, xml('<CardRequest><SenderID>hotel</SenderID></CardRequest>'));
	t.is(made.statusCode, 201);
	const [, id] =
		/^<CardRequest><requestID>(\w{26})<\/requestID><url>[^<]+<\/url><\/CardRequest>$/.exec(made.body) ?? [];
	const read = await hotel.inject('GET', `${PATH}/${id}`, { headers: { accept: 'application/xml' } });
	t.true(read.body.includes(`<CreatorReference>${id}</CreatorReference>`), read.body);
});

test('spec §5.4.4: another SenderID is a 401, also before other errors of the body', async (t) => {
	const { ask, hotel } = await open(t);
	const other = await ask({ SenderID: 'other', RecipientEmail: 'no address' });
	t.is(other.statusCode, 401);
	t.is(other.json().code, -1003);
	t.is((await hotel.inject('POST', PATH, json({}))).statusCode, 400);
});

test('the permission CardRequest is needed', async (t) => {
	const { rooms } = await open(t);
	const clerk = await rooms.createCaller('clerk', { permissions: ['Tokenize', 'DisplayCard'] });
	const refused = await clerk.inject('POST', PATH, json({ SenderID: 'clerk' }));
	t.is(refused.statusCode, 403);
	t.is(refused.json().message, 'Permission CardRequest is required');
	for (const method of ['GET', 'DELETE'] as const) t.is((await clerk.inject(method, `${PATH}/x`)).statusCode, 403);
});

test('spec §7.4.9: a request of another account, one that is cancelled and one that never was are a 404', async (t) => {
	const { rooms, hotel, ask } = await open(t);
	const { requestID, url } = (await ask()).json();
	const stranger = await rooms.createCaller('stranger');
	for (const method of ['GET', 'DELETE'] as const) {
		const refused = await stranger.inject(method, `${PATH}/${requestID}`, asJson);
		t.is(refused.statusCode, 404);
		t.like(refused.json(), { code: -160, message: 'Uri not found' });
		t.is((await hotel.inject(method, `${PATH}/01kjpz8q4y6t3wxa7n5c2dme9r`)).statusCode, 404);
	}
	const desk = await rooms.createCaller('desk', { kind: 'sub-user', parent: 'hotel' });
	t.is((await desk.inject('GET', `${PATH}/${requestID}`)).statusCode, 200, 'a sub-user sees those of its account');
	t.is((await hotel.inject('DELETE', `${PATH}/${requestID}`)).statusCode, 200);
	for (const method of ['GET', 'DELETE'] as const)
		t.is((await hotel.inject(method, `${PATH}/${requestID}`)).statusCode, 404);
	t.is(await rooms.cardRequests.open(secretOf(url)), undefined);
});

test('an expired request is a 404, and its row says LinkExpired', async (t) => {
	const { rooms, hotel, ask } = await open(t);
	const { requestID, url } = (await ask({ ExpirationMinutes: 30 })).json();
	t.truthy(await rooms.cardRequests.open(secretOf(url)));
	rooms.clock.turn(30 * MINUTE_MS);
	t.is((await hotel.inject('GET', `${PATH}/${requestID}`)).statusCode, 404);
	t.is(await rooms.cardRequests.open(secretOf(url)), undefined);
	t.is(await rooms.cardRequests.expire(), 1);
	t.is(await rooms.cardRequests.expire(), 0);
	t.is((await rooms.database.knex('card_requests').first()).state, 'LinkExpired');
	rooms.clock.turn(91 * 24 * HOUR_MS);
	t.is(await rooms.cardRequests.purge(), 1);
	t.deepEqual(await rooms.database.knex('card_requests'), []);
});

const refusal = test.macro({
	title: (_, member, value) => `a body with ${member} ${JSON.stringify(value).slice(0, 60)} is refused`,
	async exec(t, member: string, value: unknown) {
		const { ask } = await open(t);
		const refused = await ask({ [member]: value });
		t.is(refused.statusCode, 400);
		t.true(refused.json().moreInfo.startsWith(`${member}: `), refused.body);
		t.false(refused.body.includes('4111111111111111'));
	},
});
test(refusal, 'RecipientEmail', 'marie@example.com\r\nBcc: all@example.com');
test(refusal, 'RecipientEmail', 'marie@example.com,other@example.com');
test(refusal, 'RecipientName', 'Marie 4111 1111 1111 1111');
test(refusal, 'RecipientName', 'Win now: https://evil.example/');
test(refusal, 'RecipientName', '<b>Marie</b>');
test(refusal, 'RecipientPhone', '4111111111111111');
test(refusal, 'CreatorReference', '4111111111111111');
test(refusal, 'Language', '../../etc/passwd');
test(refusal, 'Language', '<script>');
test(refusal, 'CardTypes', 'Visa,Monopoly');
test(refusal, 'ExpirationMinutes', 0);
test(refusal, 'ExpirationMinutes', 43_201);
test(refusal, 'RequireCvv', 'perhaps');
for (const url of [
	'https://evil.example/',
	'javascript:alert(1)',
	'//evil.example/',
	'http://hotel.example/',
	'https://u:p@hotel.example/',
]) {
	test(refusal, 'SuccessUrl', url);
}
test(refusal, 'FailureUrl', 'data:text/html,hello');

test('addresses of registered origins, and in the sandbox of the machine itself, are accepted', async (t) => {
	const { rooms, ask } = await open(t);
	await rooms.identity.origins.add('hotel', 'https://hotel.example', 'operator test');
	const made = await ask({ SuccessUrl: 'https://hotel.example/done?id=1', FailureUrl: 'http://localhost:3000/sorry' });
	t.is(made.statusCode, 201, made.body);
});

test('shapes §6.2: a CVV is asked for by the owner of a card who may keep CVVs', async (t) => {
	const { rooms, hotel, ask } = await open(t);
	const token = await storeCard(hotel);
	const made = await ask({ cardUri: `${TEST_BASE_URL}/api/payments/paycard/${token}` }, `${PATH}/cvv`);
	t.is(made.statusCode, 201, made.body);
	const opened = await rooms.cardRequests.open(secretOf(made.json().url));
	t.like(opened?.request, { kind: 'cvv', cardToken: token, lastDigits: '1111' });
	t.is((await ask({ cardUri: TOKEN }, `${PATH}/cvv`)).statusCode, 401);
	t.is((await ask({ cardUri: 'x' }, `${PATH}/cvv`)).statusCode, 400);
	t.is((await ask({}, `${PATH}/cvv`)).statusCode, 400);
	const plain = await rooms.createCaller('plain');
	const refused = await plain.inject('POST', `${PATH}/cvv`, json({ SenderID: 'plain', cardUri: token }));
	t.is(refused.statusCode, 401);
	t.is(refused.json().message, 'User is not authorized to handle bank cards');
	const merchant = await rooms.createCaller('merchant', { cvvRetention: true });
	await rooms.vault.associate(hotel.account.id, token as Token, merchant.account.id);
	const associated = await merchant.inject('POST', `${PATH}/cvv`, json({ SenderID: 'merchant', cardUri: token }));
	t.is(associated.statusCode, 401, 'only the owner may');
});

test('a link that asks for a CVV leads nowhere once its account may keep none', async (t) => {
	const { rooms, hotel, ask } = await open(t);
	const token = await storeCard(hotel);
	const card = await ask({});
	const cvv = await ask({ cardUri: token }, `${PATH}/cvv`);
	await rooms.identity.changes.setCvvRetention(hotel.account, 'operator test', false);
	rooms.clock.turn(60_000);
	t.is(await rooms.cardRequests.open(secretOf(cvv.json().url)), undefined);
	t.truthy(await rooms.cardRequests.open(secretOf(card.json().url)), 'one that asks for a card still works');
});

test('with an idempotency key the first link is returned again', async (t) => {
	const { hotel, rooms } = await open(t);
	const send = () => hotel.inject('POST', PATH, json({ SenderID: 'hotel' }, { 'idempotency-key': 'once' }));
	const [first, second] = [await send(), await send()];
	t.deepEqual(second.json(), first.json());
	t.is((await rooms.database.knex('card_requests')).length, 1);
});

test('neither the link nor the cardholder is in the database in clear, in the log or in the trail', async (t) => {
	const { rooms, ask } = await openWithMail(t);
	const { url } = (
		await ask({ RecipientName: 'Marie Dupont', RecipientEmail: 'marie@example.com', RecipientPhone: '+33 1 23 45' })
	).json();
	await rooms.mails.run();
	const tables = ['card_requests', 'mails', 'audit', 'idempotency_keys'];
	const rows = JSON.stringify(await Promise.all(tables.map((table) => rooms.database.knex(table))), (_, value) =>
		value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
	);
	for (const text of ['Marie', 'marie@example.com', '+33', secretOf(url)]) {
		t.false(rows.includes(text), text);
		t.false(rooms.logText().includes(text), text);
	}
});

for (const dialect of databases) {
	test(`a mail is sent, and the states follow it (${dialect})`, async (t) => {
		const { server, rooms, ask, status } = await openWithMail(t, {}, dialect);
		await rooms.mails.run();
		const asked = await ask({ RecipientName: 'Marie', RecipientEmail: 'marie@example.com', Language: 'de-AT' });
		const { requestID, url } = asked.json();
		const got = await server.wait(1);
		await rooms.mails.run();
		t.is(await status(requestID), 'MessageSent');
		t.deepEqual(got.to, ['marie@example.com']);
		t.true(got.text.includes(url));
		t.true(got.html.includes(`href="${url}"`));
		t.regex(got.text, /^Guten Tag "Marie",/);
		t.is(got.headers['content-language'], 'de');
		const opened = await rooms.cardRequests.open(secretOf(url));
		t.is(opened?.request.id, requestID);
		t.is(await status(requestID), 'FormViewed');
		await rooms.cardRequests.noteFailure(requestID);
		t.is(await status(requestID), 'StoreFailed');
		t.truthy(await rooms.cardRequests.open(secretOf(url)), 'the cardholder may try again');
	});

	test(`a mail that is refused makes MessageFailed, and the link still works (${dialect})`, async (t) => {
		const { server, rooms, ask, status } = await openWithMail(t, {}, dialect);
		server.refuse(550);
		const { requestID, url } = (await ask({ RecipientEmail: 'nobody@example.com' })).json();
		await rooms.mails.run();
		t.is(await status(requestID), 'MessageFailed');
		t.truthy(await rooms.cardRequests.open(secretOf(url)));
	});

	test(`of two answers at the same moment exactly one wins (${dialect})`, async (t) => {
		const { rooms, hotel, ask } = await open(t, {}, dialect);
		const { requestID } = (await ask()).json();
		const complete = async () => {
			const completeIn = await rooms.cardRequests.prepareCompletion(requestID);
			return transactPlainly(rooms.database, (transaction) => completeIn(TOKEN, transaction));
		};
		const won = await Promise.all(Array.from({ length: 8 }, complete));
		t.is(won.filter(Boolean).length, 1);
		t.is((await hotel.inject('GET', `${PATH}/${requestID}`)).statusCode, 404, 'completed');
		t.like(await rooms.database.knex('card_requests').first(), { state: 'CardStored', result_token: TOKEN });
	});

	test(`a cardholder who has not answered is reminded once (${dialect})`, async (t) => {
		const { server, rooms, ask } = await openWithMail(t, { cardRequests: { reminderHours: 24 } }, dialect);
		const { requestID, url } = (await ask({ RecipientEmail: 'marie@example.com' })).json();
		await server.wait(1);
		await rooms.mails.run();
		const ended = (await ask({ RecipientEmail: 'other@example.com' })).json();
		await server.wait(2);
		await rooms.mails.run();
		const completeIn = await rooms.cardRequests.prepareCompletion(ended.requestID);
		await transactPlainly(rooms.database, (transaction) => completeIn(TOKEN, transaction));
		rooms.clock.turn(23 * HOUR_MS);
		t.is(await rooms.cardRequests.remind(), 0);
		rooms.clock.turn(HOUR_MS);
		const both = await Promise.all([rooms.cardRequests.remind(), rooms.cardRequests.remind()]);
		t.is(both[0] + both[1], 1);
		const got = await server.wait(3);
		t.deepEqual(got.to, ['marie@example.com']);
		t.true(got.text.includes(url));
		t.true(got.subject.startsWith('Reminder'));
		rooms.clock.turn(24 * HOUR_MS);
		t.is(await rooms.cardRequests.remind(), 0);
		t.truthy(requestID);
	});
}

test('a cancelled request takes its waiting mail with it', async (t) => {
	const { server, rooms, hotel, ask } = await openWithMail(t);
	server.refuse(451);
	const { requestID } = (await ask({ RecipientEmail: 'marie@example.com' })).json();
	await rooms.mails.run();
	t.is((await rooms.database.knex('mails')).length, 1);
	await hotel.inject('DELETE', `${PATH}/${requestID}`);
	t.deepEqual(await rooms.database.knex('mails'), []);
});

test('a request whose row was changed, or whose API key was revoked, does not open', async (t) => {
	const { rooms, ask, hotel } = await open(t);
	const stranger = await rooms.createCaller('stranger');
	const first = (await ask()).json();
	await rooms.database.knex('card_requests').update({ owner_id: stranger.account.id });
	t.is(await rooms.cardRequests.open(secretOf(first.url)), undefined, 'the card would go to another account');
	const second = (await ask()).json();
	await rooms.identity.apiKeys.revoke(hotel.account, 'operator test');
	t.is(await rooms.cardRequests.open(secretOf(second.url)), undefined);
});

test('a link works after the key of its hash was replaced, and that key is kept for it', async (t) => {
	const { rooms, hotel, ask } = await open(t);
	const { requestID, url } = await (await ask()).json();
	const { id } = await rooms.keyRing.current('credential');
	rooms.clock.turn(1);
	await rooms.keyRing.rotate('credential');
	t.is((await rooms.cardRequests.open(secretOf(url)))?.request.id, requestID);
	const held = async () => (await countSealed({ ...rooms, blobs: diskBlobStore(makeFolder(t)) })).get(id);
	const before = await held();
	await hotel.inject('DELETE', `${PATH}/${requestID}`);
	t.is(((await held()) ?? 0) + 1, before!);
});

test('the mail has the style of the account', async (t) => {
	const { server, rooms, ask } = await openWithMail(t);
	const account = await rooms.identity.accounts.get('hotel');
	await openMailStyles(rooms).set(
		{ accountId: account.id, userId: 'hotel' },
		{
			...{ fromName: 'Hôtel & Söhne', fromAddress: 'desk@hotel.example', replyTo: 'answers@hotel.example' },
			...{ logoUrl: 'https://hotel.example/logo.png', colour: '#ffee00' },
		},
		'operator test',
	);
	await ask({ RecipientEmail: 'marie@example.com', RecipientName: "O'Neil & Co" });
	const got = await server.wait(1);
	t.is(got.from, 'desk@hotel.example');
	t.is(got.headers['reply-to'], 'answers@hotel.example');
	t.true(got.html.includes('Hôtel &amp; Söhne'));
	t.true(got.html.includes('O&#39;Neil &amp; Co'));
	t.true(got.html.includes('src="https://hotel.example/logo.png"'));
	t.true(got.html.includes('color:#000000;background:#ffee00'), 'black on yellow');
});

test('what sender and recipient are called stands in the mail as their words, without links', async (t) => {
	const { server, rooms, ask, hotel } = await openWithMail(t);
	const name = 'Marie, your account is closed: see evil.example/x”, evil@evil.example';
	const style = { fromName: 'Your bank, www.evil.example' };
	await openMailStyles(rooms).set({ accountId: hotel.account.id, userId: 'hotel' }, style, 'test');
	t.is((await ask({ RecipientName: name, RecipientEmail: 'marie@example.com' })).statusCode, 201);
	await rooms.mails.run();
	const got = await server.wait(1);
	t.is(got.subject, '"Your bank," asks for your card details');
	t.regex(got.text, /^Hello "Marie, your account is closed: see evil\. example\/x , evil e…",/);
	t.true(got.text.includes('Words in quotation marks were written by the sender, not by us.'));
	t.true(got.html.includes('Words in quotation marks were written by the sender, not by us.'));
	t.notRegex(got.headers.to + got.subject + got.text + got.html, /evil\.example/);
});

test('an account that has sent enough mails is refused, and nothing is made', async (t) => {
	const { rooms, ask, hotel } = await openWithMail(t, { mail: { maxPerRecipient: 2, maxPerAccount: 3 } });
	const desk = await rooms.createCaller('desk', { kind: 'sub-user', parent: 'hotel' });
	const RecipientEmail = 'marie@example.com';
	t.is((await ask({ RecipientEmail })).statusCode, 201);
	const asDesk = { SenderID: 'desk', RecipientEmail };
	t.is((await desk.inject('POST', PATH, json(asDesk))).statusCode, 201);
	const refused = await ask({ RecipientEmail: 'Marie@example.com' });
	t.is(refused.statusCode, 403);
	t.like(refused.json(), {
		code: -1003,
		message: 'mail.maxPerRecipient: the account may send 2 mails to a recipient in a day',
	});
	t.is((await ask({ RecipientEmail: 'b@example.com' })).statusCode, 201);
	const full = await desk.inject('POST', PATH, json({ ...asDesk, RecipientEmail: 'c@example.com' }));
	t.is(full.json().message, 'mail.maxPerAccount: the account may send 3 mails in a day');
	t.is((await rooms.database.knex('card_requests')).length, 3);
	t.is((await ask()).statusCode, 201, 'without a mail there is no limit');
	const token = await storeCard(hotel);
	const view = await hotel.inject(
		'POST',
		'/api/card-view-request/initView',
		json({ cardToken: token, email: RecipientEmail }),
	);
	t.is(view.statusCode, 403, view.payload);
	t.is((await rooms.database.knex('card_views')).length, 0);
	const other = await rooms.createCaller('other');
	t.is((await other.inject('POST', PATH, json({ SenderID: 'other', RecipientEmail }))).statusCode, 201);
	rooms.clock.turn(24 * HOUR_MS);
	t.is((await ask({ RecipientEmail })).statusCode, 201);
});
