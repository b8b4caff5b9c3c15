// A receiver of events that is told what the routes of a soak do. Every event must come at least once, under its id and
// with what was recorded; how many came more than once is told.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Installation, Teardown } from '../../test/helpers/daemon.ts';

/** A daemon that was killed while it sent has claimed what it sent for a minute. */
const WITHIN_MS = 150_000;
const POLL_MS = 1_000;
const AT_ONCE = 1_000;
const TYPES = 'route.done,route.failed,route.stopped,route.file_dead';

interface ListedEvent {
	readonly id: string;
	readonly timestamp: string;
	readonly type: string;
	readonly data: object;
	readonly deliveries: readonly { readonly state: string }[];
}

export interface EventFeed {
	/** Waits until nothing is to be told any more, and returns what was lost or told wrongly. */
	settle(): Promise<readonly string[]>;
	/** Says how many events came, and how many of them more than once. */
	told(): string;
}

/** Starts a receiver and an endpoint for it. A daemon has to run. */
export async function openEventFeed(t: Teardown, installation: Installation): Promise<EventFeed> {
	/** The bodies that came, by the id of their event. */
	const received = new Map<string, string[]>();
	const server = createServer(async (request, response) => {
		const pieces: Buffer[] = [];
		try {
			for await (const piece of request) pieces.push(piece);
		} catch {
			// The daemon was killed while it sent.
			return;
		}
		const id = String(request.headers['webhook-id']);
		received.set(id, [...(received.get(id) ?? []), Buffer.concat(pieces).toString()]);
		response.writeHead(204).end();
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	t.teardown(() => {
		server.close();
		server.closeAllConnections();
	});
	const whose = ['--user-id', installation.demo.userId];
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
	await installation.json('event', 'endpoint', 'put', ...whose, '--name', 'soak', '--url', url, '--types', TYPES);

	/** Lists all events, some at a time. */
	const listAll = async (): Promise<ReadonlyMap<string, ListedEvent>> => {
		const events = new Map<string, ListedEvent>();
		for (let to: string | undefined; ; ) {
			const range = to === undefined ? [] : ['--to', to];
			const some: ListedEvent[] = await installation.json(
				'event',
				'list',
				...whose,
				'--limit',
				String(AT_ONCE),
				...range,
			);
			for (const event of some) events.set(event.id, event);
			if (some.length < AT_ONCE) return events;
			to = some.at(-1)!.timestamp;
		}
	};
	return {
		async settle() {
			const until = performance.now() + WITHIN_MS;
			let events = await listAll();
			const waits = () =>
				[...events.values()].some(({ deliveries }) => deliveries.some(({ state }) => state === 'waiting'));
			while (waits() && performance.now() < until) {
				await sleep(POLL_MS);
				events = await listAll();
			}
			const wrong: string[] = [];
			for (const [id, { type, timestamp, data }] of events) {
				const bodies = received.get(id);
				if (!TYPES.split(',').includes(type)) continue;
				if (!bodies) wrong.push(`event ${id} (${type}) was lost`);
				else if (bodies.some((body) => body !== JSON.stringify({ type, timestamp, data })))
					wrong.push(`event ${id} (${type}) did not come as it was recorded`);
			}
			for (const id of received.keys()) if (!events.has(id)) wrong.push(`event ${id} came, but was never recorded`);
			if (events.size === 0) wrong.push('no event was recorded');
			return wrong;
		},
		told() {
			const doubled = [...received.values()].filter(({ length }) => length > 1).length;
			return `${received.size} events came, ${doubled} of them more than once`;
		},
	};
}
