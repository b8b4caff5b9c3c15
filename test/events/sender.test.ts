import test from 'ava';
import { openMail } from '../../src/base/mail/mail.ts';
import { openMailQueue } from '../../src/base/mail/mail-queue.ts';
import { loadSettings } from '../../src/base/settings/settings.ts';
import { deliveryStore } from '../../src/work/events/delivery-store.ts';
import { runLane } from '../../src/work/events/lane.ts';
import { EventSender } from '../../src/work/events/sender.ts';
import { BY, OWNER, openEvents, startReceiver } from '../helpers/event-parts.ts';
import { startMailServer } from '../helpers/mail-server.ts';
import { until } from '../helpers/until.ts';

const DAY_MS = 86_400_000;

test('a receiver that hangs holds up no other endpoint', async (t) => {
	const { put, tell, database, ...parts } = await openEvents(t, 'sqlite');
	const hanging = await startReceiver(t, () => undefined);
	const other = await startReceiver(t);
	await put('hanging', hanging.url);
	await put('other', other.url);
	await tell(...Array.from({ length: 40 }, (_, nth) => ({ data: { job: String(nth) } })));
	const logger = { ...parts.logger } as never;
	const sender = new EventSender({ parts: { ...parts, database }, logger, pollMs: 20 });
	await until('all events at the other one', () => other.calls.length === 40);
	t.is(hanging.calls.length, 8, 'its calls still wait for an answer');
	await parts.outbound.close();
	await sender.close();
});

test('a mailbox is told of the types that it wants, and of an endpoint that was disabled', async (t) => {
	const server = await startMailServer(t);
	const { database, keyRing, clock, ...first } = await openEvents(t, 'sqlite');
	const sender = openMail({ host: server.host, port: server.port, tls: 'none', user: undefined, password: undefined });
	const { mail: limits } = loadSettings({ env: {} });
	const log = { warn() {}, error() {} };
	const queue = openMailQueue({ database, keyRing, clock, logger: log, limits, sender });
	t.teardown(() => queue.close());
	const parts = { ...first, database, clock, mails: { queue, from: 'vault@vault.example' } };

	const deliver = async () => {
		for (const id of await deliveryStore(database).listDueEndpoints(clock.now().getTime(), 10)) {
			await runLane(parts, id, new AbortController().signal);
		}
	};
	await parts.endpoints.putMail(OWNER, { to: 'ops@agency.example', types: ['job.failed'] }, BY);
	await parts.tell(
		{ type: 'job.done' },
		{ type: 'job.failed', data: { job: '1', message: '4111 1111 1111 1111 <b>' } },
	);
	await deliver();
	const told = await server.wait(1);
	t.deepEqual(told.to, ['ops@agency.example']);
	t.is(told.subject, 'job.failed: agency');
	t.regex(told.text, /A file could not be processed\. \(job\.failed\)\r\n\r\nAccount agency/);
	t.notRegex(told.raw, /4111 1111|<b>/);

	const receiver = await startReceiver(t, () => ({ status: 500 }));
	await parts.put('crm', receiver.url);
	for (let day = 0; day <= 5; day++) {
		if (day > 0) clock.turn(DAY_MS);
		t.not((await parts.endpoints.get(OWNER.accountId, 'crm')).state, 'disabled', `day ${day}`);
		await parts.tell({ type: 'job.done', data: { job: String(day) } });
		await deliver();
	}
	const disabled = await server.wait(2);
	t.is(disabled.subject, 'Endpoint crm is disabled');
	t.like(await parts.endpoints.get(OWNER.accountId, 'crm'), { state: 'disabled' });
});
