// Opens what delivers events, over a database, and receivers that tests answer for.

import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';
import type { Dialect } from '../../src/base/database/dialect.ts';
import { transact } from '../../src/base/database/dialect.ts';
import type { AccountId } from '../../src/base/database/ids.ts';
import { openOutboundClient } from '../../src/base/outbound/http-client.ts';
import { type NewEvent, recordEvents } from '../../src/base/outbox/record-events.ts';
import { openAudit } from '../../src/trail/audit.ts';
import { deliveryStore } from '../../src/work/events/delivery-store.ts';
import { openEventEndpoints } from '../../src/work/events/endpoints.ts';
import { type EventMails, MOST_CALLS, runLane } from '../../src/work/events/lane.ts';
import { openBegunDatabase } from './begun-database.ts';
import { turnableClock } from './vault-parts.ts';

export const OWNER = { accountId: 7 as AccountId, userId: 'agency' };
export const BY = 'operator test';

/** A call that a receiver got. */
export interface ReceivedCall {
	readonly headers: IncomingHttpHeaders;
	readonly id: string;
	readonly body: string;
}

/** An answer of a receiver; undefined if it hangs. */
export type ReceiverAnswer =
	| { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
	| undefined;

/** Starts a receiver; it is closed with the test. */
export async function startReceiver(
	t: ExecutionContext,
	answer: (call: ReceivedCall) => ReceiverAnswer | Promise<ReceiverAnswer> = () => ({ status: 204 }),
) {
	const calls: ReceivedCall[] = [];
	const server = createServer(async (request, response) => {
		const pieces: Buffer[] = [];
		for await (const piece of request) pieces.push(piece);
		const body = Buffer.concat(pieces).toString();
		const call = { headers: request.headers, id: String(request.headers['webhook-id']), body };
		calls.push(call);
		const given = await answer(call);
		if (given) response.writeHead(given.status, given.headers).end();
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	t.teardown(() => {
		server.close();
		server.closeAllConnections();
	});
	return { calls, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks` };
}

/** Opens a database with the account `agency`, and what delivers its events. */
export async function openEvents(t: ExecutionContext, dialect: Dialect, options: { mails?: EventMails } = {}) {
	const clock = turnableClock(new Date('2026-06-01T02:00:00Z'));
	const { database, keyRing } = await openBegunDatabase(t, dialect, clock);
	const audit = await openAudit({ database, keyRing, clock });
	const row = { id: OWNER.accountId, user_id: OWNER.userId, kind: 'primary', created_at: 0 };
	await database.knex('accounts').insert({ ...row, cvv_retention: false, allowance_used: 0 });
	const outbound = openOutboundClient({ allowPrivate: true, maxInFlight: MOST_CALLS });
	t.teardown(() => outbound.close());
	const endpoints = openEventEndpoints({ database, keyRing, audit, clock });
	const logged: object[] = [];
	const logger = { warn: (details: object) => void logged.push(details), info: () => {} };
	const none = {
		queue: { isOpen: false, prepare: () => Promise.reject(new Error('closed')), wake() {} },
		from: undefined,
	};
	const parts = { database, endpoints, outbound, mails: options.mails ?? none, audit, clock, logger, random: () => 0 };
	const put = async (name: string, url: string, more: { types?: string[]; signature?: 'v1' | 'v1a' } = {}) => {
		const plan = { name, url, types: more.types, signature: more.signature ?? ('v1' as const) };
		return (await endpoints.put(OWNER, plan, BY)).secret.reveal();
	};
	/** Records events in a transaction of their own. */
	const tell = (...events: readonly Partial<NewEvent>[]) =>
		transact(database, (transaction) => recordEvents(transaction, events.map(eventOf), clock.now().getTime()));
	/** Delivers what is due, to all endpoints at once. */
	const deliver = async (signal = new AbortController().signal) => {
		const ids = await deliveryStore(database).listDueEndpoints(clock.now().getTime(), 100);
		await Promise.all(ids.map((id) => runLane(parts, id, signal)));
	};
	return { ...parts, keyRing, logged, put, tell, deliver };
}

function eventOf(event: Partial<NewEvent>): NewEvent {
	const about = `job ${event.data?.job ?? 1}`;
	return { type: 'job.done', accountId: OWNER.accountId, about, data: { job: '1', cards: 2 }, ...event };
}
