// Tests pages and links that show a card, without a browser (spec §1.4, §5.3, §7.2.4, §7.4.11, shapes §5.5, §5.6).

import test, { type ExecutionContext } from 'ava';
import type { Dialect } from '../../src/base/database/dialect.ts';
import type { Token } from '../../src/vault/tokens/token.ts';
import { openStyles } from '../../src/work/cardholders/forms/styles.ts';
import { asJson, json, storeCard, VISA } from '../helpers/card-calls.ts';
import { databases } from '../helpers/database.ts';
import { type HttpAppOptions, openHttpApp, TEST_BASE_URL } from '../helpers/http-app.ts';
import { MINUTE_MS } from '../helpers/identity-parts.ts';
import { startMailServer } from '../helpers/mail-server.ts';
import { standsAlone } from '../helpers/stands-alone.ts';

const INIT = '/api/card-view-request/initView';
const DISPLAY = '/api/payments/displaycard';

async function open(t: ExecutionContext, options: HttpAppOptions = {}, dialect: Dialect = 'sqlite') {
	const parts = await openHttpApp(t, dialect, options);
	const hotel = await parts.createCaller('hotel', { cvvRetention: true });
	const token = (await storeCard(hotel, '', { CVV: '737' })) as Token;
	const post = (url: string, body: object = {}) => {
		const path = url.replace(TEST_BASE_URL, '');
		return parts.app.inject({ method: 'POST', url: path, ...json(body) });
	};
	const trail = async (action = 'card.display') => {
		const rows = await parts.database.knex('audit').where({ action }).orderBy('seq');
		return rows.map(({ details }) => JSON.parse(details));
	};
	/** Opens the page, and returns it with the path under which its script asks for the number. */
	const display = async (query = '') => {
		const page = await hotel.inject('GET', `${DISPLAY}/${token}${query}`);
		t.is(page.statusCode, 200, page.body);
		return { page, path: /"numberPath":"([^"]+)\/number"/.exec(page.body)![1] };
	};
	const init = (more: object = {}) => hotel.inject('POST', INIT, json({ cardToken: token, ...more }));
	return { parts, hotel, token, post, trail, display, init };
}

for (const base of [DISPLAY, '/api/payments/paycard/displaycard']) {
	test(`shapes §5.5: ${base} answers a page without the number`, async (t) => {
		const { hotel, token, trail } = await open(t);
		const page = await hotel.inject('GET', `${base}/${token.toUpperCase()}?language=de`);
		t.is(page.statusCode, 200);
		t.is(page.headers['content-type'], 'text/html; charset=utf-8');
		t.is(page.headers['cache-control'], 'no-store');
		t.regex(String(page.headers['content-security-policy']), /script-src 'nonce-[\w-]+'/);
		t.true(page.body.includes('411111******1111'));
		t.false(page.body.includes(VISA));
		t.notRegex(page.body, standsAlone('737'));
		t.regex(page.body, /<html lang="de" dir="ltr">/);
		t.deepEqual(await trail(), [], 'the masked number is no view');
	});
}

test('the number comes after its entry in the trail is there, again and again until the page ends', async (t) => {
	const { parts, display, post, trail, token } = await open(t);
	const { path } = await display();
	for (const nth of [1, 2]) {
		const shown = await post(`${path}/number`);
		t.is(shown.statusCode, 200);
		t.is(shown.headers['cache-control'], 'no-store');
		t.deepEqual(shown.json(), { number: VISA, expiry: '04/2030', name: null, type: 'Visa' });
		t.is((await trail()).length, nth);
	}
	const [entry] = await parts.database.knex('audit').where({ action: 'card.display' });
	t.is(entry.subject, `token ${token}`);
	t.is(entry.actor, 'hotel');
	t.like(JSON.parse(entry.details), { by: 'page', shown: 'number', address: '127.0.0.1' });
	parts.clock.turn(5 * MINUTE_MS);
	t.is((await post(`${path}/number`)).statusCode, 404);
	t.is((await trail()).length, 2);
});

test('no number leaves if its entry cannot be written', async (t) => {
	const { parts, display, post } = await open(t);
	const { path } = await display('?showCvv=true');
	await parts.database.knex.schema.renameTable('audit', 'audit_gone');
	for (const what of ['number', 'cvv']) {
		const refused = await post(`${path}/${what}`);
		t.is(refused.statusCode, 500);
		t.false(refused.body.includes(VISA) || standsAlone('737').test(refused.body));
	}
	await parts.database.knex.schema.renameTable('audit_gone', 'audit');
});

test('the CVV comes only where it was asked for, counts as a use and is gone with the last one', async (t) => {
	const { parts, hotel, token, display, post, trail } = await open(t);
	const without = await display();
	t.is((await post(`${without.path}/cvv`)).statusCode, 404);
	const { page, path } = await display('?showCvv=true');
	t.true(page.body.includes('Uses left: 1'));
	const shown = await post(`${path}/cvv`);
	t.deepEqual(shown.json(), { cvv: '737', usesLeft: 0 });
	t.like((await trail())[0], { shown: 'cvv', by: 'page' });
	t.deepEqual((await post(`${path}/cvv`)).json(), { cvv: null, usesLeft: 0 });
	t.is((await trail()).length, 1);
	t.false((await hotel.inject('GET', `/api/payments/paycard/${token}/meta`, asJson)).json().CvvExists);
	const again = await display('?showCvv=true');
	t.true(again.page.body.includes('No security code is stored'));
	t.notRegex(parts.logText(), standsAlone('737'));
});

test('a CVV policy that names others does not allow the display, and one that names the owner does', async (t) => {
	const { hotel, token, display, post } = await open(t);
	const policy = (DestinationType: string, DestinationData: string) =>
		hotel.inject(
			'PUT',
			`/api/payments/paycard/${token}/cvvRetentionPolicy`,
			json({ CvvRetentionPolicyList: [{ DestinationType, DestinationData, Quota: 2 }] }),
		);
	t.is((await policy('HostName', 'pms.example')).statusCode, 200);
	const { path } = await display('?showCvv=true');
	t.deepEqual((await post(`${path}/cvv`)).json(), { cvv: null, usesLeft: 0 });
	t.is((await policy('Owner', 'hotel')).statusCode, 200);
	t.deepEqual((await post(`${path}/cvv`)).json(), { cvv: '737', usesLeft: 1 });
});

test('spec §7.4.11: a token that is no token, of nobody or of another account is the same 401', async (t) => {
	const { parts, hotel, token } = await open(t);
	const stranger = await parts.createCaller('stranger');
	const answers = await Promise.all([
		hotel.inject('GET', `${DISPLAY}/xyz`, asJson),
		hotel.inject('GET', `${DISPLAY}/${'0'.repeat(32)}`, asJson),
		stranger.inject('GET', `${DISPLAY}/${token}`, asJson),
		hotel.inject('GET', `${DISPLAY}/%3Cscript%3E`, asJson),
	]);
	for (const { statusCode, body } of answers) {
		t.is(statusCode, 401);
		t.is(body, answers[0].body);
		t.is(JSON.parse(body).code, -1003);
	}
});

test('a token of another kind of record is a 404', async (t) => {
	const { hotel } = await open(t);
	const { Token: block } = (await hotel.inject('POST', '/api/datablocks', json({ Payload: 'x' }))).json();
	t.is((await hotel.inject('GET', `${DISPLAY}/${block}`)).statusCode, 404);
	t.is((await hotel.inject('POST', INIT, json({ cardToken: block }))).statusCode, 404);
});

test('the permission DisplayCard is needed, also later', async (t) => {
	const { parts, hotel, token, display, post, init } = await open(t);
	const clerk = await parts.createCaller('clerk', { permissions: ['Tokenize', 'CardRequest'] });
	for (const refused of [
		await clerk.inject('GET', `${DISPLAY}/${token}`, asJson),
		await clerk.inject('POST', INIT, json({ cardToken: token })),
	]) {
		t.is(refused.statusCode, 403);
		t.is(refused.json().message, 'Permission DisplayCard is required');
	}
	const { path } = await display();
	const { url, code } = (await init()).json();
	await parts.identity.apiKeys.revoke(hotel.account, 'operator test');
	t.is((await post(`${path}/number`)).statusCode, 404);
	t.is((await post(`${url}/number`, { code })).statusCode, 404);
});

test('a page opened with an access token or a session token shows the number after that is spent', async (t) => {
	const { parts, hotel, token, post } = await open(t);
	const { body: session } = await hotel.inject('POST', '/api/payments/paycard/tempsession');
	const page = await parts.app.inject({ method: 'GET', url: `${DISPLAY}/${token}?sessionToken=${session}` });
	t.is(page.statusCode, 200);
	t.false(page.body.includes(session), 'the credential is not in the page');
	parts.clock.turn(4 * MINUTE_MS + 59_000);
	const path = /"numberPath":"([^"]+)"/.exec(page.body)![1];
	t.is((await post(path)).json().number, VISA);
});

test('frames: the registered origins may show the page, and messages go to one of them only', async (t) => {
	const { parts, hotel, token, display } = await open(t);
	await parts.identity.origins.add('hotel', 'https://desk.example', 'operator test');
	const { page } = await display('?postMessageHost=https://desk.example');
	t.regex(String(page.headers['content-security-policy']), /frame-ancestors https:\/\/desk\.example/);
	t.false('x-frame-options' in page.headers);
	t.true(page.body.includes('"messageOrigin":"https://desk.example"'));
	for (const other of ['https://evil.example', 'javascript:alert(1)', '//desk.example', '*']) {
		const refused = await hotel.inject(
			'GET',
			`${DISPLAY}/${token}?postMessageHost=${encodeURIComponent(other)}`,
			asJson,
		);
		t.is(refused.statusCode, 400, other);
		t.true(refused.json().moreInfo.startsWith('postMessageHost: '));
	}
});

test('hostile parameters: nothing of them becomes markup, script or a style that loads something', async (t) => {
	const { hotel, token } = await open(t);
	const attacks = [
		'<script>alert(1)</script>',
		'"><img src=x onerror=alert(1)>',
		'</style><script>alert(1)</script>',
		"';alert(1)//",
	];
	for (const name of ['language', 'css', 'formNonce', 'displayMode', 'brand', 'showCvv']) {
		for (const attack of attacks) {
			const { body, statusCode, headers } = await hotel.inject(
				'GET',
				`${DISPLAY}/${token}?${name}=${encodeURIComponent(attack)}`,
			);
			if (statusCode === 400) continue;
			t.is(statusCode, 200);
			t.false(body.includes('alert(1)'), `${name} ${attack}`);
			t.is(headers['content-type'], 'text/html; charset=utf-8');
		}
	}
	const css =
		'#number{background:url(https://evil.example/x)} @import "https://evil.example/y"; input[value^="1"]{color:red} #number{color:green}';
	const { body } = await hotel.inject('GET', `${DISPLAY}/${token}?css=${encodeURIComponent(css)}`);
	t.false(body.includes('evil.example'));
	t.true(body.includes('.tokendrop #number{color:green}'));
});

test('a page has the default style of its account, or the one that the parameter brand names', async (t) => {
	const { parts, hotel, token, display } = await open(t);
	const styles = openStyles({ ...parts, accounts: parts.identity.accounts });
	await styles.set('hotel', { name: 'default', css: '#number { color: teal }' }, 'operator test');
	await styles.set('hotel', { name: 'night', css: '#number { color: navy }' }, 'operator test');
	t.true((await display('')).page.body.includes('.tokendrop #number{color:teal}'));
	const night = (await display('?brand=night')).page.body;
	t.true(night.includes('.tokendrop #number{color:navy}'));
	t.false(night.includes('teal'));
	const refused = await hotel.inject('GET', `${DISPLAY}/${token}?brand=day`, asJson);
	t.is(refused.statusCode, 400);
	t.is(refused.json().moreInfo, 'brand: the account has no style of this name');
});

test('shapes §5.6: all invalid fields are listed at once', async (t) => {
	const { hotel } = await open(t);
	const refused = await hotel.inject(
		'POST',
		INIT,
		json({ cardToken: 'x', email: 'nobody', phoneNumber: 'call me', viewerName: '<b>', ttl: 0, language: '../x' }),
	);
	t.is(refused.statusCode, 400);
	t.deepEqual(Object.keys(refused.json().errors).sort(), [
		'cardToken',
		'email',
		'language',
		'phoneNumber',
		'ttl',
		'viewerName',
	]);
	t.is((await hotel.inject('POST', INIT, json('{'))).json().errors.body.length, 1);
	t.is((await hotel.inject('POST', INIT, json({}))).json().errors.cardToken[0], 'is required');
});

test('a link of another account: its token is not found, and its view stays the account’s', async (t) => {
	const { parts, token, init, post } = await open(t);
	const stranger = await parts.createCaller('stranger');
	const refused = await stranger.inject('POST', INIT, json({ cardToken: token }));
	t.is(refused.statusCode, 401);
	t.is(refused.json().code, -1003);
	const { url, code } = (await init()).json();
	await parts.database.knex('card_views').update({ owner_id: stranger.account.id });
	t.is((await post(`${url}/number`, { code })).statusCode, 404, 'a row that was changed does not count');
});

test('a link without mail server is returned with its code, shows the card once, and only with the code', async (t) => {
	const { parts, init, post, trail } = await open(t);
	const made = await init({ ttl: 30 });
	t.is(made.statusCode, 200);
	t.is(made.headers['cache-control'], 'no-store');
	const { viewID, url, code, expirationDate } = made.json();
	t.regex(url, /^https:\/\/vault\.example\/cardview\/cv_[\w-]{43}$/);
	t.regex(code, /^\d{6}$/);
	t.is(Date.parse(expirationDate) - parts.clock.now().getTime(), 30 * MINUTE_MS);
	const page = await parts.app.inject({ method: 'GET', url: url.replace(TEST_BASE_URL, '') });
	t.is(page.statusCode, 200);
	t.false(/4111|1111/.test(page.body.replaceAll(viewID, '')), 'nothing of the card before the code');
	t.is(page.headers['x-frame-options'], 'DENY');
	t.is((await post(`${url}/cvv`)).statusCode, 404);
	t.deepEqual((await post(`${url}/number`)).json(), { triesLeft: 4 });
	const shown = await post(`${url}/number`, { code: ` ${code.slice(0, 3)} ${code.slice(3)} ` });
	t.is(shown.json().number, VISA);
	t.like((await trail())[0], { view: viewID, by: 'link', shown: 'number' });
	t.is((await post(`${url}/number`, { code })).statusCode, 404);
	t.is((await parts.app.inject({ method: 'GET', url: url.replace(TEST_BASE_URL, '') })).statusCode, 404);
	t.is((await trail()).length, 1);
});

// The double-struck digits come directly after the bold ones, without another character between the two rows, so their
// values are only right if both rows are told apart.
for (const [script, zero] of [
	['Arabic', 0x0660],
	['double-struck', 0x1d7d8],
] as const) {
	test(`digits of any script are read (${script})`, async (t) => {
		const { init, post } = await open(t);
		const { url, code } = (await init()).json();
		const typed = [...code].map((digit) => String.fromCodePoint(zero + Number(digit))).join('');
		t.is((await post(`${url}/number`, { code: typed })).json().number, VISA);
	});
}

for (const dialect of databases) {
	test(`a code is guessed: after five tries the link is dead, also for the right code (${dialect})`, async (t) => {
		const { parts, init, post, trail } = await open(t, {}, dialect);
		const { url, code } = (await init()).json();
		const wrong = (nth: number) => String((Number(code) + nth) % 1_000_000).padStart(6, '0');
		const tries = await Promise.all(
			Array.from({ length: 12 }, (_, nth) => post(`${url}/number`, { code: wrong(nth + 1) })),
		);
		t.is(tries.filter(({ statusCode }) => statusCode === 400).length, 5, 'tries at the same moment all count');
		t.is(tries.filter(({ statusCode }) => statusCode === 404).length, 7);
		t.is((await post(`${url}/number`, { code })).statusCode, 404);
		t.is((await trail('card-view.lock')).length, 1);
		t.deepEqual(await trail(), []);
		t.is((await parts.app.inject({ method: 'GET', url: url.replace(TEST_BASE_URL, '') })).statusCode, 404);
	});

	test(`the right code at the same moment shows the card once (${dialect})`, async (t) => {
		const { init, post, trail } = await open(t, {}, dialect);
		const { url, code } = (await init()).json();
		const tries = await Promise.all(Array.from({ length: 4 }, () => post(`${url}/number`, { code })));
		t.is(tries.filter(({ statusCode }) => statusCode === 200).length, 1);
		t.is((await trail()).length, 1);
	});
}

test('an expired link is gone, and is removed', async (t) => {
	const { parts, init, post } = await open(t);
	const { url, code } = (await init()).json();
	parts.clock.turn(60 * MINUTE_MS);
	t.is((await post(`${url}/number`, { code })).statusCode, 404);
	parts.clock.turn(1);
	t.is(await parts.cardViews.purge(), 1);
});

test('a link whose card was deleted is gone', async (t) => {
	const { hotel, token, init, post } = await open(t);
	const { url, code } = (await init()).json();
	await hotel.inject('DELETE', `/api/payments/paycard/${token}`);
	t.is((await post(`${url}/number`, { code })).statusCode, 404);
});

test('with a mail server the link is mailed and the code returned, unless the setting has the code mailed too', async (t) => {
	const server = await startMailServer(t);
	const mail = { host: server.host, port: server.port, tls: 'none', from: 'cards@vault.example' } as const;
	const { init, post, parts } = await open(t, { mail });
	t.deepEqual((await init()).json().errors, { email: ['is required'] });
	const made = (await init({ email: 'clerk@example.com', viewerName: 'Zoë', language: 'de' })).json();
	t.is(made.url, null);
	const got = await server.wait(1);
	t.deepEqual(got.to, ['clerk@example.com']);
	t.false(got.raw.includes(made.code));
	t.false(/4111|1111/.test(got.text));
	const url = /https:\/\/vault\.example\/cardview\/\S+/.exec(got.text)![0];
	t.is((await post(`${url}/number`, { code: made.code })).json().number, VISA);
	t.false(parts.logText().includes(url.slice(-43)));

	const both = await open(t, { mail, cardDisplay: { codeTo: 'mail' } });
	const second = (await both.init({ email: 'clerk@example.com' })).json();
	t.is(second.code, null);
	await server.wait(3);
	const texts = server.received.slice(1).map(({ text }) => text);
	const link = texts.find((text) => text.includes('/cardview/'))!;
	const code = /\b\d{6}\b/.exec(texts.find((text) => text !== link)!)![0];
	t.is((await both.post(`${/https:\S+/.exec(link)![0]}/number`, { code })).json().number, VISA);
});
