// Measures how many events a second a daemon tells a receiver that answers in 5 ms, when 10,000 wait for it.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { transact } from '../src/base/database/dialect.ts';
import { recordEvents } from '../src/base/outbox/record-events.ts';
import type { Installation } from '../test/helpers/daemon.ts';
import { amount } from './amounts.ts';
import { figure } from './figures.ts';
import type { BenchPostgres } from './postgres.ts';
import type { BenchRow } from './table.ts';
import { withDaemon } from './with-daemon.ts';

const EVENTS = Math.max(100, amount('BENCH_EVENTS', 10_000));
const ANSWER_MS = 5;
const AT_ONCE = 1_000;

export async function eventRows(openPostgres: () => Promise<BenchPostgres>): Promise<BenchRow[]> {
	const postgres = { TOKENDROP_DATABASE_URL: await (await openPostgres()).createDatabase() };
	return [await measure('sqlite', {}), await measure('postgres', postgres)];
}

async function measure(name: 'sqlite' | 'postgres', variables: Record<string, string>): Promise<BenchRow> {
	const allowed = { ...variables, TOKENDROP_RELAY_ALLOW_PRIVATE: 'true' };
	return withDaemon(allowed, async (_url, { userId }, installation) => {
		const receiver = await startReceiver();
		try {
			const named = ['--user-id', userId, '--name', 'bench'];
			await installation.json('event', 'endpoint', 'put', ...named, '--url', receiver.url);
			await installation.json('event', 'endpoint', 'pause', ...named);
			await recordAll(installation, userId);
			await installation.json('event', 'endpoint', 'resume', ...named);
			const rate = await receiver.rate();
			return {
				what: `${EVENTS.toLocaleString('en')} waiting events to a receiver that answers in ${ANSWER_MS} ms, ${name}`,
				result: `${Math.round(rate)} events/s`,
				target: '500 events/s (2,000)',
				figures: [figure(`events/${name}/told`, 'events/s', rate, { must: 500, aim: 2_000 })],
			};
		} finally {
			receiver.close();
		}
	});
}

/** Starts a receiver, which says at which rate it was told of each event for the first time. */
async function startReceiver() {
	const known = new Set<string>();
	let firstAt = 0;
	let lastAt = 0;
	const server = createServer((request, response) => {
		request.resume().on('end', () => {
			firstAt ||= performance.now();
			known.add(String(request.headers['webhook-id']));
			lastAt = performance.now();
			setTimeout(() => response.writeHead(204).end(), ANSWER_MS);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
		async rate() {
			while (known.size < EVENTS) await sleep(20);
			return (EVENTS / (lastAt - firstAt)) * 1_000;
		},
		close() {
			server.close();
			server.closeAllConnections();
		},
	};
}

/** Records events of as many jobs while the endpoint is paused, so that all of them wait. */
async function recordAll({ parts }: Installation, userId: string): Promise<void> {
	const { database, identity } = await parts();
	const { id: accountId } = await identity.accounts.get(userId);
	for (let from = 0; from < EVENTS; from += AT_ONCE) {
		const events = Array.from({ length: Math.min(AT_ONCE, EVENTS - from) }, (_, nth) => {
			const job = String(from + nth);
			const data = {
				job,
				operation: 'tokenize',
				filter: 'GBT',
				name: `${job}.csv`,
				cards: 120,
				refused: 0,
				otherNumbers: 0,
			};
			return { type: 'job.done' as const, accountId, about: `job ${job}`, data };
		});
		await transact(database, (transaction) => recordEvents(transaction, events, Date.now()));
	}
	if (database.dialect === 'postgres') await database.knex.raw('analyze');
}
