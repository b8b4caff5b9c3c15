// Measures the interface over HTTP: the real daemon is one process, and the load another, both on this machine.

import Fastify from 'fastify';
import { CardNumber } from '../src/base/card/card-number.ts';
import { systemClock } from '../src/base/clock.ts';
import type { AccountId } from '../src/base/database/ids.ts';
import { BulkCommit } from '../src/vault/cards/bulk-commit.ts';
import { openCardWriter } from '../src/vault/cards/card-writer.ts';
import { fieldsOf } from '../src/vault/cards/new-card.ts';
import type { Installation } from '../test/helpers/daemon.ts';
import { amount, runs } from './amounts.ts';
import { batchMemoryRow, batchRow, RATE_CARDS } from './batch.ts';
import { type FigureNotes, figure, median } from './figures.ts';
import { cardNumber } from './generate.ts';
import type { HttpLoad, HttpLoadResult } from './http-load.ts';
import { httpLoad, type LoadGoal, loadRow } from './loads.ts';
import type { BenchPostgres } from './postgres.ts';
import type { BenchRow } from './table.ts';
import { withDaemon } from './with-daemon.ts';

const SECONDS = amount('BENCH_SECONDS', 8);
const RUNS = runs(3);
const QUERY_TOKENS = Math.max(1000, amount('BENCH_TOKENS', 10_000_000));
const FILL = 1000;
/** The sizes of the batches whose memory is measured, each on a daemon of its own. */
const MEMORY_CARDS = [RATE_CARDS / 10, RATE_CARDS];

async function load(task: Omit<HttpLoad, 'seconds'>): Promise<HttpLoadResult[]> {
	const results: HttpLoadResult[] = [];
	for (let n = 0; n < RUNS; n++) {
		results.push(await httpLoad({ ...task, seconds: SECONDS }));
	}
	return results;
}

const LIMIT: LoadGoal = {
	target: '(the limit to compare with)',
	rate: { larger: 'neither' },
	p99: { larger: 'neither' },
};
const STORE_SQLITE: LoadGoal = {
	target: '8,000 requests/s, p99 < 60 ms (16,000, < 30 ms)',
	rate: { must: 8000, aim: 16_000 },
	p99: { must: 60, aim: 30 },
};
const METADATA: LoadGoal = { target: '8,000 requests/s (20,000)', rate: { must: 8000, aim: 20_000 } };
const STORE_POSTGRES: LoadGoal = { target: '4,000 requests/s (12,000)', rate: { must: 4000, aim: 12_000 } };

/** Measures storing and reading cards, with a bare route of the framework to compare with. */
export async function httpRows(postgres: BenchPostgres): Promise<BenchRow[]> {
	const rows: BenchRow[] = [];
	const bare = Fastify();
	bare.post('/', async () => ({ ok: true }));
	const bareUrl = await bare.listen({ port: 0 });
	const limit = await load({ url: bareUrl, apiKey: '', cards: 1000, paths: ['/'] });
	rows.push(loadRow('bare Fastify route, POST, 64 connections', 'http/bare', limit, LIMIT));
	await bare.close();
	const paths = ['/api/payments/paycard'];
	await withDaemon({}, async (url, { apiKey }) => {
		const stored = await load({ url, apiKey, cards: 5000, paths });
		rows.push(loadRow('store one card, SQLite, durable', 'http/store/SQLite', stored, STORE_SQLITE));
		const listed = await fetch(`${url}/api/payments/paycard/meta?num=2000`, {
			headers: { 'x-service-api-key': apiKey, accept: 'application/json' },
		});
		const tokens = ((await listed.json()) as { URI: string }[]).map(({ URI }) => URI.slice(-32));
		const read = await load({ url, apiKey, paths: tokens.map((token) => `/api/payments/paycard/${token}/meta`) });
		rows.push(loadRow('metadata by token, SQLite', 'http/metadata/SQLite', read, METADATA));
		rows.push(await batchRow(url, apiKey));
	});
	for (const cards of MEMORY_CARDS) {
		rows.push(await withDaemon({}, (_url, { apiKey }, _, daemon) => batchMemoryRow(daemon, apiKey, cards)));
	}
	const databaseUrl = await postgres.createDatabase();
	await withDaemon({ TOKENDROP_DATABASE_URL: databaseUrl }, async (url, { apiKey }) => {
		const stored = await load({ url, apiKey, cards: 5000, paths });
		rows.push(loadRow('store one card, PostgreSQL 18', 'http/store/PostgreSQL', stored, STORE_POSTGRES));
	});
	rows.push(...(await withDaemon({}, queryRows)));
	return rows;
}

/** Fills an account with many tokens through the vault, and measures queries of its first and its last page. */
async function queryRows(
	url: string,
	{ userId, apiKey }: Installation['demo'],
	{ parts }: Installation,
): Promise<BenchRow[]> {
	const { database, keyRing, identity } = await parts();
	const { id } = await identity.accounts.get(userId);
	const accountId = id as AccountId;
	const owner = { accountId, creatorId: accountId };
	const commit = new BulkCommit(database);
	const writer = await openCardWriter({ database, keyRing, ...owner, now: new Date(), clock: systemClock, commit });
	const fields = fieldsOf({ number: new CardNumber(cardNumber(1)), expiry: 202912, type: 19 });
	for (let n = 0; n < QUERY_TOKENS; n += FILL) {
		await writer.reserve(FILL);
		for (let k = 0; k < FILL; k++) writer.place(fields);
		await writer.drain();
	}
	await writer.flush();
	const measure = async (from: number) => {
		const times: number[] = [];
		for (let n = 0; n < 9; n++) {
			const started = performance.now();
			const response = await fetch(`${url}/api/payments/paycard/meta?from=${from}&num=100`, {
				headers: { 'x-service-api-key': apiKey, accept: 'application/json' },
			});
			const items = (await response.json()) as unknown[];
			if (items.length !== 100) throw new Error(`expected 100 items, not ${items.length}`);
			times.push(performance.now() - started);
		}
		return times;
	};
	const row = async (name: string, from: number, target: string, notes: FigureNotes): Promise<BenchRow> => {
		const times = await measure(from);
		return {
			what: `${QUERY_TOKENS.toLocaleString('en')} tokens: query page at from=${from.toLocaleString('en')}`,
			result: `${median(times).toFixed(1)} ms`,
			target,
			figures: [figure(`http/query/${name}`, 'ms', times, notes)],
		};
	};
	return [
		await row('first page', 0, '20 ms (5 ms)', { must: 20, aim: 5 }),
		await row('last page', QUERY_TOKENS - 100, '200 ms (20 ms)', { must: 200, aim: 20 }),
	];
}
