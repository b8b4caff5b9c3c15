// Tests third parties that are slow, away, or not what they should be, and hosts that a profile does not allow.

import { once } from 'node:events';
import { createServer } from 'node:net';
import test from 'ava';
import { deadlineFor } from '../../src/doors/http/third-parties/third-party.ts';
import { VISA } from '../helpers/card-calls.ts';
import { httpsServer, makeAuthority } from '../helpers/outbound-servers.ts';
import { isBadInput, JSON_PROFILE, openPartnership } from '../helpers/third-party.ts';

test('spec §4.1, §8: 29 seconds are the default, and a larger timeout does not extend it', (t) => {
	for (const timeout of [undefined, '', '29000', '29001', '2147483647', '9'.repeat(400)]) {
		const left = deadlineFor(timeout) - performance.now();
		t.true(left <= 29_000 && left > 28_000, String(timeout));
	}
	t.true(deadlineFor('1500') - performance.now() <= 1500);
	for (const timeout of ['0', '00', '-1', '1.5', '1e3', ' 1']) {
		t.throws(() => deadlineFor(timeout), { message: /timeout: expected milliseconds/ }, timeout);
	}
});

test('shapes §11: an answer that is no HTTP or ends early is a 502', async (t) => {
	const { relay, store, party } = await openPartnership(t);
	const cardToken = await store();
	const server = createServer((socket) => socket.on('data', () => socket.end(`SSH-2.0 ${VISA}\r\n`)));
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	t.teardown(() => server.close());
	const { port } = server.address() as { port: number };
	const strange = await relay({ cardToken, targetUri: `http://127.0.0.1:${port}/` });
	t.is(strange.statusCode, 502);
	t.is(strange.json().moreInfo, 'targetUri: the answer is not HTTP/1.1');
	party.answers((_, response) => {
		response.writeHead(200, { 'content-length': '1000' }).write('half');
		setTimeout(() => response.destroy(), 20);
		return undefined;
	});
	const cut = await relay({ cardToken });
	t.is(cut.statusCode, 502);
	t.is(cut.json().moreInfo, 'targetUri: the connection was closed before the answer was complete');
});

test('spec §4.1: a profile with a client certificate is who it says to a target that asks', async (t) => {
	const authority = await makeAuthority();
	const client = await authority.issue('our-client');
	const names: string[] = [];
	const server = { ...(await authority.issue('localhost')), ca: authority.certificate, requestCert: true };
	const asking = await httpsServer(t, { ...server, rejectUnauthorized: true }, (request, response) => {
		names.push((request.socket as import('node:tls').TLSSocket).getPeerCertificate().subject.CN as string);
		response.end('ok');
	});
	const certificate = { certificate: client.cert, key: client.key };
	const profile = `${JSON_PROFILE}hosts: [localhost]\nauthorities: ${JSON.stringify(authority.certificate)}\n`;
	const { relay, store } = await openPartnership(t, {
		profiles: [
			`${profile}clientCertificate: ${JSON.stringify(certificate)}\n`,
			profile.replace('name: Partner', 'name: Anonymous'),
		],
	});
	const cardToken = await store();
	const targetUri = `https://localhost:${asking.port}/book`;
	t.is((await relay({ cardToken, targetUri })).statusCode, 200);
	t.is((await relay({ cardToken, targetUri })).statusCode, 200);
	t.deepEqual(names, ['our-client', 'our-client']);
	t.is(asking.connections, 1, 'over one connection');
	const anonymous = await relay({ cardToken, targetUri, profileName: 'Anonymous' });
	t.is(anonymous.statusCode, 502);
	t.is(names.length, 2, 'nobody’s connection serves another profile');
});

test('shapes §11: hosts are those of the profile; in the sandbox a profile without any reaches them all', async (t) => {
	const { relay, party, store, parts, caller } = await openPartnership(t);
	const cardToken = await store();
	const { port } = new URL(party.url);
	const put = (more: string) => parts.profiles.put(caller.account.id, `${JSON_PROFILE}${more}\n`);
	const other = `http://localhost:${port}/x`;
	t.is((await relay({ cardToken, targetUri: other })).statusCode, 200);
	await put(`targetUri: ${party.url}/default`);
	t.is((await relay({ cardToken, targetUri: null })).statusCode, 200);
	t.is(party.seen.at(-1)!.url, '/default');
	t.is((await relay({ cardToken, targetUri: `${party.url}/else` })).statusCode, 200);
	isBadInput(t, await relay({ cardToken, targetUri: other }), 'targetUri: the profile does not allow this host');
	await put(`hosts: [localhost]`);
	t.is((await relay({ cardToken, targetUri: other })).statusCode, 200);
	isBadInput(t, await relay({ cardToken }), 'targetUri: the profile does not allow this host');
	isBadInput(
		t,
		await relay({ cardToken, targetUri: null }),
		'targetUri: is required: neither the call nor the profile names one',
	);
});

test('shapes §11: production sends nothing in clear and nowhere that the profile does not name', async (t) => {
	const settings = { environment: 'production' as const };
	const { relay, store, parts, caller } = await openPartnership(t, { settings, profiles: [] });
	const cardToken = await store();
	await t.throwsAsync(parts.profiles.put(caller.account.id, JSON_PROFILE), { message: /expected targetUri or hosts/ });
	await parts.profiles.put(caller.account.id, `${JSON_PROFILE}hosts: [127.0.0.1, partner.example]\n`);
	isBadInput(t, await relay({ cardToken }), 'targetUri: expected https');
	const elsewhere = await relay({ cardToken, targetUri: 'https://elsewhere.example/' });
	isBadInput(t, elsewhere, 'targetUri: the profile does not allow this host');
});

test('spec §7.4: a card stands in an address only where the profile says so, and never in the host', async (t) => {
	const inUri = JSON_PROFILE.replace('name: Partner', 'name: InUri\ncardInUri: true');
	const { relay, party, store } = await openPartnership(t, { profiles: [JSON_PROFILE, inUri] });
	const cardToken = await store({ NameOnCard: 'A & B' });
	const targetUri = `${party.url}/{{cardNumber}}?m={{expirationMonth}}&n={{nameOnCard}}`;
	party.answers(({ url }) => ({ headers: { location: url, 'content-type': 'text/plain' }, body: `GET ${url}` }));
	const answer = await relay({ cardToken, targetUri, profileName: 'InUri' });
	t.is(party.only().url, `/${VISA}?m=04&n=A%20%26%20B`);
	t.is(answer.headers.location, '/411111******1111?m=04&n=A%20%26%20B');
	t.false(answer.body.includes(VISA));
	const inHost = await relay({ cardToken, targetUri: 'http://{{cardNumber}}.evil.example/', profileName: 'InUri' });
	isBadInput(t, inHost, 'targetUri: placeholders are only allowed in the path and the query');
	const plain = await relay({ cardToken, targetUri });
	t.false(party.seen.at(-1)!.url.includes(VISA), String(plain.statusCode));
});
