// Tests certificates of targets and of callers against real servers.

import { createSecureContext, TLSSocket } from 'node:tls';
import test, { type ExecutionContext } from 'ava';
import { ServiceError } from '../../src/base/errors.ts';
import type { OutboundCall } from '../../src/base/outbound/http-client.ts';
import {
	http2Server,
	httpsServer,
	makeAuthority,
	openTestClient,
	type Pair,
	rawServer,
} from '../helpers/outbound-servers.ts';

type Tls = NonNullable<OutboundCall['tls']>;

let authority: Awaited<ReturnType<typeof makeAuthority>>;
let stranger: typeof authority;
let server: Pair;
let client: Pair;
let tls: Tls;
let identity: Tls;
let clientsOnly: Parameters<typeof httpsServer>[1];

test.before(async () => {
	authority = await makeAuthority();
	stranger = await makeAuthority();
	server = await authority.issue('partner.example');
	client = await authority.issue('us.example');
	tls = { authorities: authority.certificate };
	identity = { ...tls, certificate: client.cert, key: client.key };
	clientsOnly = { ...server, ca: authority.certificate, requestCert: true, rejectUnauthorized: true };
});

function listen(t: ExecutionContext, options: Parameters<typeof httpsServer>[1]) {
	return httpsServer(t, options, (request, reply) => {
		const { subject } = (request.socket as import('node:tls').TLSSocket).getPeerCertificate() ?? {};
		reply.end(subject?.CN ?? 'nobody');
	});
}

const CLOSED = 'the connection was closed before the answer was complete';

const fails = test.macro({
	async exec(
		t,
		options: () => Promise<Parameters<typeof httpsServer>[1]>,
		given: () => OutboundCall['tls'],
		sentence: string,
	) {
		const { port } = await listen(t, await options());
		const { call } = openTestClient(t);
		const error = await t.throwsAsync(call(`https://partner.example:${port}/`, { tls: given() }), {
			instanceOf: ServiceError,
		});
		t.is(error.reason, 'target-unreachable');
		t.is(error.moreInfo, `targetUri: ${sentence}`);
		if (sentence !== CLOSED) t.false(error.isOutcomeUnknown, 'nothing was sent');
		t.notRegex(JSON.stringify(error.cause ?? null) + String(error.cause), /127\.0\.0\.1|partner|BEGIN/);
	},
	title: (what = '') => `TLS: ${what} ends with 502`,
});

const UNTRUSTED = 'the certificate was not issued by a trusted authority';
test(
	'a certificate that has expired',
	fails,
	() => authority.issue('partner.example', -1000),
	() => tls,
	'the certificate has expired',
);
test(
	'a self-signed certificate',
	fails,
	() => stranger.selfSigned(),
	() => tls,
	'the certificate is self-signed',
);
test(
	'a certificate of an authority we do not trust',
	fails,
	() => stranger.issue('partner.example'),
	() => tls,
	UNTRUSTED,
);
test(
	'a certificate nobody vouches for',
	fails,
	async () => server,
	() => undefined,
	UNTRUSTED,
);
test(
	'a certificate for another host',
	fails,
	() => authority.issue('other.example'),
	() => tls,
	'the certificate is for another host',
);
test(
	'TLS 1.1 at most',
	fails,
	async () => ({ ...server, maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' }),
	() => tls,
	'the TLS handshake failed',
);

const REFUSED = 'the target did not accept the client certificate, or asks for one';
test(
	'mutual TLS without a certificate of ours',
	fails,
	async () => clientsOnly,
	() => tls,
	REFUSED,
);
test(
	'mutual TLS with a certificate the target does not know',
	fails,
	async () => ({ ...clientsOnly, ca: stranger.certificate }),
	() => identity,
	// Node's own server closes the connection without an alert.
	CLOSED,
);

const broken = test.macro({
	async exec(t, record: Buffer, answersBefore: number) {
		const secureContext = createSecureContext(server);
		let received = '';
		let answers = 0;
		const { port } = await rawServer(t, (raw) => {
			const secure = new TLSSocket(raw, { isServer: true, secureContext }).on('error', () => {});
			secure.on('data', (bytes) => {
				received += bytes;
				if (!received.endsWith('pay 10 EUR')) return;
				if (answers === answersBefore) return raw.write(record);
				answers++;
				received = '';
				secure.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
			});
		});
		const { call } = openTestClient(t);
		const send = () => call(`https://partner.example:${port}/`, { tls, body: Buffer.from('pay 10 EUR') });
		for (let calls = 0; calls < answersBefore; calls++) t.is((await send()).status, 200);
		const error = await t.throwsAsync(send(), { instanceOf: ServiceError });
		t.true(received.endsWith('pay 10 EUR'));
		t.is(error.reason, 'target-unreachable');
		t.is(error.moreInfo, 'targetUri: the TLS connection broke before the answer was complete');
		t.true(error.isOutcomeUnknown);
	},
	title: (what = '') => `TLS: ${what} leaves the outcome unknown, because the target has received the call`,
});

/** Records that break a connection, because neither is encrypted with its keys. */
const ALERT = Buffer.of(21, 3, 3, 0, 2, 2, 80);
const GARBAGE = Buffer.concat([Buffer.of(23, 3, 3, 0, 32), Buffer.alloc(32, 7)]);
test('an alert in clear after the first call', broken, ALERT, 0);
test('an alert in clear after the second call', broken, ALERT, 1);
test('a record that cannot be decrypted after the first call', broken, GARBAGE, 0);
test('a record that cannot be decrypted after the second call', broken, GARBAGE, 1);

test('mutual TLS: the target sees our certificate, and only calls that have it', async (t) => {
	const { port, ...counted } = await listen(t, { ...clientsOnly, rejectUnauthorized: false });
	const { call } = openTestClient(t);
	const url = `https://partner.example:${port}/`;
	t.is((await call(url, { tls: identity })).body.toString(), 'us.example');
	t.is((await call(url, { tls })).body.toString(), 'nobody');
	t.is((await call(url, { tls: { ...identity } })).body.toString(), 'us.example');
	t.truthy(counted);
});

test('connections are shared by the same identity and by no other', async (t) => {
	const counted = await listen(t, { ...clientsOnly, rejectUnauthorized: false });
	const { call } = openTestClient(t);
	const url = `https://partner.example:${counted.port}/`;
	for (const given of [identity, { ...identity }, tls, identity]) await call(url, { tls: given });
	t.is(counted.connections, 2);
});

const unloadable = test.macro({
	async exec(t, given: () => OutboundCall['tls'], why: string) {
		const { call, client: opened } = openTestClient(t);
		const error = await t.throwsAsync(call('https://partner.example/', { tls: given() }), { instanceOf: ServiceError });
		t.is(error.reason, 'bad-input-data');
		t.is(error.moreInfo, `client certificate: ${why}`);
		t.is(error.cause, undefined);
		t.is(opened.inFlight, 0);
	},
	title: (what = '') => `spec §7.4: a client certificate that cannot be loaded is refused: ${what}`,
});

const LOAD = 'it cannot be loaded';
test('no PEM', unloadable, () => ({ certificate: 'nonsense', key: client.key }), LOAD);
test('a key of another certificate', unloadable, () => ({ certificate: client.cert, key: server.key }), LOAD);
test('authorities that are none', unloadable, () => ({ authorities: 'nonsense' }), LOAD);
test(
	'a certificate without its key',
	unloadable,
	() => ({ certificate: client.cert }),
	'certificate and key come together',
);

test('a target that speaks HTTP/2 only is named as such, and the call was not carried out', async (t) => {
	const sentence = 'targetUri: the target speaks HTTP/2 only, and calls to third parties are HTTP/1.1';
	const clear = await http2Server(t);
	const secure = await http2Server(t, server);
	const { call } = openTestClient(t);
	for (const [url, given] of [
		[`http://partner.example:${clear.port}/`, {}],
		[`https://partner.example:${secure.port}/`, { tls }],
	] as const) {
		const error = await t.throwsAsync(call(url, given), { instanceOf: ServiceError }, url);
		t.is(error.moreInfo, sentence);
		t.false(error.isOutcomeUnknown);
	}
});
