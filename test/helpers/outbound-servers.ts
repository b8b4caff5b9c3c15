// Starts third parties of every kind on this machine, which tests of the outbound client call.

import 'reflect-metadata';
import { spawn } from 'node:child_process';
import { randomBytes, webcrypto } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createHttp2Server, createSecureServer as createSecureHttp2Server } from 'node:http2';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, createServer as createRawServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { TlsOptions } from 'node:tls';
import { BasicConstraintsExtension, SubjectAlternativeNameExtension, X509CertificateGenerator } from '@peculiar/x509';
import type { ExecutionContext } from 'ava';
import { ServiceError } from '../../src/base/errors.ts';
import {
	type OutboundCall,
	type OutboundClientOptions,
	openOutboundClient,
} from '../../src/base/outbound/http-client.ts';
import type { Lookup } from '../../src/base/outbound/system-lookup.ts';

export interface TestServer {
	readonly port: number;
	/** The number of connections accepted so far. */
	readonly connections: number;
	/** The number of connections that are open now. */
	readonly open: number;
}

async function listen(t: ExecutionContext, server: Server, host = '127.0.0.1', port = 0): Promise<TestServer> {
	const sockets = new Set<Socket>();
	let connections = 0;
	server.on('connection', (socket: Socket) => {
		connections++;
		sockets.add(socket);
		socket.on('error', () => {}).on('close', () => sockets.delete(socket));
	});
	await new Promise<void>((resolve) => server.listen(port, host, 4096, resolve));
	t.teardown(() => {
		server.close();
		for (const socket of sockets) socket.destroy();
	});
	return {
		port: (server.address() as AddressInfo).port,
		get connections() {
			return connections;
		},
		get open() {
			return sockets.size;
		},
	};
}

/** Starts a server on which a test answers each connection itself, with whatever bytes it wants. */
export function rawServer(t: ExecutionContext, onConnection: (socket: Socket) => void, host?: string) {
	return listen(t, createRawServer(onConnection), host);
}

/** Starts a server that answers each request on a connection with the same bytes, whatever the request says. */
export function bytesServer(t: ExecutionContext, answer: string | Buffer) {
	return rawServer(t, (socket) => socket.on('data', () => socket.write(answer)));
}

export function httpServer(t: ExecutionContext, listener: RequestListener, host?: string, port?: number) {
	return listen(t, createServer({ keepAliveTimeout: 60_000 }, listener), host, port);
}

/**
 * Returns a port of 127.0.0.1 on which connecting neither succeeds nor fails, because its queue is full and nobody empties
 * it.
 */
export async function blackhole(t: ExecutionContext): Promise<number> {
	const program = `
		const server = require('node:net').createServer();
		server.listen(0, '127.0.0.1', 1, () => console.log(server.address().port));`;
	const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
	const [line] = (await once(child.stdout, 'data')) as [Buffer];
	child.kill('SIGSTOP');
	await delay(50);
	const fillers = Array.from({ length: 4 }, () => connect(Number(line), '127.0.0.1').on('error', () => {}));
	t.teardown(() => {
		for (const filler of fillers) filler.destroy();
		child.kill('SIGKILL');
	});
	await delay(100);
	return Number(line);
}

export function httpsServer(t: ExecutionContext, options: TlsOptions, listener: RequestListener) {
	return listen(t, createTlsServer(options, listener));
}

/** Starts a server that speaks HTTP/2 and nothing else, over TLS if it has a certificate. */
export function http2Server(t: ExecutionContext, pair?: TlsOptions) {
	return listen(t, pair ? createSecureHttp2Server(pair) : createHttp2Server());
}

export async function readBody(request: IncomingMessage): Promise<Buffer> {
	const pieces: Buffer[] = [];
	for await (const piece of request) pieces.push(piece);
	return Buffer.concat(pieces);
}

/** Resolves every name to this machine. */
export const loopback: Lookup = async () => [{ address: '127.0.0.1', family: 4 }];

export function openTestClient(t: ExecutionContext, options: Partial<OutboundClientOptions> = {}) {
	const client = openOutboundClient({ allowPrivate: true, maxInFlight: 4000, lookup: loopback, ...options });
	t.teardown(() => client.close());
	const call = (url: string, given: Partial<OutboundCall> & { timeoutMs?: number } = {}) =>
		client.call({
			url: new URL(url),
			method: 'POST',
			headers: ['content-type', 'text/plain'],
			body: Buffer.from('body'),
			deadlineAt: performance.now() + (given.timeoutMs ?? 10_000),
			maxAnswerBytes: 1_048_576,
			...given,
		});
	return { client, call };
}

/** Checks that a call fails for this reason, and that its caller is told exactly `moreInfo`. */
export async function fails(
	t: ExecutionContext,
	call: Promise<unknown>,
	reason: string,
	moreInfo: string | null = null,
) {
	const error = await t.throwsAsync(call, { instanceOf: ServiceError });
	t.is(error.reason, reason as never);
	t.is(error.moreInfo, moreInfo);
}

/** Checks that the connections to a server are soon closed. */
export async function closes(t: ExecutionContext, server: TestServer) {
	for (let waits = 0; server.open > 0 && waits < 100; waits++) await delay(20);
	t.is(server.open, 0, 'its connections are closed');
}

export interface Pair {
	readonly cert: string;
	readonly key: string;
}

// The casts `as never` below are needed because Node and the library each declare the same type of keys.
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 86_400_000;

/** Makes a certificate authority, which issues certificates for servers and for clients. */
export async function makeAuthority() {
	const keys = await makeKeys();
	const common = { signingAlgorithm: ALGORITHM, notBefore: new Date(Date.now() - 9 * DAY_MS) };
	const root = await X509CertificateGenerator.createSelfSigned(
		{
			...common,
			serialNumber: serial(),
			name: `CN=authority ${serial()}`,
			notAfter: new Date(Date.now() + DAY_MS),
			keys: keys as never,
			extensions: [new BasicConstraintsExtension(true, undefined, true)],
		},
		webcrypto as never,
	);
	return {
		certificate: root.toString('pem'),
		async issue(name: string, validMs = DAY_MS): Promise<Pair> {
			const own = await makeKeys();
			const certificate = await X509CertificateGenerator.create(
				{
					...common,
					serialNumber: serial(),
					subject: `CN=${name}`,
					issuer: root.subject,
					notAfter: new Date(Date.now() + validMs),
					publicKey: own.publicKey as never,
					signingKey: keys.privateKey as never,
					extensions: [new SubjectAlternativeNameExtension([{ type: 'dns', value: name }])],
				},
				webcrypto as never,
			);
			return { cert: certificate.toString('pem'), key: await keyPem(own) };
		},
		/** Returns the certificate of the authority itself, for a server to use. */
		selfSigned: async (): Promise<Pair> => ({ cert: root.toString('pem'), key: await keyPem(keys) }),
	};
}

function serial(): string {
	return `1${randomBytes(8).toString('hex')}`.slice(0, 16);
}

async function makeKeys() {
	return (await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
}

async function keyPem(keys: webcrypto.CryptoKeyPair): Promise<string> {
	const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
	return `-----BEGIN PRIVATE KEY-----\n${der.replace(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`;
}
