// The trail is forwarded as it grows: whole, in order, and once more wherever it is not certain that an entry arrived.

import { once } from 'node:events';
import { createServer as createWebServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import test, { type ExecutionContext } from 'ava';
import { Secret } from '../../src/base/settings/secret.ts';
import type { ExportedEntry } from '../../src/trail/checks/exported-form.ts';
import { openForwarder, type TrailTarget } from '../../src/trail/forward/forwarder.ts';
import { framed, syslogTarget } from '../../src/trail/forward/syslog-target.ts';
import { webhookTarget } from '../../src/trail/forward/webhook-target.ts';
import { databases } from '../helpers/database.ts';
import { type IdentityParts, openIdentityParts } from '../helpers/identity-parts.ts';
import { makeAuthority } from '../helpers/outbound-servers.ts';
import { until } from '../helpers/until.ts';

const NEVER_BY_ITSELF_MS = 3_600_000;

async function record(parts: Pick<IdentityParts, 'audit'>, entries: number) {
	const details = { name: 'Zoë\nMüller' };
	for (let count = 0; count < entries; count += 1) {
		await parts.audit.record({ actor: 'operator test', action: 'test.note', subject: `note ${count}`, details });
	}
}

async function open(t: ExecutionContext, parts: IdentityParts, target: TrailTarget, daemon = 'one', everyMs?: number) {
	const warnings: string[] = [];
	const logger = { warn: (_details: object, message: string) => void warnings.push(message) };
	const forwarder = await openForwarder({ ...parts, logger }, target, daemon, everyMs ?? NEVER_BY_ITSELF_MS);
	t.teardown(() => forwarder.close());
	return { ...forwarder, warnings };
}

const entriesOf = async ({ database }: IdentityParts): Promise<string[]> =>
	database.knex('audit').orderBy('seq').pluck('hash');

async function listen(t: ExecutionContext, server: Server): Promise<number> {
	const sockets = new Set<Socket>();
	server.on('connection', (socket: Socket) => sockets.add(socket));
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	t.teardown(() => {
		server.close();
		for (const socket of sockets) socket.destroy();
	});
	return (server.address() as AddressInfo).port;
}

/** Splits bytes into messages, each of which has its length before it. */
function messagesOf(bytes: Buffer): string[] {
	const messages: string[] = [];
	for (let at = 0; at < bytes.length; ) {
		const blank = bytes.indexOf(' ', at);
		const end = blank + 1 + Number(bytes.toString('latin1', at, blank));
		messages.push(bytes.toString('utf8', blank + 1, end));
		at = end;
	}
	return messages;
}

function collect(socket: Socket, taken: Buffer[]): void {
	const pieces: Buffer[] = [];
	socket.on('data', (piece) => pieces.push(piece));
	socket.on('end', () => taken.push(Buffer.concat(pieces)));
	socket.on('error', () => {});
}

for (const dialect of databases) {
	test(`two daemons send every entry once between them, in order (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const taken: ExportedEntry[] = [];
		const target: TrailTarget = {
			kind: 'webhook',
			address: 'https://siem.example',
			async send(entries) {
				await new Promise((resolve) => setTimeout(resolve, 5));
				taken.push(...entries);
			},
		};
		const daemons = await Promise.all(['one', 'two'].map((name) => open(t, parts, target, name, 3)));
		await record(parts, 40);
		await until('everything is sent', async () => (await daemons[0].countBehind()) === 0);
		t.deepEqual(
			taken.map(({ hash }) => hash),
			await entriesOf(parts),
		);
		t.is(await daemons[0].forward(), 0);
	});

	test(`what was not taken is sent again, and a daemon that died in its turn is followed by another (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const taken: number[] = [];
		let failure: Error | undefined = new Error('closed');
		const target: TrailTarget = {
			kind: 'syslog',
			address: 'syslog+tls://logs.example:6514',
			async send(entries) {
				if (failure) throw failure;
				taken.push(...entries.map(({ seq }) => seq));
			},
		};
		const one = await open(t, parts, target, 'one');
		await until('a warning', async () => one.warnings.length === 1);
		await record(parts, 3);
		await t.throwsAsync(one.forward(), { message: 'closed' });
		t.is(await one.countBehind(), 4);
		failure = undefined;
		const { knex } = parts.database;
		await knex('audit_forwards').update({ leased_by: 'dead', leased_until: parts.clock.now().getTime() + 30_000 });
		t.is(await one.forward(), 0, 'it is the turn of another daemon');
		parts.turn(30_001);
		t.is(await one.forward(), 4);
		t.deepEqual(taken, [1, 2, 3, 4]);
	});
}

test('a syslog server gets messages of RFC 5424 over TLS, and another certificate gets nothing', async (t) => {
	const parts = await openIdentityParts(t, 'sqlite');
	const authority = await makeAuthority();
	const taken: Buffer[] = [];
	const server = createTlsServer(await authority.issue('localhost'), (socket) => collect(socket, taken));
	const port = await listen(t, server);
	const url = `syslog+tls://localhost:${port}`;
	await record(parts, 3);
	const stranger = await open(
		t,
		parts,
		syslogTarget(url, Buffer.from((await makeAuthority()).certificate)),
		'stranger',
	);
	await until('a warning', async () => stranger.warnings.length === 1);
	t.is(taken.length, 0);
	const { forward, countBehind } = await open(t, parts, syslogTarget(url, Buffer.from(authority.certificate)), 'one');
	await until('everything is sent', async () => (await forward()) === 0 && (await countBehind()) === 0);
	const messages = messagesOf(Buffer.concat(taken));
	t.is(messages.length, 4);
	for (const message of messages) {
		t.regex(message, /^<109>1 \d{4}-\d\d-\d\dT[\d:.]+Z \S+ tokendrop \d+ [a-z.]+ - \{"seq":\d+,/);
	}
	const hashes = messages.map((message) => JSON.parse(message.slice(message.indexOf('{'))).hash);
	t.deepEqual(hashes, await entriesOf(parts));
});

test('a syslog server that breaks off has not taken the batch', async (t) => {
	const parts = await openIdentityParts(t, 'sqlite');
	const taken: Buffer[] = [];
	let broken = 2;
	const server = createServer((socket) => {
		if (broken-- > 0) socket.once('data', () => socket.resetAndDestroy());
		else collect(socket, taken);
	});
	const target = syslogTarget(`syslog+tcp://127.0.0.1:${await listen(t, server)}`);
	const { forward, warnings } = await open(t, parts, target);
	await until('a warning', async () => warnings.length === 1);
	await t.throwsAsync(forward());
	t.is(await forward(), 1);
	t.is(messagesOf(Buffer.concat(taken)).length, 1);
});

test('a webhook gets JSON lines with its token, and a status other than 2xx has not taken them', async (t) => {
	const parts = await openIdentityParts(t, 'sqlite');
	let status = 503;
	const seen: { headers: NodeJS.Dict<string | string[]>; body: string }[] = [];
	const server = createWebServer((request, response) => {
		let body = '';
		request.setEncoding('utf8').on('data', (piece) => (body += piece));
		request.on('end', () => {
			seen.push({ headers: request.headers, body });
			response.writeHead(status, { location: '/elsewhere' }).end('answer');
		});
	});
	const url = `http://127.0.0.1:${await listen(t, server)}/hook`;
	const { forward, warnings } = await open(t, parts, webhookTarget(url, new Secret('of-the-siem')));
	await until('a warning', async () => warnings.length === 1);
	status = 302;
	await t.throwsAsync(forward());
	status = 204;
	t.is(await forward(), 1);
	const { headers, body } = seen.at(-1)!;
	t.like(headers, {
		...{ authorization: 'Bearer of-the-siem', 'content-type': 'application/x-ndjson', 'x-tokendrop-entries': '1-1' },
	});
	t.is(JSON.parse(body).hash, (await entriesOf(parts))[0]);
});

test('a message tells its length in bytes, and its header holds printable ASCII alone', (t) => {
	const entry = { seq: 1, at: '2026-11-22T10:00:00.000Z', action: 'wörd er\u0000', details: { name: 'ü'.repeat(400) } };
	const message = framed(entry as never);
	const [length] = message.toString('latin1').split(' ', 1);
	t.is(message.length, length.length + 1 + Number(length));
	t.regex(message.toString(), / tokendrop \d+ w_rd_er_ - \{/);
});
