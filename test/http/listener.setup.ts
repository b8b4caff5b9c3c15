// What listener.test.ts and listener.slow.test.ts share.

import { connect } from 'node:net';
import type { ExecutionContext } from 'ava';
import { buildApp } from '../../src/doors/http/app.ts';
import { defaultServerLimits, type ServerLimits } from '../../src/doors/http/server/limits.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { addProbes } from '../helpers/http-probes.ts';

export async function listen(t: ExecutionContext, limits: Partial<ServerLimits> = {}, requestTimeoutMs = 10_000) {
	const parts = await openHttpApp(t, 'sqlite', { settings: { requestTimeoutMs } });
	const caller = await parts.createCaller('agency');
	const app = await buildApp(parts, { limits: { ...defaultServerLimits, ...limits } });
	t.teardown(() => app.close());
	addProbes(app);
	await app.listen({ host: '127.0.0.1', port: 0 });
	const { port } = app.server.address() as { port: number };
	/** Sends pieces as they are, and returns what came until the other side closed the connection. */
	const converse = (...pieces: string[]) =>
		new Promise<string>((resolve, reject) => {
			let text = '';
			const socket = connect(port, '127.0.0.1', () => pieces.forEach((piece) => void socket.write(piece)));
			socket.on('data', (chunk) => (text += chunk));
			socket.on('close', () => resolve(text));
			socket.on('error', (error: NodeJS.ErrnoException) =>
				error.code === 'ECONNRESET' ? resolve(text) : reject(error),
			);
			t.teardown(() => void socket.destroy());
		});
	const head = (length: number) =>
		`POST /probe HTTP/1.1\r\nhost: x\r\nx-service-api-key: ${caller.apiKey}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n`;
	return { app, port, converse, head, caller, parts };
}
