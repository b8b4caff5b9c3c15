import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Algorithms } from 'ssh2';
import { defendedAddress } from '../../base/defender/defender.ts';
import type { Siblings } from '../../base/siblings.ts';
import { freeSentBuffers } from '../../base/ssh/packet-buffers.ts';
import { hasNativeBinding, ssh2 } from '../../base/ssh/ssh2.ts';
import { HeldBytes } from './memory/held-bytes.ts';
import { Outage } from './session/outage.ts';
import { Admission, type SessionPlaces } from './ssh/admission.ts';
import { Connection } from './ssh/connection.ts';
import type { ConnectionContext } from './ssh/connection-context.ts';
import { algorithms } from './ssh/first-guess.ts';
import { formatFingerprint, parseServerKeys } from './ssh/host-keys.ts';
import { Startups } from './ssh/startups.ts';

export interface SftpServerOptions<P>
	extends Omit<ConnectionContext<P>, 'admission' | 'startups' | 'exchanges' | 'outage' | 'held'> {
	/** Counts the sessions; without it, the server does by itself. */
	readonly admission?: SessionPlaces;
	/** The other processes that serve the same addresses. */
	readonly siblings?: Siblings;
	readonly host: string;
	/** The port to listen on; 0 means any free port. */
	readonly port: number;
	/** The private keys in OpenSSH's or PEM format. One of each type is used. */
	readonly hostKeys: readonly (string | Buffer)[];
}

const checkEveryMs = 1_000;

export type SftpServer = Awaited<ReturnType<typeof openSftpServer>>;

/** @throws if the port is not available or a host key cannot be read */
export async function openSftpServer<P>(options: SftpServerOptions<P>) {
	const { limits, defender, logins, clock } = options;
	const fingerprints = options.hostKeys.map(formatFingerprint);
	const { admission = new Admission(limits) } = options;
	const startups = new Startups(limits, clock, options.siblings);
	const held = new HeldBytes(limits.maxHeldBytes);
	const openTree: ConnectionContext<P>['openTree'] = (...args) => options.openTree(...args);
	const exchanges = { postQuantum: 0, classical: 0 };
	const context: ConnectionContext<P> = {
		...options,
		openTree,
		held,
		admission,
		startups,
		outage: new Outage(clock),
		exchanges,
	};
	const connections = new Set<Connection<P>>();
	/**
	 * Holds the connections whose client has not named its SSH version yet, by their address and port. ssh2 reports a
	 * connection only after that.
	 */
	const silent = new Map<string, Connection<P>>();
	const ssh = new ssh2.Server({
		hostKeys: parseServerKeys(options.hostKeys),
		algorithms: structuredClone(algorithms) as unknown as Algorithms,
		ident: 'tokendrop',
		keepaliveInterval: limits.keepaliveMs,
		keepaliveCountMax: limits.maxMissedKeepalives,
	});
	ssh.on('connection', (client, { ip, port, header }) => {
		const connection = silent.get(`${ip} ${port}`);
		silent.delete(`${ip} ${port}`);
		// If there is no such connection in the map, its socket has closed in the meantime.
		if (connection) connection.greet(client, header);
		else client.on('error', () => {}).end();
	});

	const accept = (socket: Socket) => {
		if (!socket.remoteAddress) return socket.destroy();
		const address = defendedAddress(socket.remoteAddress);
		if (logins.isShutOut(address)) return socket.destroy();
		// With Nagle's algorithm every reply would wait for the acknowledgement of the last one, and uploads would be five
		// times slower.
		socket.setNoDelay(true);
		freeSentBuffers(socket);
		const key = `${socket.remoteAddress} ${socket.remotePort}`;
		const connection = new Connection(socket, address, randomUUID(), context);
		if (connection.isOverItsLimit) defender.report(address, 'limit-exceeded');
		connections.add(connection);
		silent.set(key, connection);
		socket.once('close', () => {
			if (silent.get(key) === connection) silent.delete(key);
		});
		void connection.closed.then(() => connections.delete(connection));
		ssh.injectSocket(socket);
	};
	const listener = createServer(accept);
	listener.listen(options.port, options.host);
	await once(listener, 'listening');
	listener.on('error', (error) => options.logger.error({ err: error }, 'sftp listener failed'));
	const checks = setInterval(() => {
		const nowMs = clock.now().getTime();
		for (const connection of connections) connection.check(nowMs);
	}, checkEveryMs);
	checks.unref();

	const drain = async (drainMs: number) => {
		const deadlineMs = performance.now() + drainMs;
		for (const connection of connections) connection.drain();
		while (connections.size > 0 && performance.now() < deadlineMs) {
			for (const connection of connections) if (!connection.isBusy) connection.end('server stops');
			await delay(25);
		}
		const left = [...connections];
		for (const connection of left) connection.destroy('server stops');
		await Promise.all(left.map((connection) => connection.closed));
	};
	const close = async (drainMs: number) => {
		const listenerClosed = once(listener, 'close');
		listener.close();
		await drain(drainMs);
		clearInterval(checks);
		await listenerClosed;
	};
	let closing: Promise<void> | null = null;
	return {
		port: (listener.address() as AddressInfo).port,
		fingerprints,
		/** Tells whether ssh2 runs with its compiled cryptography; without it transfers are about 40 % slower. */
		hasNativeBinding: hasNativeBinding(),
		/** Returns how many key exchanges there were since the start. */
		exchanges: () => exchanges,
		sessions: () => admission.sessions,
		/** Returns the bytes in memory for all clients together. Metrics show them, and tests compare them with the limit. */
		heldBytes: () => held.bytes,
		/**
		 * Closes the server: it accepts no new connection and no new file, lets transfers continue for `drainMs`
		 * milliseconds, and then closes the connections that are left.
		 */
		close(drainMs = 10_000): Promise<void> {
			closing ??= close(drainMs);
			return closing;
		},
	};
}
