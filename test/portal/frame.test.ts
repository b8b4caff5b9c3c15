// Tests what is common to all pages of the portal: who gets which page, which forms are accepted, and what a page may load.

import test from 'ava';
import fc from 'fast-check';
import { isFromElsewhere, isToken, maskedToken } from '../../src/doors/http/portal/csrf.ts';
import { withBasePath } from '../../src/doors/http/portal/paths.ts';
import { openPortalApp } from '../helpers/portal-app.ts';

test('somebody who is not signed in is led to the login, and back afterwards', async (t) => {
	const { app } = await openPortalApp(t);
	const answer = await app.inject({ url: '/portal/session?a=1' });
	t.is(answer.statusCode, 303);
	t.is(answer.headers.location, '/portal/login?next=%2Fportal%2Fsession%3Fa%3D1');
	const asked = await app.inject({ url: '/portal/session', headers: { accept: 'application/json' } });
	t.is(asked.statusCode, 401);
	t.like(asked.json(), { isEnded: true });
	const live = await app.inject({ url: '/portal/session', headers: { 'x-portal-part': '1' } });
	t.is(live.statusCode, 401);
	t.truthy(live.headers['x-portal-login']);
});

test('a token is known in each of its spellings, and nothing else is', (t) => {
	fc.assert(
		fc.property(fc.string({ minLength: 8, maxLength: 64 }), fc.string(), (token, other) => {
			t.true(isToken(maskedToken(token), token));
			t.false(isToken(other, token));
			t.false(isToken(undefined, token));
		}),
	);
	t.not(maskedToken('secret'), maskedToken('secret'));
});

test('an origin is compared with the host that was asked, and with the public address', (t) => {
	const base = 'https://vault.example/folder';
	t.false(isFromElsewhere({ origin: 'https://vault.example', host: 'inside:8080' }, base));
	t.false(isFromElsewhere({ origin: 'http://inside:8080', host: 'inside:8080' }, base));
	t.true(isFromElsewhere({ origin: 'http://other', host: 'inside:8080' }, base));
	t.false(isFromElsewhere({ host: 'inside:8080' }, base));
	t.true(isFromElsewhere({ 'sec-fetch-site': 'same-site', origin: 'https://vault.example' }, base));
});

test('links get the path of the public address, texts do not', (t) => {
	t.is(withBasePath('<a href="/portal">/portal</a>', '/vault'), '<a href="/vault/portal">/portal</a>');
	t.is(withBasePath('<a href="//other">', '/vault'), '<a href="//other">');
	t.is(withBasePath('<p> href=&quot;/portal&quot;</p>', '/vault'), '<p> href=&quot;/portal&quot;</p>');
});
