import test from 'ava';
import { databases } from '../helpers/database.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { FILE, put } from './jobs.setup.ts';

test('jobs are listed by their format in capitals or not, and what is no format is refused with all that are', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	t.is((await put(caller, FILE)).statusCode, 202);
	const list = (query: string) =>
		caller.inject('GET', `/api/jobs?${query}`, { headers: { accept: 'application/json' } });
	for (const [filter, jobs] of [
		['SIMPLECSV', 1],
		['simplecsv', 1],
		['GBT', 0],
		['', 1],
	] as const) {
		t.is((await list(`filter=${filter}`)).json().length, jobs, filter);
	}
	t.regex((await list('filter=zzz')).json().moreInfo, /^filter: expected one of .*SIMPLECSV/);
	t.regex((await list('state=Done')).json().moreInfo, /^state: expected one of .*done/);
});

for (const dialect of databases) {
	test(`shapes §1: a job that cannot be is a 404 (${dialect})`, async (t) => {
		const caller = await (await openHttpApp(t, dialect)).createCaller('agency');
		for (const id of ['nonsense', '%00', 'a%00b', '', '%F0%9F%98%80', 'x'.repeat(200)]) {
			t.is((await caller.inject('GET', `/api/jobs/${id}`)).statusCode, 404, id);
		}
	});
}

test('shapes §4: names that cannot be are refused, and leave nothing behind', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	for (const name of ['a/b', '4111111111111111.csv', '.hidden', 'x.part', 'x'.repeat(300)]) {
		const response = await put(caller, FILE, `&name=${encodeURIComponent(name)}`);
		t.is(response.statusCode, 400, name);
		t.regex(response.payload, /name: /);
		t.false(response.payload.includes('4111111111111111'));
	}
	t.is((await parts.database.knex('drop_files')).length, 0);
	t.is((await parts.database.knex('jobs')).length, 0);
});
