// Tests that a caller that sends its whole body before it reads gets its answer, though nobody wanted the body.

import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import Fastify from 'fastify';
import { readUnreadBodies } from '../../src/doors/http/server/unread-bodies.ts';
import { openHttpApp } from '../helpers/http-app.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const PIECE = Buffer.alloc(64 * 1024, ' ');
/** More bytes than the buffers of both ends hold. */
const PIECES = 512;

interface Sending {
	readonly port: number;
	readonly path: string;
	readonly headers: Record<string, string>;
}

/** Sends a whole body piece by piece over a bare connection, and reads the answer only when the body was sent. */
async function sendWhole(t: ExecutionContext, { port, path, headers }: Sending) {
	const isChunked = headers['transfer-encoding'] !== undefined;
	const socket = connect(port, '127.0.0.1').pause();
	t.teardown(() => socket.destroy());
	const broken = once(socket, 'error').then(([error]) => {
		throw error;
	});
	broken.catch(() => {});
	const send = async (bytes: Buffer | string) => {
		if (!socket.write(bytes)) await Promise.race([once(socket, 'drain'), broken]);
	};
	const lines = Object.entries({ host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}`);
	await send(`POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
	const size = Buffer.from(`${PIECE.length.toString(16)}\r\n`);
	const piece = isChunked ? Buffer.concat([size, PIECE, Buffer.from('\r\n')]) : PIECE;
	for (let sent = 0; sent < PIECES; sent++) await send(piece);
	if (isChunked) await send('0\r\n\r\n');
	const [answer] = await Promise.race([once(socket.resume(), 'data'), broken]);
	const [head, body] = String(answer).split('\r\n\r\n');
	return { status: Number(head.split(' ')[1]), body };
}

for (const connection of ['close', 'keep-alive']) {
	for (const length of ['told', 'untold']) {
		test(`a body that is too large for its call is answered, connection ${connection}, length ${length}`, async (t) => {
			const parts = await openHttpApp(t);
			const { apiKey } = await parts.createCaller('agency');
			await parts.app.listen({ host: '127.0.0.1', port: 0 });
			const { port } = parts.app.server.address() as AddressInfo;
			const told: Record<string, string> =
				length === 'told' ? { 'content-length': String(PIECES * PIECE.length) } : { 'transfer-encoding': 'chunked' };
			const headers = { ...JSON_TYPE, ...told, connection, accept: 'application/json' };
			const path = '/api/payments/paycard';
			const large = await sendWhole(t, { port, path, headers: { ...headers, 'x-service-api-key': apiKey } });
			t.is(large.status, 400);
			t.is(JSON.parse(large.body).moreInfo, 'body: larger than the 1048576 bytes that this endpoint takes');
			t.deepEqual(await sendWhole(t, { port, path, headers }), { status: 401, body: '' });
			for (const nowhere of ['/nowhere', '/%zz'])
				t.is((await sendWhole(t, { port, path: nowhere, headers })).status, 404);
		});
	}
}

test('shapes §4: a form is a 400 that says how to send a file, and a long one reads it', async (t) => {
	const parts = await openHttpApp(t);
	const { apiKey } = await parts.createCaller('agency');
	await parts.app.listen({ host: '127.0.0.1', port: 0 });
	const { port } = parts.app.server.address() as AddressInfo;
	const headers = {
		...{ 'x-service-api-key': apiKey, accept: 'application/json', connection: 'close' },
		'content-length': String(PIECES * PIECE.length),
		...{ 'content-type': 'multipart/form-data; boundary=x' },
	};
	const paths = [
		...[
			'/api/files/tokenize?filter=GBT',
			'/api/files/tokenize?filter=GBT&async=true',
			'/api/files/detokenize?filter=GBT',
		],
		...['/api/payments/paycard/relay/sftp?filter=GBT&fileName=x&destination=x', '/api/payments/paycard/batch'],
	];
	for (const path of paths) {
		const { status, body } = await sendWhole(t, { port, path, headers });
		t.is(status, 400, path);
		t.regex(JSON.parse(body).moreInfo, /^Content-Type: a form is not taken; .* curl --data-binary @FILE/, path);
	}
	t.is((await parts.database.knex('drop_files')).length, 0);
});

test('the rest of a body is read for a limited time only', async (t) => {
	const app = Fastify();
	t.teardown(() => app.close());
	readUnreadBodies(app, 100);
	app.post('/', { onRequest: async (_request, reply) => reply.code(401).send() }, async () => '');
	await app.listen({ host: '127.0.0.1', port: 0 });
	const { port } = app.server.address() as AddressInfo;
	for (const connection of ['close', 'keep-alive']) {
		const headers = { 'content-length': '1000', connection };
		const request = httpRequest({ host: '127.0.0.1', port, method: 'POST', headers, agent: false });
		request.on('error', () => {});
		request.write('x');
		const [response] = (await once(request, 'response')) as [IncomingMessage];
		t.is(response.statusCode, 401, 'the answer does not wait for the body');
		await once(request, 'close');
	}
	t.pass();
});
