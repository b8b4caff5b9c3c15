// Those tests of card-requests.test.ts that take long.

import test from 'ava';
import { transactPlainly } from '../../src/base/database/plain-transaction.ts';
import { openMailStyles } from '../../src/work/cardholders/requests/mail-style.ts';
import { asJson, json, xml } from '../helpers/card-calls.ts';
import { databases } from '../helpers/database.ts';
import { TEST_BASE_URL } from '../helpers/http-app.ts';
import { HOUR_MS, MINUTE_MS } from '../helpers/identity-parts.ts';
import { open, openWithMail, PATH, refusal, secretOf, TOKEN } from './card-requests.setup.ts';

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
	const { parts } = await open(t);
	const clerk = await parts.createCaller('clerk', { permissions: ['Tokenize', 'DisplayCard'] });
	const refused = await clerk.inject('POST', PATH, json({ SenderID: 'clerk' }));
	t.is(refused.statusCode, 403);
	t.is(refused.json().message, 'Permission CardRequest is required');
	for (const method of ['GET', 'DELETE'] as const) t.is((await clerk.inject(method, `${PATH}/x`)).statusCode, 403);
});

test('spec §7.4.9: a request of another account, one that is cancelled and one that never was are a 404', async (t) => {
	const { parts, hotel, ask } = await open(t);
	const { requestID, url } = (await ask()).json();
	const stranger = await parts.createCaller('stranger');
	for (const method of ['GET', 'DELETE'] as const) {
		const refused = await stranger.inject(method, `${PATH}/${requestID}`, asJson);
		t.is(refused.statusCode, 404);
		t.like(refused.json(), { code: -160, message: 'Uri not found' });
		t.is((await hotel.inject(method, `${PATH}/01kjpz8q4y6t3wxa7n5c2dme9r`)).statusCode, 404);
	}
	const desk = await parts.createCaller('desk', { kind: 'sub-user', parent: 'hotel' });
	t.is((await desk.inject('GET', `${PATH}/${requestID}`)).statusCode, 200, 'a sub-user sees those of its account');
	t.is((await hotel.inject('DELETE', `${PATH}/${requestID}`)).statusCode, 200);
	for (const method of ['GET', 'DELETE'] as const)
		t.is((await hotel.inject(method, `${PATH}/${requestID}`)).statusCode, 404);
	t.is(await parts.cardRequests.open(secretOf(url)), undefined);
});

test('an expired request is a 404, and its row says LinkExpired', async (t) => {
	const { parts, hotel, ask } = await open(t);
	const { requestID, url } = (await ask({ ExpirationMinutes: 30 })).json();
	t.truthy(await parts.cardRequests.open(secretOf(url)));
	parts.clock.turn(30 * MINUTE_MS);
	t.is((await hotel.inject('GET', `${PATH}/${requestID}`)).statusCode, 404);
	t.is(await parts.cardRequests.open(secretOf(url)), undefined);
	t.is(await parts.cardRequests.expire(), 1);
	t.is(await parts.cardRequests.expire(), 0);
	t.is((await parts.database.knex('card_requests').first()).state, 'LinkExpired');
	parts.clock.turn(91 * 24 * HOUR_MS);
	t.is(await parts.cardRequests.purge(), 1);
	t.deepEqual(await parts.database.knex('card_requests'), []);
});

test(refusal, 'RecipientName', '<b>Marie</b>');

test('neither the link nor the cardholder is in the database in clear, in the log or in the trail', async (t) => {
	const { parts, ask } = await openWithMail(t);
	const { url } = (
		await ask({ RecipientName: 'Marie Dupont', RecipientEmail: 'marie@example.com', RecipientPhone: '+33 1 23 45' })
	).json();
	await parts.mails.run();
	const tables = ['card_requests', 'mails', 'audit', 'idempotency_keys'];
	const rows = JSON.stringify(await Promise.all(tables.map((table) => parts.database.knex(table))), (_, value) =>
		value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
	);
	for (const text of ['Marie', 'marie@example.com', '+33', secretOf(url)]) {
		t.false(rows.includes(text), text);
		t.false(parts.logText().includes(text), text);
	}
});

for (const dialect of databases) {
	test(`a mail is sent, and the states follow it (${dialect})`, async (t) => {
		const { server, parts, ask, status } = await openWithMail(t, {}, dialect);
		await parts.mails.run();
		const asked = await ask({ RecipientName: 'Marie', RecipientEmail: 'marie@example.com', Language: 'de-AT' });
		const { requestID, url } = asked.json();
		const got = await server.wait(1);
		await parts.mails.run();
		t.is(await status(requestID), 'MessageSent');
		t.deepEqual(got.to, ['marie@example.com']);
		t.true(got.text.includes(url));
		t.true(got.html.includes(`href="${url}"`));
		t.regex(got.text, /^Guten Tag "Marie",/);
		t.is(got.headers['content-language'], 'de');
		const opened = await parts.cardRequests.open(secretOf(url));
		t.is(opened?.request.id, requestID);
		t.is(await status(requestID), 'FormViewed');
		await parts.cardRequests.noteFailure(requestID);
		t.is(await status(requestID), 'StoreFailed');
		t.truthy(await parts.cardRequests.open(secretOf(url)), 'the cardholder may try again');
	});

	test(`a mail that is refused makes MessageFailed, and the link still works (${dialect})`, async (t) => {
		const { server, parts, ask, status } = await openWithMail(t, {}, dialect);
		server.refuse(550);
		const { requestID, url } = (await ask({ RecipientEmail: 'nobody@example.com' })).json();
		await parts.mails.run();
		t.is(await status(requestID), 'MessageFailed');
		t.truthy(await parts.cardRequests.open(secretOf(url)));
	});

	test(`a cardholder who has not answered is reminded once (${dialect})`, async (t) => {
		const { server, parts, ask } = await openWithMail(t, { cardRequests: { reminderHours: 24 } }, dialect);
		const { requestID, url } = (await ask({ RecipientEmail: 'marie@example.com' })).json();
		await server.wait(1);
		await parts.mails.run();
		const ended = (await ask({ RecipientEmail: 'other@example.com' })).json();
		await server.wait(2);
		await parts.mails.run();
		const completeIn = await parts.cardRequests.prepareCompletion(ended.requestID);
		await transactPlainly(parts.database, (transaction) => completeIn(TOKEN, transaction));
		parts.clock.turn(23 * HOUR_MS);
		t.is(await parts.cardRequests.remind(), 0);
		parts.clock.turn(HOUR_MS);
		const both = await Promise.all([parts.cardRequests.remind(), parts.cardRequests.remind()]);
		t.is(both[0] + both[1], 1);
		const got = await server.wait(3);
		t.deepEqual(got.to, ['marie@example.com']);
		t.true(got.text.includes(url));
		t.true(got.subject.startsWith('Reminder'));
		parts.clock.turn(24 * HOUR_MS);
		t.is(await parts.cardRequests.remind(), 0);
		t.truthy(requestID);
	});
}

test('a cancelled request takes its waiting mail with it', async (t) => {
	const { server, parts, hotel, ask } = await openWithMail(t);
	server.refuse(451);
	const { requestID } = (await ask({ RecipientEmail: 'marie@example.com' })).json();
	await parts.mails.run();
	t.is((await parts.database.knex('mails')).length, 1);
	await hotel.inject('DELETE', `${PATH}/${requestID}`);
	t.deepEqual(await parts.database.knex('mails'), []);
});

test('the mail has the style of the account', async (t) => {
	const { server, parts, ask } = await openWithMail(t);
	const account = await parts.identity.accounts.get('hotel');
	await openMailStyles(parts).set(
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
