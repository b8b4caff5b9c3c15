// Tests what a hostile third party, name server or caller can try, each attack against a real server.

import { brotliCompressSync, deflateRawSync, gzipSync, zstdCompressSync } from 'node:zlib';
import test from 'ava';
import { ServiceError } from '../../src/base/errors.ts';
import type { Address } from '../../src/base/outbound/system-lookup.ts';
import { bytesServer, closes, fails, httpServer, openTestClient, rawServer } from '../helpers/outbound-servers.ts';

const NOT_ALLOWED = 'targetUri: the host is not allowed';
const TOO_LARGE = 'targetUri: the answer is too large';
const CLOSED = 'targetUri: the connection was closed before the answer was complete';

// The first tests are about where a call may go.

test('DNS rebinding: the name is asked once a connection, and the connection goes to what was checked', async (t) => {
	const good = await httpServer(t, (_request, reply) => reply.end('good'));
	const bad = await rawServer(t, () => {}, '127.0.0.2');
	let asked = 0;
	const lookup = async (): Promise<Address[]> => [{ address: ++asked === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }];
	const { call } = openTestClient(t, { lookup });
	t.is((await call(`http://rebind.example:${good.port}/`)).body.toString(), 'good');
	t.is(asked, 1);
	t.is(bad.connections, 0);
});

test('DNS rebinding: a name that was public and then turns private is refused before anything is opened', async (t) => {
	const server = await rawServer(t, () => {});
	const answers: Address[] = [
		{ address: '2600:1f18::1', family: 6 },
		{ address: '127.0.0.1', family: 4 },
	];
	const lookup = async () => [answers.shift()!];
	const { call } = openTestClient(t, { allowPrivate: false, lookup });
	const first = await call(`http://rebind.example:${server.port}/`, { timeoutMs: 100 }).catch((error) => error.reason);
	t.not(first, 'bad-input-data');
	await fails(t, call(`http://rebind.example:${server.port}/`), 'bad-input-data', NOT_ALLOWED);
	t.is(server.connections, 0);
});

test('one private address among public ones refuses them all', async (t) => {
	const lookup = async (): Promise<Address[]> => [
		{ address: '93.184.215.14', family: 4 },
		{ address: '2606:2800:21f::1', family: 6 },
		{ address: '10.0.0.7', family: 4 },
	];
	const { call } = openTestClient(t, { allowPrivate: false, lookup });
	await fails(t, call('https://mixed.example/'), 'bad-input-data', NOT_ALLOWED);
});

const refusedHost = test.macro({
	async exec(t, host: string) {
		const server = await rawServer(t, () => {});
		const { call } = openTestClient(t, { allowPrivate: false });
		await fails(t, call(`http://${host}:${server.port}/`), 'bad-input-data', NOT_ALLOWED);
		t.is(server.connections, 0);
	},
	title: (what = '', host) => `${what} is refused: ${host}`,
});

test('loopback', refusedHost, '127.0.0.1');
test('loopback by name', refusedHost, 'localhost');
test('loopback with a final dot', refusedHost, '127.0.0.1.');
test('loopback in decimal', refusedHost, '2130706433');
test('loopback in octal', refusedHost, '0177.0.0.01');
test('loopback in hexadecimal', refusedHost, '0x7f000001');
test('loopback in a short form', refusedHost, '127.1');
test('loopback in wide digits', refusedHost, '１２７.０.０.１');
test('loopback percent-encoded', refusedHost, '%31%32%37.0.0.1');
test('any address', refusedHost, '0.0.0.0');
test('loopback over IPv6', refusedHost, '[::1]');
test('IPv4-mapped loopback', refusedHost, '[::ffff:127.0.0.1]');
test('IPv4-mapped loopback in hexadecimal', refusedHost, '[::ffff:7f00:1]');
test('6to4 loopback', refusedHost, '[2002:7f00:1::]');
test('NAT64 loopback', refusedHost, '[64:ff9b::7f00:1]');
test('the metadata address', refusedHost, '169.254.169.254');
test('the metadata address over IPv6', refusedHost, '[fd00:ec2::254]');
test('a carrier’s own range', refusedHost, '100.100.100.200');

test('a redirect to a private address is passed on as it is and not followed', async (t) => {
	const inside = await rawServer(t, () => {}, '127.0.0.2');
	const location = `http://127.0.0.2:${inside.port}/latest/meta-data`;
	const server = await httpServer(t, (_request, reply) => reply.writeHead(307, { location }).end());
	const { call } = openTestClient(t);
	const { status, headers } = await call(`http://partner.example:${server.port}/`);
	t.is(status, 307);
	t.is(new Map(headers).get('location'), location);
	t.is(inside.connections, 0);
});

test('a user name or another scheme in the URL is refused', async (t) => {
	const { call } = openTestClient(t);
	const moreInfo = 'targetUri: must not hold a user name or password';
	await fails(t, call('https://user:secret@partner.example/'), 'bad-input-data', moreInfo);
	await fails(t, call('file:///etc/passwd'), 'bad-input-data', 'targetUri: must begin with https or http');
});

// The next tests are about what a caller may put on the wire.

const notSent = test.macro({
	async exec(t, headers: string[], moreInfo: string) {
		const server = await rawServer(t, () => {});
		const { call } = openTestClient(t);
		await fails(t, call(`http://partner.example:${server.port}/`, { headers }), 'bad-input-data', moreInfo);
		t.is(server.connections, 0);
	},
	title: (what = '') => `header injection: ${what} is refused and nothing is sent`,
});

const BAD_VALUE = 'x-a: the header holds a character that cannot be sent';
test('CRLF in a value', notSent, ['x-a', 'b\r\nx-evil: 1'], BAD_VALUE);
test('a bare LF in a value', notSent, ['x-a', 'b\nx-evil: 1'], BAD_VALUE);
test('NUL in a value', notSent, ['x-a', 'b\0c'], BAD_VALUE);
test('a letter whose low byte is LF', notSent, ['x-a', 'b\u560d\u560ax-evil: 1'], BAD_VALUE);
test('CRLF in a name', notSent, ['x-a: 1\r\nx-b', 'c'], 'the name of a header is malformed');
test('a blank in a name', notSent, ['x-a ', 'c'], 'the name of a header is malformed');
test(
	'request smuggling by Transfer-Encoding',
	notSent,
	['Transfer-Encoding', 'chunked'],
	'Transfer-Encoding: this header cannot be set',
);
test(
	'request smuggling by Content-Length',
	notSent,
	['content-length', '0'],
	'content-length: this header cannot be set',
);
test('another Host', notSent, ['host', 'inside.example'], 'host: this header cannot be set');
test('an Upgrade', notSent, ['upgrade', 'h2c'], 'upgrade: this header cannot be set');
test('a value of 9 KB', notSent, ['x-a', 'b'.repeat(9000)], 'x-a: the header is too long');

test('a request whose path and query hold line breaks and blanks stays one request', async (t) => {
	const seen: string[] = [];
	const server = await httpServer(t, (request, reply) => {
		seen.push(request.url!);
		reply.end();
	});
	const { call } = openTestClient(t);
	await call(`http://partner.example:${server.port}/a\r\nb c?d=\r\ne f`);
	t.deepEqual(seen, ['/ab%20c?d=e%20f']);
});

// The last tests are about what a third party may answer.

const answered = test.macro({
	async exec(t, answer: string | Buffer, moreInfo: string) {
		const server = await bytesServer(t, answer);
		const { call } = openTestClient(t);
		await fails(
			t,
			call(`http://evil.example:${server.port}/`, { maxAnswerBytes: 4_194_304 }),
			'target-unreachable',
			moreInfo,
		);
		await closes(t, server);
	},
	title: (what = '') => `${what} ends with 502`,
});

const OK = 'HTTP/1.1 200 OK\r\n';
const packed = (encoding: string, body: Buffer) =>
	Buffer.concat([
		Buffer.from(`${OK}connection: close\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${body.length}\r\n\r\n`),
		body,
	]);
const ZEROES = Buffer.alloc(64 * 1_048_576);
const BOMB = gzipSync(ZEROES);

test('a decompression bomb of gzip', answered, packed('gzip', BOMB), TOO_LARGE);
test('a decompression bomb of deflate', answered, packed('deflate', deflateRawSync(ZEROES)), TOO_LARGE);
test('a decompression bomb of brotli', answered, packed('br', brotliCompressSync(ZEROES)), TOO_LARGE);
test('a decompression bomb of zstd', answered, packed('zstd', zstdCompressSync(ZEROES)), TOO_LARGE);
test('a nested decompression bomb', answered, packed('gzip, gzip', gzipSync(BOMB)), TOO_LARGE);
test(
	'a nest of three',
	answered,
	packed('gzip, gzip, gzip', gzipSync('a')),
	'targetUri: the answer is compressed too many times',
);
test(
	'packing that grows more than a hundredfold',
	answered,
	packed('gzip', gzipSync(ZEROES.subarray(0, 3_000_000))),
	TOO_LARGE,
);
test(
	'packing that is none',
	answered,
	packed('gzip', Buffer.from('not gzip')),
	'targetUri: the answer cannot be decompressed',
);
test(
	'packing that is cut off',
	answered,
	packed('gzip', BOMB.subarray(0, 500)),
	'targetUri: the answer cannot be decompressed',
);
test(
	'an unknown packing',
	answered,
	packed('compress', Buffer.from('x')),
	'targetUri: the answer has an unknown content encoding',
);
test('an announced body beyond the cap', answered, `${OK}content-length: 9000000000\r\n\r\n`, TOO_LARGE);
test(
	'huge headers',
	answered,
	`${OK}x-a: ${'b'.repeat(70_000)}\r\n\r\n`,
	'targetUri: the headers of the answer are too large',
);
test(
	'many small headers',
	answered,
	`${OK}${'x-a: b\r\n'.repeat(300)}connection: close\r\ncontent-length: 0\r\n\r\n`,
	'targetUri: the answer has too many headers',
);
test(
	'a flood of headers',
	answered,
	`${OK}${'a: b\r\n'.repeat(40_000)}`,
	'targetUri: the headers of the answer are too large',
);
test(
	'a flood of interim answers',
	answered,
	'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(500),
	'targetUri: the target sends only interim answers',
);
test('an invalid status line', answered, 'HTTP/1.1 2OO FINE\r\n\r\n', 'targetUri: the answer is not HTTP/1.1');
test(
	'a status of no class',
	answered,
	`${'HTTP/1.1 999 Denied'}\r\ncontent-length: 0\r\n\r\n`,
	'targetUri: the answer has no valid status',
);
test('another protocol', answered, 'SSH-2.0-OpenSSH_9.2\r\n', 'targetUri: the answer is not HTTP/1.1');
test('a header without colon', answered, `${OK}nonsense\r\n\r\n`, 'targetUri: the answer is not HTTP/1.1');
test('NUL in a header of the answer', answered, `${OK}x-a: b\0c\r\n\r\n`, 'targetUri: the answer is not HTTP/1.1');
test(
	'two lengths',
	answered,
	`${OK}content-length: 2\r\ncontent-length: 3\r\n\r\nabc`,
	'targetUri: the answer is not as long as it says',
);
test(
	'a length beside chunks',
	answered,
	`${OK}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n`,
	'targetUri: the answer is not as long as it says',
);
test(
	'a change of protocol nobody asked for',
	answered,
	'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
	CLOSED,
);

test('header injection: a line break in a header of the answer is no header of ours', async (t) => {
	const server = await bytesServer(t, `${OK}x-a: b\r\n folded: c\r\ncontent-length: 0\r\n\r\n`);
	const { call } = openTestClient(t);
	const outcome = await call(`http://evil.example:${server.port}/`).catch((error) => error);
	if (outcome instanceof ServiceError) t.is(outcome.reason, 'target-unreachable');
	else for (const [name, value] of outcome.headers) t.false(/[\r\n\0]/.test(name + value) || name === 'folded');
});

test('an answer before it was asked for does not become the answer of the next call', async (t) => {
	const answer = (text: string) => `${OK}content-length: ${text.length}\r\n\r\n${text}`;
	let calls = 0;
	const server = await rawServer(t, (socket) =>
		socket.on('data', () => socket.write(answer(`own ${++calls}`) + (calls === 1 ? answer('poison') : ''))),
	);
	const { call } = openTestClient(t);
	const url = `http://evil.example:${server.port}/`;
	await call(url).catch(() => {});
	t.is((await call(url)).body.toString(), 'own 2');
});
