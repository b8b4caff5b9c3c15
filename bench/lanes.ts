// Measures how much daemons on one PostgreSQL wait for each other at the end of the audit trail: one daemon, then two, four and
// eight, each of which stores cards. The machine, the database and the load are the same, so the rates say little on few
// processors; what is counted is how often somebody waited when looked at.

import pg from 'pg';
import type { Installation } from '../test/helpers/daemon.ts';
import { amount, runs } from './amounts.ts';
import { figure, median } from './figures.ts';
import { httpLoad } from './loads.ts';
import type { BenchPostgres } from './postgres.ts';
import type { BenchRow } from './table.ts';
import { withDaemon } from './with-daemon.ts';

const SECONDS = amount('BENCH_SECONDS', 8);
const RUNS = runs(3);
/** How many daemons store cards at once: one, with which the others are compared, and then more. */
const COUNTS = [1, 2, 4, 8] as const;
const NAMES = { 1: 'one daemon', 2: 'two daemons', 4: 'four daemons', 8: 'eight daemons' } as const;
const CARDS = 2048;
/** They are spread over the daemons, so that more daemons do not mean more load. */
const CONNECTIONS = 64;
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
			// All have compiled their code after this.
			await storeAt(looker, urls, apiKey);
			const rounds: Load[][] = [];
			for (let n = 0; n < RUNS; n++) {
				const loads: Load[] = [];
				for (const count of COUNTS) loads.push(await storeAt(looker, urls.slice(0, count), apiKey));
				rounds.push(loads);
			}
			return COUNTS.map((count, nth) =>
				rowOf(
					count,
					rounds.map((loads) => loads[nth]),
					rounds.map(([one]) => one),
				),
			);
		} finally {
			await looker.end();
		}
	});
}

async function startOthers(installation: Installation): Promise<string[]> {
	const urls: string[] = [];
	while (urls.length < Math.max(...COUNTS) - 1) urls.push((await installation.start()).baseUrl);
	return urls;
}

async function storeAt(looker: pg.Client, urls: readonly string[], apiKey: string): Promise<Load> {
	const loads = urls.map((url) =>
		httpLoad({
			...{ url, apiKey, cards: CARDS, paths: ['/api/payments/paycard'], seconds: SECONDS },
			connections: CONNECTIONS / urls.length,
		}),
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

function rowOf(count: (typeof COUNTS)[number], loads: readonly Load[], one: readonly Load[]): BenchRow {
	const name = `lanes/${NAMES[count]}`;
	const waiting = figure(
		`${name}/waiting`,
		'%',
		loads.map((load) => load.waiting * 100),
		{ larger: 'worse' },
	);
	const beside = figure(
		`${name}/rate beside one`,
		'times',
		loads.map((load, nth) => load.perSecond / one[nth].perSecond),
	);
	const rate = `${Math.round(median(loads.map(({ perSecond }) => perSecond)))} requests/s`;
	return {
		what: `store cards, ${NAMES[count]} on one PostgreSQL`,
		result: `${rate}${count === 1 ? '' : `, ${beside.value.toFixed(2)} of one`}; ${waiting.value.toFixed(1)} % of the looks found somebody waiting`,
		target: 'nobody waits',
		figures: count === 1 ? [waiting] : [waiting, beside],
	};
}
