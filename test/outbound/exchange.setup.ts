// What exchange.test.ts and exchange.slow.test.ts share.

import { connect, type Socket } from 'node:net';
import type { ExecutionContext } from 'ava';
import { ByteBudget } from '../../src/base/outbound/answer-body.ts';
import { Connection } from '../../src/base/outbound/connection.ts';
import { Exchange, type OutboundAnswer } from '../../src/base/outbound/exchange.ts';
import type { Target } from '../../src/base/outbound/target.ts';
import { rawServer } from '../helpers/outbound-servers.ts';

export async function openConnections(t: ExecutionContext, onRequest?: (count: number) => 'answered' | 'ignored') {
	let requests = 0;
	const server = await rawServer(t, (socket) =>
		socket.on('data', () => {
			requests++;
			if (onRequest?.(requests) === 'ignored') return;
			socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
		}),
	);
	let newest: Socket | undefined;
	const open = () =>
		new Promise<Connection>((resolve) => {
			const socket = connect(server.port, '127.0.0.1').on('error', () => {});
			newest = socket;
			t.teardown(() => socket.destroy());
			socket.once('connect', () => resolve(new Connection('http://partner.example', socket, () => {})));
		});
	return {
		open,
		openClosed: async () => {
			const connection = await open();
			connection.close();
			return connection;
		},
		/** Ends the newest connection with an error of this code. */
		breakWith(code: string) {
			newest!.destroy(Object.assign(new Error(code), { code }));
		},
		get requests() {
			return requests;
		},
	};
}

export function run(target: Partial<Target>): Promise<OutboundAnswer> {
	return new Promise((resolve, reject) => {
		const exchange = new Exchange({
			target: { give: () => {}, ...target } as Target,
			request: { path: '/', method: 'POST', headers: [], body: Buffer.from('once') },
			deadlineAt: performance.now() + 2000,
			maxAnswerBytes: 1000,
			budget: new ByteBudget(1000),
			onEnd: (error, answer) => (error ? reject(error) : resolve(answer!)),
		});
		exchange.start(performance.now());
	});
}
