// The interface over HTTP: the real daemon in one process, the load in another, both on this machine.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import Fastify from 'fastify';
import { CardNumber } from '../../src/card/card-number.ts';
import type { AccountId } from '../../src/database/ids.ts';
import { openBulkStore } from '../../src/vault/bulk-store.ts';
import { fieldsOf } from '../../src/vault/new-card.ts';
import type { Installation } from '../helpers/daemon.ts';
import { batchMemoryRow, batchRow } from './batch.ts';
import { cardNumber } from './generate.ts';
import type { HttpLoad, HttpLoadResult } from './http-load.ts';
import type { BenchPostgres } from './postgres.ts';
import { type BenchRow, median } from './table.ts';
import { withDaemon } from './with-daemon.ts';

const LOAD = fileURLToPath(new URL('./http-load.ts', import.meta.url));
const SECONDS = 8;
const RUNS = 3;
const QUERY_TOKENS = 10_000_000;
/** Each on a daemon of its own. */
const MEMORY_CARDS = [100_000, 1_000_000];

async function load(task: Omit<HttpLoad, 'seconds'>): Promise<HttpLoadResult> {
	const results: HttpLoadResult[] = [];
	for (let n = 0; n < RUNS; n++) {
		const { stdout } = await promisify(execFile)(process.execPath, [
			LOAD,
			JSON.stringify({ ...task, seconds: SECONDS }),
		]);
		results.push(JSON.parse(stdout));
	}
	const middle = (key: keyof HttpLoadResult) => median(results.map((result) => result[key]));
	const [requestsPerSecond, answered] = [middle('requestsPerSecond'), middle('answered')];
	return { requestsPerSecond, answered, p99Ms: middle('p99Ms'), failures: middle('failures') };
}

function describe({ requestsPerSecond, p99Ms, failures }: HttpLoadResult): string {
	const failed = failures > 0 ? `, ${failures} FAILED` : '';
	return `${Math.round(requestsPerSecond)} requests/s, p99 ${p99Ms} ms${failed}`;
}

/** Storing and reading single cards, with the bare framework beside. */
export async function httpRows(postgres: BenchPostgres): Promise<BenchRow[]> {
	const rows: BenchRow[] = [];
	const bare = Fastify();
	bare.post('/', async () => ({ ok: true }));
	const bareUrl = await bare.listen({ port: 0 });
	rows.push({
		what: 'bare Fastify route, POST, 64 connections',
		result: describe(await load({ url: bareUrl, apiKey: '', cards: 1000, paths: ['/'] })),
		target: '(the limit to compare with)',
	});
	await bare.close();
	const paths = ['/api/payments/paycard'];
	await withDaemon({}, async (url, { apiKey }) => {
		rows.push({
			what: 'store one card, SQLite, durable',
			result: describe(await load({ url, apiKey, cards: 5000, paths })),
			target: '8,000 requests/s, p99 < 60 ms (16,000, < 30 ms)',
		});
		const listed = await fetch(`${url}/api/payments/paycard/meta?num=2000`, {
			headers: { 'x-service-api-key': apiKey, accept: 'application/json' },
		});
		const tokens = ((await listed.json()) as { URI: string }[]).map(({ URI }) => URI.slice(-32));
		rows.push({
			what: 'metadata by token, SQLite',
			result: describe(
				await load({ url, apiKey, paths: tokens.map((token) => `/api/payments/paycard/${token}/meta`) }),
			),
			target: '8,000 requests/s (20,000)',
		});
		rows.push(await batchRow(url, apiKey));
	});
	for (const cards of MEMORY_CARDS) {
		rows.push(await withDaemon({}, (_url, { apiKey }, _, daemon) => batchMemoryRow(daemon, apiKey, cards)));
	}
	const databaseUrl = await postgres.createDatabase();
	await withDaemon({ TOKENDROP_DATABASE_URL: databaseUrl }, async (url, { apiKey }) => {
		rows.push({
			what: 'store one card, PostgreSQL 18',
			result: describe(await load({ url, apiKey, cards: 5000, paths })),
			target: '4,000 requests/s (12,000)',
		});
	});
	rows.push(...(await withDaemon({}, queryRows)));
	return rows;
}

/** An account with ten million tokens, filled in through the vault. */
async function queryRows(
	url: string,
	{ userId, apiKey }: Installation['demo'],
	{ rooms }: Installation,
): Promise<BenchRow[]> {
	const { database, keyRing, identity } = await rooms();
	const { id } = await identity.accounts.get(userId);
	const accountId = id as AccountId;
	const owner = { accountId, creatorId: accountId, jobId: null };
	const store = await openBulkStore({ database, keyRing, ...owner, now: new Date() });
	const fields = fieldsOf({ number: new CardNumber(cardNumber(1)), expiry: 202912, type: 19 });
	for (let n = 0; n < QUERY_TOKENS; n += 10_000) {
		await store.reserve(10_000);
		for (let k = 0; k < 10_000; k++) store.add(fields);
		if (store.isDue()) await store.drain();
	}
	await store.flush();
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
		return median(times);
	};
	const row = async (from: number, target: string): Promise<BenchRow> => ({
		what: `10,000,000 tokens: query page at from=${from.toLocaleString('en')}`,
		result: `${(await measure(from)).toFixed(1)} ms`,
		target,
	});
	return [await row(0, '20 ms (5 ms)'), await row(9_999_900, '200 ms (20 ms)')];
}
