// No page of the portal reads a whole table, however large it is: the database says how it would answer.

import test from 'ava';
import { openFullPortal } from '../helpers/portal-paths.ts';
import { openPortalRooms } from '../helpers/portal-rooms.ts';

const SIZE = { tokens: 10_000, jobs: 1_000, entries: 10_000, accounts: 120 };
/** Tables that grow with the work, and the rows of a week of tasks. */
const LARGE =
	/\b(pages|token_refs|fingerprints|jobs|drop_files|audit|small_blobs|statistics|schedule_runs|job_fetches)\b/;
/** Indexes that hold few rows of their table. */
const PARTIAL = /\bjobs_(waiting|due|queued|running|failed|refused)\b|schedule_runs_failed/;

test('no page reads a whole table', async (t) => {
	const rooms = await openPortalRooms(t);
	const { paths, get } = await openFullPortal(rooms, SIZE);
	const { knex } = rooms.database;
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
			// Walking along an index and stopping early is no scan.
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
