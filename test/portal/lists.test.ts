// Tests lists that go back in time: pages in both directions, days, names, how many there are, and all of them as a file.

import test, { type ExecutionContext } from 'ava';
import type { AccountId } from '../../src/base/database/ids.ts';
import { makeUlid } from '../../src/base/database/ulid.ts';
import { databases } from '../helpers/database.ts';
import { openPortalApp, type PortalApp, type SignedIn } from '../helpers/portal-app.ts';
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

	test(`${dialect}: days, parts of names and states narrow a list, alone and together`, async (t) => {
		const { manager, rows } = await open(t, dialect);
		const found = async (query: string) => {
			const { body } = await manager.get(`/portal/files?${query}`);
			return { names: namesIn(body), count: Number(/([\d,]+) found/.exec(body)?.[1].replace(',', '') ?? 0) };
		};
		const isNamed = (name: unknown) => String(name).startsWith('monthly');
		const monthly = rows.filter(({ name }) => isNamed(name)).map(({ name }) => name as string);
		t.deepEqual(await found('name=monthly'), { names: monthly.toReversed(), count: monthly.length });
		t.is((await found('name=nthly-1')).count, monthly.filter((name) => name.includes('nthly-1')).length);
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
		t.is((await found('show=done')).count, rows.filter(({ state }) => state === 'done').length);
		t.deepEqual((await found('show=queued')).names, ['first.csv']);
		t.deepEqual((await found('show=waiting')).names, ['first.csv']);
		t.deepEqual((await found('show=running')).names, []);
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

const LATEST = Date.parse('2026-03-03T12:00:00Z');
const HOURS = 60;
/** One row an hour, of which the first is the oldest. */
const HOURLY = Array.from({ length: HOURS }, (_, nth) => {
	const at = LATEST - (HOURS - 1 - nth) * 3_600_000;
	return { at, id: makeUlid(at), isSeldom: nth % 10 === 0 };
});

/** Fills the events of an account, of which every tenth is of a type of its own. */
async function fillEvents({ database: { knex } }: PortalApp, accountId: number) {
	const rows = HOURLY.map(({ at, id, isSeldom }) => {
		const type = isSeldom ? 'job.failed' : 'job.done';
		const body = JSON.stringify({ type, timestamp: new Date(at).toISOString(), data: { account: '=agency' } });
		return { id: `evt_${id}`, account_id: accountId, type, about: `job ${id}`, once: null, body, created_at: at };
	});
	await knex.batchInsert('events', rows, 20);
	return { path: '/portal/events', idsIn: /href="\/portal\/events\/evt_(\w{26})"/g, seldom: 'type=job.failed' };
}

async function putRoute(routes: PortalApp['routes'], accountId: number) {
	const owner = { accountId: accountId as AccountId, ownerId: accountId as AccountId, userId: 'agency' };
	const document = { from: { drop: '/tokenized/GBT' }, do: { operation: 'none' }, to: { drop: '/tokenized/CSV' } };
	return routes.put(owner, await routes.read(owner, JSON.stringify({ name: 'fan', ...document })), 'operator test');
}

/** Fills the runs of a route, of which every tenth has failed. */
async function fillRuns({ database: { knex }, routes }: PortalApp, accountId: number) {
	const { row } = await putRoute(routes, accountId);
	const rows = HOURLY.map(({ at, id, isSeldom }) => {
		const state = isSeldom ? 'failed' : 'done';
		const more = { account_id: accountId, trigger: 'cron', reason: id, claimed_by: null, lease_until: null };
		return { id, route_id: row.id, state, started_at: at, ended_at: at + 1_000, ...more };
	});
	await knex.batchInsert('route_runs', rows, 20);
	return { path: '/portal/routes/fan/runs', idsIn: />(01\w{24})</g, seldom: 'state=failed' };
}

for (const dialect of databases)
	for (const [what, fill] of [
		['events', fillEvents],
		['runs of a route', fillRuns],
	] as const)
		test(`${dialect}: ${what} are walked to the end and back, narrowed to days, counted and had as a file`, async (t) => {
			const parts = await openPortalApp(t, dialect);
			const manager = await parts.signIn('manager');
			const { path, idsIn, seldom } = await fill(parts, manager.viewer.account!.id);
			const idsOf = (body: string) => [...body.matchAll(idsIn)].map(([, id]) => id);
			const all = HOURLY.map(({ id }) => id).reverse();
			const pages: string[] = [];
			let back = '';
			for (let next: string | undefined = path; next !== undefined; ) {
				const { body } = await manager.get(next);
				pages.push(...idsOf(body));
				[next, back] = [linkIn(body, 'Next page'), linkIn(body, 'Previous page') ?? back];
			}
			t.deepEqual(pages, all);
			t.true(all.join().includes(idsOf((await manager.get(back)).body).join()));
			const found = async (query: string) => {
				const { body } = await manager.get(`${path}?${query}`);
				return [Number(/(\d+) found/.exec(body)?.[1] ?? 0), idsOf(body)[0]];
			};
			const within = (from: string, to: string, rows = HOURLY) =>
				rows.filter(({ at }) => at >= Date.parse(`${from}T00:00:00Z`) && at < Date.parse(`${to}T00:00:00Z`));
			const firstOf = (rows: typeof HOURLY) => [rows.length, rows.at(-1)?.id];
			t.deepEqual(await found(''), firstOf(HOURLY));
			t.deepEqual(await found('since=2026-03-02&until=2026-03-02'), firstOf(within('2026-03-02', '2026-03-03')));
			t.deepEqual(await found('since=2026-03-03'), firstOf(within('2026-03-03', '2026-03-04')));
			const few = HOURLY.filter(({ isSeldom }) => isSeldom);
			t.deepEqual(await found(`${seldom}&until=2026-03-02`), firstOf(within('2026-01-01', '2026-03-03', few)));
			t.deepEqual(await found('until=2020-01-01'), [0, undefined]);
			t.regex((await manager.get(`${path}?since=x`)).body, /Type a date/);
			const file = linkIn((await manager.get(`${path}?since=2026-03-03`)).body, 'Export as CSV')!;
			t.is(file, `${path}/csv?since=2026-03-03`);
			const [head, ...lines] = (await manager.get(file)).body.trimEnd().split('\r\n');
			t.regex(head, /^(id|run),/);
			t.deepEqual(
				lines.map((line) => line.split(',')[0].replace('evt_', '')),
				within('2026-03-03', '2026-03-04')
					.map(({ id }) => id)
					.reverse(),
			);
		});

for (const dialect of databases)
	test(`${dialect}: the ledger of a route is walked to the end and back, narrowed to a state, counted and had as a file`, async (t) => {
		const parts = await openPortalApp(t, dialect);
		const manager = await parts.signIn('manager');
		const { row } = await putRoute(parts.routes, manager.viewer.account!.id);
		const seen = HOURLY.map(({ at }, nth) => ({
			...{ route_id: row.id, path: `file-${nth}.csv`, size: 10, modified_at: at, seen_at: at },
			...(nth % 10 === 0 ? { state: 'dead', reason: 'it has 0 bytes', ended_at: at } : { state: 'done', ended_at: at }),
		}));
		await parts.database.knex.batchInsert('route_files', seen, 20);
		const path = '/portal/routes/fan/files';
		const filesIn = (body: string) => [...body.matchAll(/>(file-\d+\.csv)</g)].map(([, name]) => name);
		const all = seen.map((file) => file.path).reverse();
		const pages: string[][] = [];
		let last = '';
		for (let next: string | undefined = path; next !== undefined; ) {
			const { body } = await manager.get(next);
			t.regex(body, />60 found\.</);
			pages.push(filesIn(body));
			last = next;
			next = linkIn(body, 'Next page');
		}
		t.deepEqual(pages.flat(), all);
		const back = linkIn((await manager.get(last)).body, 'Previous page')!;
		t.deepEqual(filesIn((await manager.get(back)).body), pages.at(-2));
		const { body } = await manager.get(`${path}?state=dead`);
		t.regex(body, />6 found\.</);
		t.is(filesIn(body).length, 6);
		const file = linkIn(body, 'Export as CSV')!;
		t.is(file, `${path}/csv?state=dead`);
		const [head, ...lines] = (await manager.get(file)).body.trimEnd().split('\r\n');
		t.is(head, 'path,size,modifiedAt,sha256,state,run,tries,nextTryAt,reason');
		t.deepEqual(
			lines.map((line) => line.split(',')[0]),
			filesIn(body),
		);
	});

for (const dialect of databases)
	test(`${dialect}: the files of a folder are walked to the end and back by their names, counted and had as a file`, async (t) => {
		const parts = await openPortalApp(t, dialect);
		const manager = await parts.signIn('manager');
		const names = Array.from({ length: 250 }, (_, nth) => `file-${String(nth).padStart(3, '0')}.csv`);
		const file = { account_id: manager.viewer.account!.id, area: 'tokenized', filter: 'CSV', size: 10, state: 'ready' };
		const rows = names.map((name, nth) => ({ ...file, name, blob_id: `b${nth}`, created_at: nth, modified_at: nth }));
		await parts.database.knex.batchInsert('drop_files', rows, 20);
		const path = '/portal/files/tokenized/CSV';
		const filesIn = (body: string) => [...body.matchAll(/>(file-\d+\.csv)</g)].map(([, name]) => name);
		const pages: string[][] = [];
		let last = '';
		for (let next: string | undefined = path; next !== undefined; ) {
			const { body } = await manager.get(next);
			t.regex(body, />250 found\.</);
			pages.push(filesIn(body));
			last = next;
			next = linkIn(body, 'Next page');
		}
		t.deepEqual(pages.flat(), names);
		const back: string[][] = [];
		for (let next = linkIn((await manager.get(last)).body, 'Previous page'); next !== undefined; ) {
			const { body } = await manager.get(next);
			back.unshift(filesIn(body));
			t.truthy(linkIn(body, 'Next page'));
			next = linkIn(body, 'Previous page');
		}
		t.deepEqual(back, pages.slice(0, -1));
		for (const [from, first] of [
			['file-200', 200],
			['file-100.csv', 100],
		] as const) {
			const { body } = await manager.get(`${path}?from=${from}`);
			t.regex(body, new RegExp(`>${250 - first} found\\.<`));
			t.deepEqual(filesIn(body), names.slice(first, first + 100));
			const [head, ...lines] = (await manager.get(linkIn(body, 'Export as CSV')!)).body.trimEnd().split('\r\n');
			t.is(head, 'name,state,bytes,changedAt,job');
			t.deepEqual(
				lines.map((line) => line.split(',')[0]),
				names.slice(first),
			);
		}
		const second = (await manager.get(linkIn((await manager.get(`${path}?from=file-100.csv`)).body, 'Next page')!))
			.body;
		t.deepEqual(
			filesIn((await manager.get(linkIn(second, 'Previous page')!)).body),
			names.slice(100, 200),
			'the page before begins with the name that was typed',
		);
	});

/** Walks a list to its end and back, and compares each page with the same part of all that the list has. */
async function walkBothWays(
	t: ExecutionContext,
	{ get }: SignedIn,
	path: string,
	{ all, found, namesOf }: { all: readonly string[]; found: number; namesOf: (body: string) => string[] },
) {
	const forth: string[][] = [];
	let last = '';
	for (let next: string | undefined = path; next !== undefined; ) {
		const { body } = await get(next);
		t.regex(body, new RegExp(`>${found} found\\.<`), path);
		forth.push(namesOf(body));
		last = next;
		next = linkIn(body, 'Next page');
	}
	t.deepEqual(forth.flat(), all, path);
	const back: string[][] = [];
	for (let next = linkIn((await get(last)).body, 'Previous page'); next !== undefined; ) {
		const { body } = await get(next);
		back.unshift(namesOf(body));
		next = linkIn(body, 'Previous page');
	}
	t.deepEqual(back, forth.slice(0, -1), path);
	const [head, ...lines] = (await get(linkIn((await get(path)).body, 'Export as CSV')!)).body.trimEnd().split('\r\n');
	return { head, lines, names: lines.map((line) => line.split(',')[0]) };
}

for (const dialect of databases)
	test(`${dialect}: sub-users, people and accounts are walked to the end and back, counted and had as a file`, async (t) => {
		const parts = await openPortalApp(t, dialect);
		const manager = await parts.signIn('manager', { name: 'maria@agency.example' });
		const operator = await parts.signIn('operator', { operatorRole: 'view' });
		const { knex } = parts.database;
		const { id } = manager.viewer.account!;
		const numbers = Array.from({ length: 120 }, (_, nth) => String(nth).padStart(3, '0'));
		// By bytes, which every database can follow along its index, Z stands before a.
		const userIds = numbers.map((nth) => `agency~${Number(nth) < 60 ? 'Z' : 'a'}-${nth}`);
		const account = { kind: 'property', parent_id: id, cvv_retention: false, allowance_used: 0, created_at: 0 };
		await knex.batchInsert('accounts', userIds.map((user_id) => ({ ...account, user_id })).toReversed(), 20);
		const tries = { password_tries: 0, password_tries_from: 0, code_tries: 0, code_tries_from: 0 };
		const person = { account_id: id, role: 'clerk', has_factor: false, version: 1, created_at: 0, ...tries };
		await knex.batchInsert(
			'portal_users',
			numbers.map((nth) => ({ ...person, name: `agency~person-${nth}` })),
			20,
		);

		const found = (pattern: RegExp) => (body: string) => [...body.matchAll(pattern)].map(([, name]) => name);
		const children = await walkBothWays(t, manager, '/portal/access/accounts', {
			...{ all: userIds, found: 120, namesOf: found(/>(agency~[Za]-\d+)</g) },
		});
		t.is(children.head, 'userId,kind,state,createdAt');
		t.deepEqual(children.names, userIds);
		t.regex(children.lines[0], /,property,broken,1970-01-01T00:00:00\.000Z$/, 'nobody has sealed it');

		const names = ['maria@agency.example', ...numbers.map((nth) => `person-${nth}`)];
		const people = await walkBothWays(t, manager, '/portal/people', {
			...{ all: names, found: 121, namesOf: found(/data-head="Name"[^>]*>(?:<a [^>]*>)?([\w@.-]+)/g) },
		});
		t.is(people.head, 'name,role,state,secondFactor,invitedAt,lastLoginAt');
		t.deepEqual(people.names, names);
		t.regex(people.lines[0], /^maria@agency\.example,manager,/);

		const all = ['agency', ...userIds.toReversed()];
		const accounts = await walkBothWays(t, operator, '/portal/installation/accounts', {
			...{ all, found: 121, namesOf: found(/data-head="Account"[^>]*>([\w~-]+)/g) },
		});
		t.is(accounts.head, 'userId,parent,state,cards,files,refused,failed,units,allowanceLeft,allowanceLimit');
		t.deepEqual(accounts.names, all);
		t.regex(accounts.lines[1], /^agency~a-119,agency,broken,0,0,0,0,0,/);

		const desk = await parts.signIn('manager', { account: 'desk' });
		t.notRegex((await desk.get(`/portal/access/accounts?after=${userIds[3]}`)).body, />agency~/);
		t.is((await manager.get('/portal/access/accounts?after=%00')).statusCode, 200);
	});
