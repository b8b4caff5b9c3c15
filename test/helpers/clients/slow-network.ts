// Opens a way to the daemon on which everything takes a while, as over a long distance.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Opens a network that delays all bytes by `delayMs` in each direction, and returns its port. */
export async function openSlowNetwork(
	t: { teardown(release: () => unknown): void },
	toPort: number,
	delayMs: number,
): Promise<number> {
	const sockets = new Set<Socket>();
	// Timers of the same duration end in the order in which they began, so that the bytes stay in order.
	const pass = (from: Socket, to: Socket) => {
		sockets.add(from.setNoDelay(true).on('error', () => {}));
		from.on('data', (chunk) => setTimeout(() => to.write(chunk), delayMs));
		from.on('close', () => setTimeout(() => to.end(), delayMs));
	};
	const server = createServer((client) => {
		const daemon = connect(toPort, '127.0.0.1');
		pass(client, daemon);
		pass(daemon, client);
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	t.teardown(async () => {
		for (const each of sockets) each.destroy();
		server.close();
		await once(server, 'close');
	});
	return (server.address() as AddressInfo).port;
}
