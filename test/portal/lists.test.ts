// Tests lists that go back in time: pages in both directions, days, names, how many there are, and all of them as a file.

import test, { type ExecutionContext } from 'ava';
import { makeUlid } from '../../src/base/database/ulid.ts';
import { databases } from '../helpers/database.ts';
import { openPortalApp, type SignedIn } from '../helpers/portal-app.ts';
import { CSV, sendPiece } from './files.setup.ts';

const DAY_MS = 86_400_000;
const DAYS = 3;
const A_DAY = 400;

/** Opens a portal whose account has sent `A_DAY` files on each of `DAYS` days, and one before them. */
async function open(t: ExecutionContext, dialect: (typeof databases)[number]) {
	const parts = await openPortalApp(t, dialect);
	const manager = await parts.signIn('manager');
	await sendPiece(parts, manager, CSV, { name: 'first.csv' });
	const { knex } = parts.database;
	const { seq, ...row } = await knex('jobs').first();
	const start = Date.parse('2026-03-01T00:00:00Z');
	await knex('jobs')
		.where({ seq })
		.update({ created_at: start - 1 });
	const rows = Array.from({ length: DAYS * A_DAY }, (_, at) => {
		const created_at = start + Math.floor(at / A_DAY) * DAY_MS + at;
		const name = `${at % 100 === 0 ? 'monthly' : 'daily'}-${at}.csv`;
		const state = at % 7 === 0 ? 'failed' : 'done';
		return { ...row, id: makeUlid(created_at), name, created_at, state, output_id: null, report_id: null };
	});
	await knex.batchInsert('jobs', rows, 20);
	return { manager, rows };
}

const namesIn = (body: string) => [...body.matchAll(/href="\/portal\/jobs\/\w{26}">([^<]+)</g)].map(([, name]) => name);
const linkIn = (body: string, text: string) =>
	new RegExp(`href="([^"]+)"[^>]*>${text}<`).exec(body)?.[1].replaceAll('&amp;', '&');

async function walk({ get }: SignedIn, from: string, text: string) {
	const pages: string[][] = [];
	for (let path: string | undefined = from; path; ) {
		const { body } = await get(path);
		pages.push(namesIn(body));
		path = linkIn(body, text);
	}
	return pages;
}

for (const dialect of databases) {
	test(`${dialect}: a list is walked to its end and back, and says how many there are`, async (t) => {
		const { manager, rows } = await open(t, dialect);
		const all = [...rows.map(({ name }) => name as string).reverse(), 'first.csv'];
		const forward = await walk(manager, '/portal/files', 'Next page');
		t.deepEqual(forward.flat(), all);
		const [second] = (await manager.get('/portal/files')).body.match(/\?after=\d+/) ?? [];
		t.deepEqual((await walk(manager, `/portal/files${second}`, 'Previous page')).flat(), [
			...all.slice(50, 100),
			...all.slice(0, 50),
		]);
		t.regex((await manager.get('/portal/files')).body, /1,201 found\./);
	});

	test(`${dialect}: days, beginnings of names and states narrow a list, alone and together`, async (t) => {
		const { manager, rows } = await open(t, dialect);
		const found = async (query: string) => {
			const { body } = await manager.get(`/portal/files?${query}`);
			return { names: namesIn(body), count: Number(/([\d,]+) found/.exec(body)?.[1].replace(',', '') ?? 0) };
		};
		const isNamed = (name: unknown) => String(name).startsWith('monthly');
		const monthly = rows.filter(({ name }) => isNamed(name)).map(({ name }) => name as string);
		t.deepEqual(await found('name=monthly'), { names: monthly.toReversed(), count: monthly.length });
		t.is((await found('since=2026-03-02')).count, 2 * A_DAY);
		t.is((await found('until=2026-03-02')).count, 2 * A_DAY + 1);
		t.is((await found('since=2026-03-02&until=2026-03-02')).count, A_DAY);
		t.deepEqual((await found('until=2026-02-28')).names, ['first.csv']);
		t.deepEqual(await found('since=2030-01-01'), { names: [], count: 0 });
		t.deepEqual(await found('until=2020-01-01'), { names: [], count: 0 });
		t.is(
			(await found('show=failed&since=2026-03-03')).count,
			rows.slice(2 * A_DAY).filter(({ state }) => state === 'failed').length,
		);
		t.is(
			(await found('show=failed&name=monthly')).count,
			rows.filter(({ state, name }) => state === 'failed' && isNamed(name)).length,
		);
		t.regex((await manager.get('/portal/files?since=yesterday')).body, /Type a date/);
		const number = await manager.get('/portal/files?name=4111111111111111');
		t.false(number.body.includes('4111111111111111'));
	});

	test(`${dialect}: all that is asked for can be had as a file, beyond one page and one batch`, async (t) => {
		const { manager, rows } = await open(t, dialect);
		const { body } = await manager.get('/portal/files?since=2026-03-02');
		const path = linkIn(body, 'Export as CSV');
		t.is(path, '/portal/files/csv?since=2026-03-02');
		const answer = await manager.get(path!);
		t.is(answer.statusCode, 200);
		const [head, ...lines] = answer.body.trimEnd().split('\r\n');
		t.is(head, 'id,name,folder,state,bytes,cards,refused,warned,otherNumbers,receivedAt,finishedAt,reason');
		t.deepEqual(
			lines.map((line) => line.split(',')[1]),
			rows
				.slice(A_DAY)
				.map(({ name }) => name as string)
				.reverse(),
		);
		t.regex(lines[0], /^\w{26},daily-1199\.csv,\/tokenize\/CSV,done,\d+,0,0,0,0,2026-03-03T/);
	});
}
