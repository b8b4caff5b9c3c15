// Tests, by the plans of the database for its queries, that no page of the portal reads a whole table.

import test from 'ava';
import { openPortalApp } from '../helpers/portal-app.ts';
import { openFullPortal } from '../helpers/portal-paths.ts';

const SIZE = { tokens: 10_000, jobs: 1_000, entries: 10_000, accounts: 120 };
/** The tables that grow with the work, among them the one with a week of runs of tasks. */
const LARGE =
	/\b(pages|token_refs|fingerprints|jobs|drop_files|audit|small_blobs|statistics|schedule_runs|job_fetches)\b/;
/** The indexes that hold only few rows of their table. */
const PARTIAL = /\bjobs_(waiting|due|queued|running|failed|refused)\b|schedule_runs_failed/;

test('no page reads a whole table', async (t) => {
	const parts = await openPortalApp(t);
	const { paths, get } = await openFullPortal(parts, SIZE);
	const { knex } = parts.database;
	let asked: { sql: string; bindings: readonly unknown[] }[] = [];
	knex.on('query', ({ sql, bindings = [] }) => {
		if (/^\s*(select|with)/i.test(sql)) asked.push({ sql, bindings });
	});
	const scans: string[] = [];
	for (const path of paths) {
		asked = [];
		const { statusCode } = await get(path);
		t.true([200, 303, 404].includes(statusCode), `${path}: ${statusCode}`);
		const ofPage = asked;
		for (const { sql, bindings } of ofPage) {
			const plan: { detail: string }[] = await knex.raw(`explain query plan ${sql}`, bindings as never);
			// A query that walks along an index and stops at its limit does not read the whole table.
			const stopsEarly = /\blimit \?/.test(sql) && !plan.some(({ detail }) => detail.includes('TEMP B-TREE'));
			for (const { detail } of plan)
				if (
					/^SCAN/.test(detail) &&
					LARGE.test(detail) &&
					!PARTIAL.test(detail) &&
					!(stopsEarly && !/ where /.test(sql))
				)
					scans.push(`${path}: ${detail}: ${sql}`);
		}
	}
	t.true(paths.length > 20);
	t.deepEqual(scans, []);
});
