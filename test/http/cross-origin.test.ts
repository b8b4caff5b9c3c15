// Tests session calls of the payments library from pages of other origins.

import test from 'ava';
import { cardJson, json } from '../helpers/card-calls.ts';
import type { HttpApp } from '../helpers/http-app.ts';
import {
	bearer,
	beginSession,
	countCards,
	openWalletApp,
	WALLET,
	WALLET_SESSION,
	WALLET_TOKENIZE,
} from '../helpers/wallet-calls.ts';

const SHOP = 'https://shop.example';
const OTHER = 'https://other.example';
const BY = 'operator test';

async function openShop(t: Parameters<typeof openWalletApp>[0]) {
	const { parts, caller } = await openWalletApp(t);
	await parts.createCaller('other');
	await parts.identity.origins.add('agency', SHOP, BY);
	await parts.identity.origins.add('other', OTHER, BY);
	return { parts, caller, token: await beginSession(caller) };
}

const preflight = ({ app }: HttpApp, origin: string | undefined, url = WALLET_TOKENIZE) =>
	app.inject({
		method: 'OPTIONS',
		url,
		headers: {
			...(origin !== undefined && { origin }),
			...{ 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization,content-type' },
		},
	});

const send = ({ app }: HttpApp, token: string, origin: string, more: Record<string, string> = {}) =>
	app.inject({ method: 'POST', url: WALLET_TOKENIZE, ...json(cardJson(), bearer(token, { origin, ...more })) });

test('a preflight is answered for registered origins only, and by name', async (t) => {
	const { parts } = await openShop(t);
	for (const url of [WALLET_TOKENIZE, WALLET_SESSION]) {
		const { statusCode, headers, body } = await preflight(parts, SHOP, url);
		t.is(statusCode, 204);
		t.is(body, '');
		t.like(headers, {
			...{ 'access-control-allow-origin': SHOP, vary: 'origin', 'access-control-max-age': '600' },
			'access-control-allow-headers': 'accept, authorization, content-type, idempotency-key',
		});
		t.regex(String(headers['access-control-allow-methods']), url === WALLET_SESSION ? /GET/ : /POST/);
		t.is(headers['access-control-allow-credentials'], undefined);
	}
	for (const origin of [undefined, 'https://evil.example', 'http://shop.example', 'null', '*', `${SHOP}, ${OTHER}`]) {
		const { statusCode, headers } = await preflight(parts, origin);
		t.is(statusCode, 204);
		t.is(headers['access-control-allow-origin'], undefined, origin);
		t.is(headers.vary, 'origin');
	}
	t.is((await preflight(parts, SHOP, WALLET)).statusCode, 405, 'the call of the server is not for pages');
});

test('a page of a registered origin reads answers and errors, packed or not', async (t) => {
	const { parts, caller, token } = await openShop(t);
	const bad = await parts.app.inject({
		method: 'POST',
		url: WALLET_TOKENIZE,
		...json('{', bearer(token, { origin: SHOP })),
	});
	t.is(bad.statusCode, 400);
	t.is(bad.headers['access-control-allow-origin'], SHOP);
	const wrong = await parts.app.inject({ url: WALLET_SESSION, headers: bearer('ws_wrong', { origin: SHOP }) });
	t.is(wrong.statusCode, 401);
	t.is(wrong.headers['access-control-allow-origin'], SHOP);
	const done = await send(parts, token, SHOP, { 'accept-encoding': 'gzip' });
	t.is(done.statusCode, 200);
	t.is(done.headers['access-control-allow-origin'], SHOP);
	t.regex(String(done.headers.vary), /origin/i);
	t.regex(String(done.headers.vary), /accept-encoding/i);
	t.is(await countCards(caller), 1);
});

test('a page of an origin that the account has not registered does nothing, whoever else has', async (t) => {
	const { parts, caller, token } = await openShop(t);
	for (const origin of [OTHER, 'https://evil.example', 'null', `${SHOP}.evil.example`]) {
		const refused = await send(parts, token, origin, { accept: 'application/json' });
		t.is(refused.statusCode, 403, origin);
		t.is(refused.json().message, 'The account has not registered the origin of this page');
		t.is(refused.headers['access-control-allow-origin'], origin === OTHER ? OTHER : undefined);
	}
	t.is(await countCards(caller), 0);
	await parts.identity.origins.remove('agency', SHOP, BY);
	t.is((await send(parts, token, SHOP)).statusCode, 403, 'from one call to the next');
	t.is((await send(parts, token, 'http://localhost:3000')).statusCode, 200, 'in the sandbox');
});

test('callers that are no page, and pages of our own address, need no registration', async (t) => {
	const { parts, token } = await openShop(t);
	const own = await parts.app.inject({
		url: WALLET_SESSION,
		headers: bearer(token, { origin: 'https://vault.example', host: 'Vault.example' }),
	});
	t.is(own.statusCode, 200);
	t.is(own.headers['access-control-allow-origin'], undefined);
	t.is((await parts.app.inject({ url: WALLET_SESSION, headers: bearer(token) })).statusCode, 200);
});
