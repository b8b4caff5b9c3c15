// Tests that a body that is refused is discarded, and that a connection is closed if it brings too much of such a body.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { discardRest } from '../../src/doors/http/portal/pages/files/upload-call.ts';

const MOST = 1_000_000;
const PIECE = Buffer.alloc(65_536);

/** Sends a body of so many bytes to a server that refuses it at once; returns the bytes that were sent, and the answer. */
async function sendRefused(t: ExecutionContext, length: number): Promise<{ sent: number; answer: string }> {
	const server = createServer((request, answer) => {
		answer.writeHead(401, { 'content-length': '2' }).end('no');
		discardRest(request, MOST);
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	t.teardown(() => server.close());
	const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
	let answer = '';
	socket.setEncoding('latin1').on('data', (text: string) => (answer += text));
	socket.on('error', () => {});
	const closed = new Promise((resolve) => socket.once('close', resolve));
	socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n`);
	let sent = 0;
	while (sent < length && !socket.destroyed) {
		const piece = PIECE.subarray(0, length - sent);
		await new Promise((resolve) => socket.write(piece, resolve));
		sent += piece.length;
	}
	if (sent === length) socket.end();
	await closed;
	return { sent, answer };
}

test('a refused body is taken to its end, and the connection of a longer one is closed after the answer', async (t) => {
	const short = await sendRefused(t, MOST);
	t.is(short.sent, MOST);
	t.regex(short.answer, /^HTTP\/1\.1 401 .*\r\n\r\nno$/s);
	const long = await sendRefused(t, 500_000_000);
	t.true(long.sent < 100_000_000, String(long.sent));
	t.regex(long.answer, /^HTTP\/1\.1 401 .*\r\n\r\nno$/s);
});
