// Opens a connection to the daemon that carries a given number of bytes, and then breaks or stalls.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface BadNetwork {
	readonly port: number;
	/** Returns whether the client has sent as many bytes as the network carries. */
	isUsedUp(): boolean;
	close(): Promise<void>;
}

/** Opens a network that breaks at both ends after `bytes` from the client, or stalls until the daemon hangs up. */
export async function openBadNetwork(toPort: number, bytes: number, then: 'break' | 'stall'): Promise<BadNetwork> {
	const sockets = new Set<Socket>();
	let isUsedUp = false;
	const server = createServer((client) => {
		const daemon = connect(toPort, '127.0.0.1');
		for (const each of [client, daemon]) sockets.add(each.on('error', () => {}));
		let left = bytes;
		client.on('data', (chunk) => {
			if (left === 0) return;
			daemon.write(chunk.subarray(0, left));
			left = Math.max(0, left - chunk.length);
			if (left > 0) return;
			isUsedUp = true;
			if (then === 'stall') return;
			daemon.end();
			client.destroy();
		});
		daemon.on('data', (chunk) => client.write(chunk));
		daemon.on('close', () => client.destroy());
		client.on('close', () => daemon.end());
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		port: (server.address() as AddressInfo).port,
		isUsedUp: () => isUsedUp,
		async close() {
			for (const each of sockets) each.destroy();
			server.close();
			await once(server, 'close');
		},
	};
}
