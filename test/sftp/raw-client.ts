// Connects ssh2's client to the server under test, and lets the test write the packets of the SFTP channel itself.

import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Client, ClientChannel, ConnectConfig } from 'ssh2';
import { ssh2 } from '../../src/base/ssh/ssh2.ts';
import { openFlag } from '../../src/doors/sftp/protocol/packet.ts';
import { demoUser, type TestServer } from '../helpers/sftp-server.ts';
import { until } from '../helpers/until.ts';
import { handleOf, parseReplies } from './raw-session.ts';
import * as packets from './request-packets.ts';

/** The flags with which files are opened here. */
export const forWriting = openFlag.write | openFlag.create;
/** The login of the demo user. */
export const byPassword: ConnectConfig = { username: demoUser.userName, password: demoUser.password };

/** Logs in, and settles when the client is let in. */
export async function logIn(server: TestServer, config: ConnectConfig = byPassword): Promise<Client> {
	const client = new ssh2.Client();
	client.on('error', () => {});
	client.connect({ host: '127.0.0.1', port: server.port, ...config });
	await once(client, 'ready');
	return client;
}

/** Waits for the close of a connection, whatever error comes first; `once` would fail if that is a reset. */
export function closeOf(emitter: Client | Socket): Promise<void> {
	return new Promise((resolve) => {
		emitter.once('close', () => resolve());
	});
}

/** Opens the raw channel, and returns it with the replies on it so far. */
export async function openChannel(client: Client) {
	const channel = await new Promise<ClientChannel>((resolve, reject) => {
		client.subsys('sftp', (error, opened) => (error ? reject(error) : resolve(opened)));
	});
	const received: Buffer[] = [];
	channel.on('data', (chunk: Buffer) => received.push(chunk));
	const replies = () => parseReplies(Buffer.concat(received));
	return {
		channel,
		replies,
		async open(path: string): Promise<Buffer> {
			channel.write(Buffer.concat([packets.init, packets.open(1, path, forWriting)]));
			await until('a reply to OPEN', () => replies().length === 2);
			return handleOf(replies()[1]);
		},
	};
}
