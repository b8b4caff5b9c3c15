// Those tests of relay-failures.test.ts that take long.

import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { VISA } from '../helpers/card-calls.ts';
import { httpsServer, makeAuthority, readBody } from '../helpers/outbound-servers.ts';
import { isRefused, JSON_PROFILE, openPartnership, silence } from '../helpers/third-party.ts';

const TIMED_OUT = { code: -175, message: 'Request timed out', moreInfo: null };

test('spec §7.4: a target that does not answer within the timeout is a 504 without moreInfo', async (t) => {
	const { relay, party, store } = await openPartnership(t, { answer: silence });
	const started = performance.now();
	isRefused(t, await relay({ cardToken: await store(), timeout: 1500 }), 504, TIMED_OUT);
	t.true(performance.now() - started < 10_000);
	t.is(party.seen.length, 1, 'and it is not asked again');
});

test('spec §4.1: the timeout is for the complete round trip, a slow body included', async (t) => {
	const { relay, store } = await openPartnership(t, {
		answer: (_, response) => {
			response.writeHead(200, { 'content-type': 'text/plain' });
			const drip = setInterval(() => response.write('.'), 20);
			response.on('close', () => clearInterval(drip));
			return undefined;
		},
	});
	isRefused(t, await relay({ cardToken: await store(), timeout: 1000 }), 504, TIMED_OUT);
});

test('spec §4.1: connecting counts too', async (t) => {
	const { relay, store } = await openPartnership(t);
	// The server accepts connections, and never answers the TLS handshake.
	const server = createServer(() => {}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	t.teardown(() => server.close());
	const { port } = server.address() as { port: number };
	const answer = await relay({ cardToken: await store(), targetUri: `https://127.0.0.1:${port}/`, timeout: 250 });
	isRefused(t, answer, 504, TIMED_OUT);
});

test('shapes §11: a target that refuses or cannot be resolved is a 502 that says why', async (t) => {
	const { relay, store } = await openPartnership(t);
	const cardToken = await store();
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as { port: number };
	server.close();
	await once(server, 'close');
	const refused = await relay({ cardToken, targetUri: `http://127.0.0.1:${port}/` });
	const systemError = { code: -150, message: 'System error: unexpected condition' };
	isRefused(t, refused, 502, { ...systemError, moreInfo: 'targetUri: the connection was refused' });
	const unknown = await relay({ cardToken, targetUri: 'http://no-such-host.invalid/' });
	t.is(unknown.statusCode, 502);
	t.is(unknown.json().code, -150);
	t.regex(unknown.json().moreInfo, /^targetUri: the (host|name|address)/);
	t.notRegex(unknown.body, /no-such-host/, 'without the address');
});

test('shapes §11: a certificate that cannot be trusted is a 502; authorities of the profile count', async (t) => {
	const authority = await makeAuthority();
	const other = await makeAuthority();
	let received = '';
	const pair = await authority.issue('localhost');
	const { port } = await httpsServer(t, pair, async (request, response) => {
		received = (await readBody(request)).toString();
		response.end('ok');
	});
	const targetUri = `https://localhost:${port}/book`;
	const withAuthority = (name: string, pem: string) =>
		`${JSON_PROFILE.replace('name: Partner', `name: ${name}`)}authorities: ${JSON.stringify(pem)}\n`;
	const { relay, store } = await openPartnership(t, {
		profiles: [JSON_PROFILE, withAuthority('Right', authority.certificate), withAuthority('Wrong', other.certificate)],
	});
	const cardToken = await store();
	for (const profileName of ['Partner', 'Wrong']) {
		const answer = await relay({ cardToken, targetUri, profileName });
		t.is(answer.statusCode, 502);
		t.is(answer.json().moreInfo, 'targetUri: the certificate was not issued by a trusted authority');
	}
	t.is(received, '');
	t.is((await relay({ cardToken, targetUri, profileName: 'Right' })).statusCode, 200);
	t.true(received.includes(VISA));
});

test('shapes §1: more calls at one time than there is room for are a 503 to be tried again', async (t) => {
	let release = () => {};
	const { relay, party, store } = await openPartnership(t, {
		answer: (_, response) => {
			release = () => response.end('late');
			return undefined;
		},
		account: { cvvRetention: true },
		relay: { maxInFlight: 1 },
	});
	const token = await store({ CVV: '306' });
	const payload = '{"card":{"number":"","cvv":""}}';
	const first = relay({ cardToken: await store() });
	while (party.seen.length === 0) await sleep(10);
	const second = await relay({ cardToken: token }, { payload });
	t.is(second.statusCode, 503);
	t.truthy(second.headers['retry-after']);
	release();
	t.is((await first).statusCode, 200);
	party.answers({});
	t.is((await relay({ cardToken: token }, { payload })).statusCode, 200);
	t.true(party.seen.at(-1)!.text.includes('"cvv":"306"'), 'the refused call has not cost the CVV');
});
