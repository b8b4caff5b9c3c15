// Tests card requests over HTTP, up to the page of the cardholder (spec §2.6, §3.6, §5.4.4, §7.4.9, shapes §6).

import test from 'ava';
import { diskBlobStore } from '../../src/base/blobs/disk.ts';
import { transactPlainly } from '../../src/base/database/plain-transaction.ts';
import { countSealed } from '../../src/installation/keys/key-counts.ts';
import type { Token } from '../../src/vault/tokens/token.ts';
import { openMailStyles } from '../../src/work/cardholders/requests/mail-style.ts';
import { json, storeCard } from '../helpers/card-calls.ts';
import { databases } from '../helpers/database.ts';
import { makeFolder } from '../helpers/file-parts.ts';
import { TEST_BASE_URL } from '../helpers/http-app.ts';
import { HOUR_MS } from '../helpers/identity-parts.ts';
import { open, openWithMail, PATH, refusal, secretOf, TOKEN } from './card-requests.setup.ts';

test(refusal, 'RecipientEmail', 'marie@example.com\r\nBcc: all@example.com');
test(refusal, 'RecipientEmail', 'marie@example.com,other@example.com');
test(refusal, 'RecipientName', 'Marie 4111 1111 1111 1111');
test(refusal, 'RecipientName', 'Win now: https://evil.example/');
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
	const { parts, ask } = await open(t);
	await parts.identity.origins.add('hotel', 'https://hotel.example', 'operator test');
	const made = await ask({ SuccessUrl: 'https://hotel.example/done?id=1', FailureUrl: 'http://localhost:3000/sorry' });
	t.is(made.statusCode, 201, made.body);
});

test('shapes §6.2: a CVV is asked for by the owner of a card who may keep CVVs', async (t) => {
	const { parts, hotel, ask } = await open(t);
	const token = await storeCard(hotel);
	const made = await ask({ cardUri: `${TEST_BASE_URL}/api/payments/paycard/${token}` }, `${PATH}/cvv`);
	t.is(made.statusCode, 201, made.body);
	const opened = await parts.cardRequests.open(secretOf(made.json().url));
	t.like(opened?.request, { kind: 'cvv', cardToken: token, lastDigits: '1111' });
	t.is((await ask({ cardUri: TOKEN }, `${PATH}/cvv`)).statusCode, 401);
	t.is((await ask({ cardUri: 'x' }, `${PATH}/cvv`)).statusCode, 400);
	t.is((await ask({}, `${PATH}/cvv`)).statusCode, 400);
	const plain = await parts.createCaller('plain');
	const refused = await plain.inject('POST', `${PATH}/cvv`, json({ SenderID: 'plain', cardUri: token }));
	t.is(refused.statusCode, 401);
	t.is(refused.json().message, 'User is not authorized to handle bank cards');
	const merchant = await parts.createCaller('merchant', { cvvRetention: true });
	await parts.vault.associate(hotel.account.id, token as Token, merchant.account.id);
	const associated = await merchant.inject('POST', `${PATH}/cvv`, json({ SenderID: 'merchant', cardUri: token }));
	t.is(associated.statusCode, 401, 'only the owner may');
});

test('a link that asks for a CVV leads nowhere once its account may keep none', async (t) => {
	const { parts, hotel, ask } = await open(t);
	const token = await storeCard(hotel);
	const card = await ask({});
	const cvv = await ask({ cardUri: token }, `${PATH}/cvv`);
	await parts.identity.changes.setCvvRetention(hotel.account, 'operator test', false);
	parts.clock.turn(60_000);
	t.is(await parts.cardRequests.open(secretOf(cvv.json().url)), undefined);
	t.truthy(await parts.cardRequests.open(secretOf(card.json().url)), 'one that asks for a card still works');
});

test('with an idempotency key the first link is returned again', async (t) => {
	const { hotel, parts } = await open(t);
	const send = () => hotel.inject('POST', PATH, json({ SenderID: 'hotel' }, { 'idempotency-key': 'once' }));
	const [first, second] = [await send(), await send()];
	t.deepEqual(second.json(), first.json());
	t.is((await parts.database.knex('card_requests')).length, 1);
});

for (const dialect of databases) {
	test(`of two answers at the same moment exactly one wins (${dialect})`, async (t) => {
		const { parts, hotel, ask } = await open(t, {}, dialect);
		const { requestID } = (await ask()).json();
		const complete = async () => {
			const completeIn = await parts.cardRequests.prepareCompletion(requestID);
			return transactPlainly(parts.database, (transaction) => completeIn(TOKEN, transaction));
		};
		const won = await Promise.all(Array.from({ length: 8 }, complete));
		t.is(won.filter(Boolean).length, 1);
		t.is((await hotel.inject('GET', `${PATH}/${requestID}`)).statusCode, 404, 'completed');
		t.like(await parts.database.knex('card_requests').first(), { state: 'CardStored', result_token: TOKEN });
	});
}

test('a request whose row was changed, or whose API key was revoked, does not open', async (t) => {
	const { parts, ask, hotel } = await open(t);
	const stranger = await parts.createCaller('stranger');
	const first = (await ask()).json();
	await parts.database.knex('card_requests').update({ owner_id: stranger.account.id });
	t.is(await parts.cardRequests.open(secretOf(first.url)), undefined, 'the card would go to another account');
	const second = (await ask()).json();
	await parts.identity.apiKeys.revoke(hotel.account, 'operator test');
	t.is(await parts.cardRequests.open(secretOf(second.url)), undefined);
});

test('a link works after the key of its hash was replaced, and that key is kept for it', async (t) => {
	const { parts, hotel, ask } = await open(t);
	const { requestID, url } = await (await ask()).json();
	const { id } = await parts.keyRing.current('credential');
	parts.clock.turn(1);
	await parts.keyRing.rotate('credential');
	t.is((await parts.cardRequests.open(secretOf(url)))?.request.id, requestID);
	const held = async () => (await countSealed({ ...parts, blobs: diskBlobStore(makeFolder(t)) })).get(id);
	const before = await held();
	await hotel.inject('DELETE', `${PATH}/${requestID}`);
	t.is(((await held()) ?? 0) + 1, before!);
});

test('what sender and recipient are called stands in the mail as their words, without links', async (t) => {
	const { server, parts, ask, hotel } = await openWithMail(t);
	const name = 'Marie, your account is closed: see evil.example/x”, evil@evil.example';
	const style = { fromName: 'Your bank, www.evil.example' };
	await openMailStyles(parts).set({ accountId: hotel.account.id, userId: 'hotel' }, style, 'test');
	t.is((await ask({ RecipientName: name, RecipientEmail: 'marie@example.com' })).statusCode, 201);
	await parts.mails.run();
	const got = await server.wait(1);
	t.is(got.subject, '"Your bank," asks for your card details');
	t.regex(got.text, /^Hello "Marie, your account is closed: see evil\. example\/x , evil e…",/);
	t.true(got.text.includes('Words in quotation marks were written by the sender, not by us.'));
	t.true(got.html.includes('Words in quotation marks were written by the sender, not by us.'));
	t.notRegex(got.headers.to + got.subject + got.text + got.html, /evil\.example/);
});

test('an account that has sent enough mails is refused, and nothing is made', async (t) => {
	const { parts, ask, hotel } = await openWithMail(t, { mail: { maxPerRecipient: 2, maxPerAccount: 3 } });
	const desk = await parts.createCaller('desk', { kind: 'sub-user', parent: 'hotel' });
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
	t.is((await parts.database.knex('card_requests')).length, 3);
	t.is((await ask()).statusCode, 201, 'without a mail there is no limit');
	const token = await storeCard(hotel);
	const view = await hotel.inject(
		'POST',
		'/api/card-view-request/initView',
		json({ cardToken: token, email: RecipientEmail }),
	);
	t.is(view.statusCode, 403, view.payload);
	t.is((await parts.database.knex('card_views')).length, 0);
	const other = await parts.createCaller('other');
	t.is((await other.inject('POST', PATH, json({ SenderID: 'other', RecipientEmail }))).statusCode, 201);
	parts.clock.turn(24 * HOUR_MS);
	t.is((await ask({ RecipientEmail })).statusCode, 201);
});
