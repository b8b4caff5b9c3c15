import test from 'ava';
import fc from 'fast-check';
import { ServiceError } from '../../src/base/errors.ts';
import { incomingHeaders, outgoingHeaders, type RawHeaders } from '../../src/base/outbound/headers.ts';
import { anyCharacter } from '../helpers/any-character.ts';

const ENCODINGS = ['accept-encoding', 'gzip, deflate, br, zstd'];

test('nothing of ours and nothing of this hop goes out', (t) => {
	const incoming = {
		...{
			host: 'vault.example',
			authorization: 'APIKEY secret',
			cookie: 'portal=1',
			referer: 'https://vault.example/?sessionToken=x',
		},
		...{
			'x-service-api-key': 'secret',
			'x-service-carduri': 'uri',
			'x-service-anything': '1',
			'idempotency-key': 'k',
			'x-request-id': 'r',
		},
		...{
			'content-length': '5',
			'transfer-encoding': 'chunked',
			expect: '100-continue',
			te: 'trailers',
			upgrade: 'h2c',
			trailer: 'x',
		},
		...{
			connection: 'keep-alive, X-Hop',
			'x-hop': '1',
			'keep-alive': 'timeout=5',
			'proxy-authorization': 'p',
			'proxy-connection': 'c',
		},
		...{
			'x-forwarded-for': '10.0.0.1',
			'x-forwarded-host': 'a',
			forwarded: 'for=10.0.0.1',
			'x-real-ip': '10.0.0.1',
			via: '1.1 proxy',
		},
		...{
			'accept-encoding': 'zstd',
			'content-type': 'text/xml',
			soapaction: '"urn:x"',
			'x-partner': ['a', 'b'],
			accept: '*/*',
		},
	};
	t.deepEqual(outgoingHeaders(incoming), [
		...ENCODINGS,
		...['content-type', 'text/xml', 'soapaction', '"urn:x"', 'x-partner', 'a', 'x-partner', 'b', 'accept', '*/*'],
	]);
});

test('a header that would be taken for ours is passed on under another name', (t) => {
	const raw = [
		'X-Service-Target-Authorization',
		'Bearer theirs',
		'X-service-Target-Cookie',
		'a=1',
		'X-service-Target-Idempotency-Key',
		'theirs-1',
		...['Authorization', 'APIKEY ours', 'Idempotency-Key', 'ours-1'],
	];
	const renamed = ['authorization', 'Bearer theirs', 'cookie', 'a=1', 'idempotency-key', 'theirs-1'];
	t.deepEqual(outgoingHeaders(raw), [...ENCODINGS, ...renamed]);
});

test('headers that are added stand in place of incoming ones', (t) => {
	const raw = ['x-service-target-authorization', 'Bearer a', 'Content-Type', 'text/plain', 'accept', '*/*'];
	const added = [
		['Authorization', 'Basic b'],
		['content-type', 'text/xml'],
		['X-service-cardUri', 'uri'],
		['X-Forwarded-For', '1.1.1.1'],
	] as const;
	t.deepEqual(outgoingHeaders(raw, added), [...ENCODINGS, 'accept', '*/*', ...added.flat()]);
});

const refused = test.macro({
	exec(t, incoming: RawHeaders, moreInfo: string) {
		const error = t.throws(() => outgoingHeaders(incoming), { instanceOf: ServiceError });
		t.is(error.reason, 'bad-input-data');
		t.is(error.moreInfo, moreInfo);
	},
	title: (what = '') => `${what} is refused`,
});

const BAD_VALUE = 'x-a: the header holds a character that cannot be sent';
test('a line break', refused, { 'x-a': '1\r\nx-b: 2' }, BAD_VALUE);
test('a NUL', refused, { 'x-a': '1\0' }, BAD_VALUE);
test(
	'a line break in the authorization of the target',
	refused,
	{ 'x-service-target-authorization': 'a\nb' },
	'authorization: the header holds a character that cannot be sent',
);
test('a name with a colon', refused, { 'x:a': '1' }, 'the name of a header is malformed');
test('a long value', refused, { 'x-a': 'a'.repeat(8193) }, 'x-a: the header is too long');
test('a lot of headers', refused, { 'x-a': Array(101).fill('1') }, 'there are too many headers');
test(
	'headers that are large together',
	refused,
	{ 'x-a': Array(9).fill('a'.repeat(8000)) },
	'the headers are too large',
);

test('for any incoming headers, the outgoing ones contain no line break and no name of ours', (t) => {
	const name = fc.oneof(
		fc.string(),
		fc.constantFrom('Host', 'CONTENT-length', 'Authorization', 'x-service-a', 'Cookie', 'connection'),
	);
	fc.assert(
		fc.property(fc.array(fc.tuple(name, fc.string({ unit: anyCharacter }))), (pairs) => {
			let headers: string[];
			try {
				headers = outgoingHeaders(pairs.flat());
			} catch (error) {
				return t.true(error instanceof ServiceError);
			}
			t.false(headers.some((text) => /[\r\n\0]|[^\t -~\x80-\xff]/.test(text)));
			t.false(
				headers.some(
					(text, index) =>
						index % 2 === 0 && /^(host|content-length|authorization|cookie|connection|x-service-.*)$/.test(text),
				),
			);
		}),
		{ numRuns: 300 },
	);
});

test('a third party says nothing in our name to browsers, caches and proxies', (t) => {
	const answer = {
		...{
			'strict-transport-security': 'max-age=0',
			'content-security-policy': "script-src 'unsafe-inline'",
			'x-frame-options': 'ALLOW',
		},
		...{
			'access-control-allow-origin': '*',
			'access-control-allow-credentials': 'true',
			'clear-site-data': '"*"',
			refresh: '0;url=//evil',
		},
		...{
			'x-service-carduri': 'forged',
			'x-service-tokenization-errors': 'forged',
			'x-accel-redirect': '/etc/passwd',
			'x-sendfile': '/x',
		},
		...{
			'cache-control': 'public, max-age=9',
			age: '1',
			vary: '*',
			'alt-svc': 'h3="evil:443"',
			'service-worker-allowed': '/',
		},
		...{
			connection: 'x-hop',
			'x-hop': '1',
			'transfer-encoding': 'chunked',
			'content-length': '3',
			'content-encoding': 'gzip',
		},
		...{
			'proxy-authenticate': 'Basic',
			'keep-alive': 'timeout=5',
			trailer: 'x',
			upgrade: 'h2',
			'cross-origin-opener-policy': 'x',
		},
	};
	t.deepEqual(incomingHeaders(answer), []);
});

test("headers that describe a third party's answer are passed on, and repeated ones stay separate", (t) => {
	const answer = {
		...{
			'content-type': 'text/xml',
			location: 'http://10.0.0.1/',
			'retry-after': '5',
			etag: '"1"',
			'last-modified': 'x',
		},
		...{ 'x-partner': ['a', 'b'], 'content-disposition': 'attachment', link: '</2>; rel=next' },
	};
	t.deepEqual(incomingHeaders(answer), [
		...([
			['content-type', 'text/xml'],
			['location', 'http://10.0.0.1/'],
			['retry-after', '5'],
			['etag', '"1"'],
		] as const),
		...([
			['last-modified', 'x'],
			['x-partner', 'a'],
			['x-partner', 'b'],
			['content-disposition', 'attachment'],
		] as const),
		['link', '</2>; rel=next'],
	]);
});

test('cookies, challenges and request numbers of a third party come under names no browser acts on', (t) => {
	t.deepEqual(incomingHeaders({ 'set-cookie': ['a=1', 'b=2'], 'www-authenticate': 'Basic', 'x-request-id': '7' }), [
		['x-service-target-set-cookie', 'a=1'],
		['x-service-target-set-cookie', 'b=2'],
		['x-service-target-www-authenticate', 'Basic'],
		['x-service-target-request-id', '7'],
	]);
});

test('names that every object has are names like others', (t) => {
	const raw = ['constructor', 'a', '__proto__', 'b', 'toString', 'c'];
	const pairs = [
		['constructor', 'a'],
		['__proto__', 'b'],
		['tostring', 'c'],
	] as const;
	t.deepEqual(outgoingHeaders(raw), [...ENCODINGS, ...pairs.flat()]);
	t.deepEqual(incomingHeaders(raw), [...pairs]);
});

test('a value that could not be sent on is left out; too many headers are no answer', (t) => {
	t.deepEqual(incomingHeaders({ 'x-a': 'b\u0001', 'x-c': 'd\r\ne: f', 'x-g': 'h' }), [['x-g', 'h']]);
	t.throws(() => incomingHeaders({ 'x-a': Array(201).fill('') }), { instanceOf: ServiceError });
});
