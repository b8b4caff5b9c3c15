import { connect, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { ServiceError } from '../../src/base/errors.ts';
import { ByteBudget } from '../../src/base/outbound/answer-body.ts';
import { Connection } from '../../src/base/outbound/connection.ts';
import { Exchange, type OutboundAnswer } from '../../src/base/outbound/exchange.ts';
import type { Target } from '../../src/base/outbound/target.ts';
import { rawServer } from '../helpers/outbound-servers.ts';
import { until } from '../helpers/until.ts';

async function openConnections(t: ExecutionContext, onRequest?: (count: number) => 'answered' | 'ignored') {
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

function run(target: Partial<Target>): Promise<OutboundAnswer> {
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

test('a connection that is gone before a byte was sent: the call goes out once, over a new one', async (t) => {
	const connections = await openConnections(t);
	const gone = await connections.openClosed();
	const answer = await run({ take: () => gone, open: connections.open });
	t.is(String(answer.body), 'ok');
	t.is(connections.requests, 1);
});

test('new connections that are gone as well end the call: it does not go round in circles', async (t) => {
	const connections = await openConnections(t);
	let opened = 0;
	const open = () => {
		opened++;
		return connections.openClosed();
	};
	const gone = await connections.openClosed();
	const error = await t.throwsAsync(run({ take: () => gone, open }), { instanceOf: ServiceError });
	t.is(error.reason, 'target-unreachable');
	t.is(error.moreInfo, 'targetUri: the connection was closed before the answer was complete');
	t.is(opened, 1);
	t.is(connections.requests, 0);
});

test('a connection that comes too late is closed, not kept', async (t) => {
	const connections = await openConnections(t);
	let late: Connection | undefined;
	const open = async (signal: AbortSignal) => {
		await new Promise((resolve) => signal.addEventListener('abort', resolve));
		late = await connections.open();
		return late;
	};
	const begin = performance.now();
	const error = await t.throwsAsync(run({ take: () => undefined, open }), { instanceOf: ServiceError });
	t.is(error.reason, 'request-timed-out');
	t.true(performance.now() - begin < 3000);
	await until('it opens all the same', () => late);
	t.false(late!.isOpen);
	t.is(connections.requests, 0);
});

const refused = test.macro(async (t, answersBefore: number) => {
	const connections = await openConnections(t, (count) => {
		if (count <= answersBefore) return 'answered';
		connections.breakWith('ERR_SSL_TLSV1_ALERT_UNKNOWN_CA');
		return 'ignored';
	});
	const connection = await connections.open();
	const target = { take: () => connection };
	for (let calls = 0; calls < answersBefore; calls++) t.is(String((await run(target)).body), 'ok');
	const error = await t.throwsAsync(run(target), { instanceOf: ServiceError });
	t.is(error.moreInfo, 'targetUri: the target did not accept the client certificate, or asks for one');
	t.is(error.isOutcomeUnknown, answersBefore > 0);
});
test('a target that refuses the client certificate on a new connection has not read the call', refused, 0);
test('a refused client certificate after an answer over the same connection leaves the outcome unknown', refused, 1);
