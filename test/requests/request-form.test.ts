// Tests what a cardholder does with the link of a card request, without a browser: page, form and answer (spec §3.6,
// shapes §6).

import test, { type ExecutionContext } from 'ava';
import type { Dialect } from '../../src/base/database/dialect.ts';
import { asJson, json, postCard, storeCard } from '../helpers/card-calls.ts';
import { databases } from '../helpers/database.ts';
import { CVV_FORM, submitForm, TYPED } from '../helpers/form-calls.ts';
import { type HttpAppOptions, openHttpApp, TEST_BASE_URL } from '../helpers/http-app.ts';
import { MINUTE_MS } from '../helpers/identity-parts.ts';
import { startMailServer } from '../helpers/mail-server.ts';

const PATH = '/api/cardrequest';

async function open(t: ExecutionContext, dialect: Dialect = 'sqlite', options: HttpAppOptions = {}) {
	const parts = await openHttpApp(t, dialect, options);
	const hotel = await parts.createCaller('hotel', { cvvRetention: true });
	const ask = async (more: object = {}, path = PATH) => {
		const made = await hotel.inject('POST', path, json({ SenderID: 'hotel', ...more }));
		t.is(made.statusCode, 201, made.body);
		return made.json() as { requestID: string; url: string };
	};
	/** Opens a link and returns its page and the id of its form. */
	const view = async (url: string, headers: Record<string, string> = {}) => {
		const page = await parts.app.inject({ method: 'GET', url: url.replace(TEST_BASE_URL, ''), headers });
		return { page, id: /name="form" value="([^"]+)"/.exec(page.body)?.[1] ?? '' };
	};
	const status = (id: string) => hotel.inject('GET', `${PATH}/${id}`, asJson);
	const cards = async (reference: string) =>
		(await hotel.inject('GET', `/api/payments/paycard/meta?ref=${reference}`, asJson)).json() as Record<
			string,
			unknown
		>[];
	return { parts, hotel, ask, view, status, cards };
}

for (const dialect of databases) {
	test(`a cardholder opens the link, enters a card, and the sender finds it by the reference (${dialect})`, async (t) => {
		const { parts, ask, view, status, cards } = await open(t, dialect);
		const { requestID, url } = await ask({ CreatorReference: 'booking-7', Language: 'de', RequireCvv: true });
		const { page, id } = await view(url);
		t.is(page.statusCode, 200);
		t.regex(page.body, /<html lang="de"/);
		t.true(page.body.includes('hotel'));
		t.true(page.body.includes('booking-7'));
		t.is(page.headers['x-frame-options'], 'DENY');
		t.is((await status(requestID)).json().Status, 'FormViewed');
		t.is((await submitForm(parts, { id }, { ...TYPED, cvv: '' })).statusCode, 400);
		const stored = await submitForm(parts, { id });
		t.is(stored.statusCode, 200, stored.body);
		const [found, ...more] = await cards('booking-7');
		t.deepEqual(more, []);
		t.like(found, { LastDigits: '1111', CvvExists: true, UserID: 'hotel', OwnerName: 'MARIE DUPONT' });
		t.is((await status(requestID)).statusCode, 404, 'completed (spec §3.6)');
		t.like(await parts.database.knex('card_requests').first(), {
			state: 'CardStored',
			result_token: stored.json().cardToken,
		});
		t.is((await view(url)).page.statusCode, 404);
		t.is((await submitForm(parts, { id })).json().cardToken, stored.json().cardToken, 'sent again after a lost answer');
	});

	test(`a request answered twice at the same moment: one card is stored (${dialect})`, async (t) => {
		const { parts, ask, view, cards } = await open(t, dialect);
		const { requestID, url } = await ask();
		const pages = await Promise.all(Array.from({ length: 4 }, () => view(url)));
		const answers = await Promise.all(pages.map(({ id }) => submitForm(parts, { id })));
		t.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, 401, 401, 401]);
		t.is((await cards(requestID)).length, 1);
		const [{ cards: live }] = await parts.database.knex('pages').sum('live as cards');
		t.is(Number(live), 1, 'nothing else was stored either');
	});

	test(`a CVV is added to the card that is there, and the token stays (${dialect})`, async (t) => {
		const { parts, hotel, ask, view, status } = await open(t, dialect);
		const token = await storeCard(hotel);
		const { requestID, url } = await ask({ cardUri: token }, `${PATH}/cvv`);
		const opened = await Promise.all([view(url), view(url)]);
		t.true(opened[0].page.body.includes('•••• 1111'));
		t.false(opened[0].page.body.includes('name="cardNumber"'));
		const answers = await Promise.all(
			opened.map(({ id }) => submitForm(parts, { id, path: CVV_FORM }, { cvv: '737' })),
		);
		t.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, 401]);
		t.is(answers.find(({ statusCode }) => statusCode === 200)!.json().cardToken, token);
		t.true((await hotel.inject('GET', `/api/payments/paycard/${token}/meta`, asJson)).json().CvvExists);
		t.is((await status(requestID)).statusCode, 404);
	});
}

test('a form that was left open past the end of its link, or past a cancellation, stores nothing', async (t) => {
	const { parts, hotel, ask, view, cards } = await open(t);
	const late = await ask({ ExpirationMinutes: 10 });
	const opened = await view(late.url);
	parts.clock.turn(10 * MINUTE_MS);
	t.is((await submitForm(parts, { id: opened.id })).statusCode, 401);
	const cancelled = await ask();
	const second = await view(cancelled.url);
	await hotel.inject('DELETE', `${PATH}/${cancelled.requestID}`);
	t.is((await submitForm(parts, { id: second.id })).statusCode, 401);
	t.deepEqual([...(await cards(late.requestID)), ...(await cards(cancelled.requestID))], []);
	const plain = await submitForm(parts, { id: second.id, isPlain: true });
	t.is(plain.statusCode, 401);
	t.true(plain.body.includes('Please ask for a new link'));
});

test('a card that cannot be stored makes StoreFailed, and the cardholder may try again', async (t) => {
	const { parts, ask, view, status, hotel } = await open(t);
	const { requestID, url } = await ask();
	const { id } = await view(url);
	await parts.database.knex.schema.renameTable('pages', 'pages_gone');
	t.true((await submitForm(parts, { id })).statusCode >= 500);
	await parts.database.knex.schema.renameTable('pages_gone', 'pages');
	t.is((await status(requestID)).json().Status, 'StoreFailed');
	t.is((await submitForm(parts, { id })).statusCode, 200);
	t.is((await status(requestID)).statusCode, 404);

	const second = await ask();
	const blocked = await view(second.url);
	await parts.identity.changes.setAllowance(hotel.account, 'operator test', 1);
	// Stores two cards, because the unit of the first card may have been counted before there was a limit.
	await postCard(hotel);
	await postCard(hotel);
	t.is((await submitForm(parts, { id: blocked.id })).statusCode, 403, 'the allowance is used up');
	t.is((await status(second.requestID)).json().Status, 'StoreFailed');
});

test('only accepted card types are taken', async (t) => {
	const { parts, ask, view } = await open(t);
	const { url } = await ask({ CardTypes: 'mastercard, AMEX' });
	const { id } = await view(url);
	const refused = await submitForm(parts, { id });
	t.is(refused.statusCode, 400);
	t.true('cardNumber' in refused.json().errors);
	t.is((await submitForm(parts, { id }, { ...TYPED, cardNumber: '5555 5555 5555 4444' })).statusCode, 200);
});

test('without CVV retention no CVV is asked for, and none can be required', async (t) => {
	const { parts, view } = await open(t);
	const plain = await parts.createCaller('plain');
	const made = await plain.inject('POST', PATH, json({ SenderID: 'plain' }));
	t.false((await view(made.json().url)).page.body.includes('name="cvv"'));
	const refused = await plain.inject('POST', PATH, json({ SenderID: 'plain', RequireCvv: true }));
	t.is(refused.statusCode, 401);
	t.is(refused.json().message, 'User is not authorized to handle bank cards');
});

test('links that are no links are a page that says so, in the language of the browser', async (t) => {
	const { ask, view } = await open(t);
	const { url } = await ask();
	for (const other of [
		`${url}x`,
		url.slice(0, -1),
		`${TEST_BASE_URL}/cardrequest/cr_${'A'.repeat(43)}`,
		`${TEST_BASE_URL}/cardrequest/%00`,
	]) {
		const { page } = await view(other, { 'accept-language': 'de' });
		t.is(page.statusCode, 404);
		t.is(page.headers['content-type'], 'text/html; charset=utf-8');
		t.is(page.headers['cache-control'], 'no-store');
		t.true(page.body.includes('Bitte'), page.body);
	}
});

test('hostile names, references and styles do not become markup', async (t) => {
	const { parts, ask, view } = await open(t);
	const attack = '"><script>alert(1)</script>';
	const { openMailStyles } = await import('../../src/work/cardholders/requests/mail-style.ts');
	const account = await parts.identity.accounts.get('hotel');
	await parts.database.knex('mail_styles').insert({ account_id: account.id, from_name: attack, updated_at: 0 });
	t.is((await openMailStyles(parts).find(account.id)).fromName, attack);
	const css = `</style><script>alert(1)</script> input[value^="4"]{background:url(https://evil.example/4)} .tokendrop h1{color:red}`;
	const { url } = await ask({ CreatorReference: attack, Css: css });
	const { page } = await view(url);
	t.false(page.body.includes('<script>alert'));
	t.false(page.body.includes('evil.example'));
	t.is((page.body.match(/<script/g) ?? []).length, 2, 'our own');
});

test('a style sheet that exceeds a limit is refused with its reason, and one that was stored before is left out', async (t) => {
	const { parts, hotel, ask, view } = await open(t);
	const css = `p${':not('.repeat(1000)}`;
	const refused = await hotel.inject('POST', PATH, { ...json({ SenderID: 'hotel', Css: css }), ...asJson });
	t.is(refused.statusCode, 400);
	t.is(
		(await hotel.inject('POST', PATH, json({ SenderID: 'hotel', Css: css }))).json().moreInfo,
		'Css: nested deeper than 16',
	);
	const account = await parts.identity.accounts.get('hotel');
	await parts.database.knex('form_styles').insert({ account_id: account.id, name: 'default', css, changed_at: 0 });
	const { page } = await view((await ask()).url);
	t.is(page.statusCode, 200);
	t.false(page.body.includes(':not'));
});

test('one link stores twenty forms at most, and the last one can be submitted', async (t) => {
	const { parts, ask, view } = await open(t);
	const { url } = await ask();
	let last = '';
	for (let n = 0; n < 40; n++) last = (await view(url)).id;
	const [{ count }] = await parts.database.knex('card_forms').count({ count: '*' });
	t.is(Number(count), 20);
	t.is((await submitForm(parts, { id: last })).statusCode, 200);
});

test('a mail that waits is not sent once the card is there', async (t) => {
	const server = await startMailServer(t);
	server.refuse(451);
	const mail = { host: server.host, port: server.port, tls: 'none', from: 'cards@vault.example' } as const;
	const { parts, ask, view } = await open(t, 'sqlite', { mail });
	const { url } = await ask({ RecipientEmail: 'marie@example.com' });
	await parts.mails.run();
	t.is((await parts.database.knex('mails')).length, 1);
	t.is((await submitForm(parts, { id: (await view(url)).id })).statusCode, 200);
	t.deepEqual(await parts.database.knex('mails'), []);
});

test('success addresses of a request are followed', async (t) => {
	const { parts, ask, view } = await open(t);
	await parts.identity.origins.add('hotel', 'https://hotel.example', 'operator test');
	const { url } = await ask({ SuccessUrl: 'https://hotel.example/done?card={cardNumber}' });
	const { page, id } = await view(url);
	t.regex(String(page.headers['content-security-policy']), /form-action 'self' https:\/\/hotel\.example/);
	t.is((await submitForm(parts, { id })).json().next, 'https://hotel.example/done?card=411111******1111');
});
