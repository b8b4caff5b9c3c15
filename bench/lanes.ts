// Measures how much daemons on one PostgreSQL wait for each other at the end of the audit trail: one daemon, then four,
// each of which stores cards. The machine, the database and the load are the same, so the rates say little on few
// processors; what is counted is how often somebody waited when looked at.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import type { Installation } from '../test/helpers/daemon.ts';
import { amount, runs } from './amounts.ts';
import { figure, median } from './figures.ts';
import type { HttpLoad, HttpLoadResult } from './http-load.ts';
import type { BenchPostgres } from './postgres.ts';
import type { BenchRow } from './table.ts';
import { withDaemon } from './with-daemon.ts';

const LOAD = fileURLToPath(new URL('./http-load.ts', import.meta.url));
const SECONDS = amount('BENCH_SECONDS', 8);
const RUNS = runs(3);
const DAEMONS = 4;
const CARDS = 2048;
const LOOK_EVERY_MS = 5;

interface Load {
	readonly perSecond: number;
	/** The share of the looks at which a connection waited for a lock with a statement over the ends of the trail. */
	readonly waiting: number;
}

export async function laneRows(postgres: BenchPostgres): Promise<BenchRow[]> {
	const databaseUrl = await postgres.createDatabase();
	return withDaemon({ TOKENDROP_DATABASE_URL: databaseUrl }, async (url, { apiKey }, installation) => {
		const urls = [url, ...(await startOthers(installation))];
		const looker = new pg.Client({ connectionString: databaseUrl });
		await looker.connect();
		try {
			const one: Load[] = [];
			const all: Load[] = [];
			for (let n = -1; n < RUNS; n++) {
				const loads = [await storeAt(looker, urls.slice(0, 1), apiKey), await storeAt(looker, urls, apiKey)];
				// All have compiled their code after the first turn.
				if (n < 0) continue;
				one.push(loads[0]);
				all.push(loads[1]);
			}
			return [rowOf(one, all)];
		} finally {
			await looker.end();
		}
	});
}

async function startOthers(installation: Installation): Promise<string[]> {
	const urls: string[] = [];
	while (urls.length < DAEMONS - 1) urls.push((await installation.start()).baseUrl);
	return urls;
}

async function storeAt(looker: pg.Client, urls: readonly string[], apiKey: string): Promise<Load> {
	const loads = urls.map((url) =>
		load({ url, apiKey, cards: CARDS, paths: ['/api/payments/paycard'], seconds: SECONDS }),
	);
	const ended = Promise.all(loads);
	const waits: number[] = [];
	let isOver = false;
	void ended.finally(() => {
		isOver = true;
	});
	while (!isOver) {
		waits.push((await looker.query(WAITING)).rows[0].waiting);
		await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
	}
	const results = await ended;
	const failures = results.reduce((sum, result) => sum + result.failures, 0);
	if (failures > 0) throw new Error(`${failures} calls failed`);
	return {
		perSecond: results.reduce((sum, { requestsPerSecond }) => sum + requestsPerSecond, 0),
		waiting: waits.filter((count) => count > 0).length / waits.length,
	};
}

const WAITING = `select count(*)::int as waiting from pg_stat_activity
	where datname = current_database() and wait_event_type = 'Lock' and query like '%audit_head%'`;

async function load(task: HttpLoad): Promise<HttpLoadResult> {
	return JSON.parse((await promisify(execFile)(process.execPath, [LOAD, JSON.stringify(task)])).stdout);
}

function rowOf(one: readonly Load[], all: readonly Load[]): BenchRow {
	const told = (loads: readonly Load[]) =>
		`${Math.round(median(loads.map(({ perSecond }) => perSecond)))} requests/s, ${percent(median(loads.map(({ waiting }) => waiting)))} of the looks found somebody waiting`;
	return {
		what: `store cards, ${DAEMONS} daemons on one PostgreSQL beside one`,
		result: `${told(all)}; one: ${told(one)}`,
		target: 'nobody waits',
		figures: [
			figure(
				'lanes/four daemons/waiting',
				'%',
				all.map(({ waiting }) => waiting * 100),
				{ larger: 'worse' },
			),
			figure(
				'lanes/one daemon/waiting',
				'%',
				one.map(({ waiting }) => waiting * 100),
				{ larger: 'worse' },
			),
			figure(
				'lanes/four daemons/rate beside one',
				'times',
				all.map(({ perSecond }, nth) => perSecond / one[nth].perSecond),
			),
		],
	};
}

function percent(share: number): string {
	return `${(share * 100).toFixed(1)} %`;
}
