// A daemon that is killed between sending an event and noting that it was received sends it again, under the same id.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { Webhook } from 'standardwebhooks';
import { openInstallation, type RunningDaemon } from '../helpers/daemon.ts';
import { openSession } from '../helpers/daemon-session.ts';
import { until } from '../helpers/until.ts';

const CSV = 'CardNumber,ExpirationMonth,ExpirationYear,CardType\n4111111111111111,12,2029,Visa\n';

test('killed between sending an event and noting it: the event comes again under its id, and is genuine both times', async (t) => {
	const installation = await openInstallation(t, { variables: { TOKENDROP_RELAY_ALLOW_PRIVATE: 'true' } });
	let daemon: RunningDaemon = await installation.start();
	const calls: { readonly headers: Record<string, string>; readonly body: string }[] = [];
	let killed: Promise<void> | undefined;
	const server = createServer(async (request, response) => {
		const pieces: Buffer[] = [];
		for await (const piece of request) pieces.push(piece);
		calls.push({ headers: request.headers as Record<string, string>, body: Buffer.concat(pieces).toString() });
		// The receiver has taken the event, but the daemon dies before it hears of that.
		killed ??= daemon.kill();
		await killed;
		response.writeHead(204).end();
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	t.teardown(() => {
		server.close();
		server.closeAllConnections();
	});
	const { userId } = installation.demo;
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
	const named = ['--user-id', userId, '--name', 'crm', '--url', url, '--types', 'job.done'];
	const { secret } = await installation.json('event', 'endpoint', 'put', ...named);
	const session = await openSession(t, installation, daemon);
	await session.put('/tokenize/SIMPLECSV/may.csv', Buffer.from(CSV));
	await until('the first call', () => calls.length === 1);
	await killed;
	const { deliveries: before } = (await installation.json('event', 'list', '--user-id', userId))[0];
	t.like(before, [{ state: 'waiting', tries: 0 }], 'nothing was noted');
	daemon = await installation.start();
	await until('the second call', () => calls.length === 2);
	const [first, second] = calls;
	t.is(first.headers['webhook-id'], second.headers['webhook-id']);
	t.is(first.body, second.body);
	for (const { headers, body } of calls) t.notThrows(() => new Webhook(secret).verify(body, headers));
	await until('the delivery is noted', async () => {
		const [{ deliveries }] = await installation.json('event', 'list', '--user-id', userId);
		return deliveries[0].state === 'sent';
	});
	t.is(calls.length, 2);
});
