import test from 'ava';
import type { Permission } from '../../src/people/identity/permissions.ts';
import { databases } from '../helpers/database.ts';
import { openHttpApp } from '../helpers/http-app.ts';

const DOCUMENT = {
	name: 'fan',
	from: { drop: '/tokenized/GBT' },
	do: { operation: 'none' },
	to: { drop: '/tokenized/CSV' },
	when: { cron: '30 2 * * *', timeZone: 'Europe/Berlin' },
};
const json = (payload: object) => ({ headers: { 'content-type': 'application/json' }, payload });
const asJson = { headers: { accept: 'application/json' } };

for (const dialect of databases) {
	test(`${dialect}: a route is put, listed, read, run and removed over HTTP`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const caller = await parts.createCaller('agency');
		const call = async (method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, body?: object) => {
			const { headers, payload } = body ? json(body) : { headers: {}, payload: undefined };
			const url = `/api/routes${path}`;
			const response = await caller.inject(method, url, { headers: { ...asJson.headers, ...headers }, payload });
			return { status: response.statusCode, body: response.body === '' ? undefined : response.json() };
		};
		const put = await call('PUT', '/fan', DOCUMENT);
		t.is(put.status, 200, JSON.stringify(put.body));
		t.like(put.body, { name: 'fan', state: 'waiting', timeZone: 'Europe/Berlin', document: DOCUMENT });
		t.like((await call('GET', '')).body, [{ name: 'fan', lastRunAt: null }]);
		t.deepEqual((await call('GET', '/fan')).body, put.body);
		const asked = await call('POST', '/fan/run');
		t.is(asked.status, 202, JSON.stringify(asked.body));
		t.like(asked.body, { route: 'fan', trigger: 'http', state: 'running', files: [] });
		t.is((await call('POST', '/fan/run')).status, 400, 'it runs already');
		t.deepEqual((await call('GET', '/fan/runs')).body, [asked.body]);
		t.deepEqual((await call('GET', '/fan/runs?state=failed')).body, []);
		t.deepEqual((await call('GET', '/fan/runs?from=1')).body, []);
		t.deepEqual((await call('GET', '/fan/files')).body, []);
		const { id: route_id } = await parts.database.knex('routes').first('id');
		for (const path of ['a.csv', 'b.csv', 'c.csv']) {
			await parts.database
				.knex('route_files')
				.insert({ route_id, path, size: 1, modified_at: 0, seen_at: 0, state: 'seen' });
		}
		const pages = [(await call('GET', '/fan/files?num=2')).body, (await call('GET', '/fan/files?from=2&num=2')).body];
		t.deepEqual(
			pages.map((files) => files.map(({ path }: { path: string }) => path)),
			[['c.csv', 'b.csv'], ['a.csv']],
		);
		t.is((await call('POST', '/fan/retry', { file: 'may.csv' })).status, 404);
		const dead = { state: 'dead', run_id: asked.body.run, reason: 'it is not CSV', tries: 8 };
		await parts.database.knex('route_files').whereIn('path', ['a.csv', 'b.csv']).update(dead);
		t.deepEqual(await call('POST', '/fan/retry', { file: 'a.csv' }), {
			status: 202,
			body: { name: 'fan', files: ['a.csv'] },
		});
		t.like((await call('GET', '/fan/files?state=claimed')).body, [{ path: 'a.csv', tries: 0, reason: null }]);
		t.deepEqual((await call('POST', '/fan/retry', { run: asked.body.run })).body, { name: 'fan', files: ['b.csv'] });
		t.is((await call('POST', '/fan/retry', {})).status, 400);
		t.is((await call('DELETE', '/fan')).status, 200);
		for (const path of ['/fan', '/fan/runs', '/fan/files']) t.is((await call('GET', path)).status, 404, path);
		t.is((await call('DELETE', '/fan')).status, 404);
		t.deepEqual(await parts.database.knex('route_runs'), []);
	});
}

test('faults of a document are answered all at once, and in YAML too', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const put = (payload: string, name = 'fan') => {
		const headers = { ...asJson.headers, 'content-type': 'application/yaml' };
		return caller.inject('PUT', `/api/routes/${name}`, { headers, payload });
	};
	const bad = await put('name: fan\nfrom: { drop: /nowhere/GBT }\ndo: { operation: non }\nto: { drp: x }\n');
	t.is(bad.statusCode, 400);
	t.regex(bad.json().moreInfo, /from\.drop: .*\n.*do\.operation: .*\n.*to(\.drp)?: /);
	t.is((await put('')).statusCode, 400);
	const good = 'name: fan\nfrom: { drop: /tokenized/GBT }\ndo: { operation: none }\nto: { drop: /tokenized/CSV }\n';
	t.is((await put(good, 'other')).statusCode, 400, 'the name in the path is another one');
	const done = await put(good);
	t.is(done.statusCode, 200, done.body);
});

test('a caller needs the permission for routes, and that for what the route does', async (t) => {
	const parts = await openHttpApp(t);
	const put =
		(permissions: readonly string[], operation: string, from = '/tokenized/GBT') =>
		async () => {
			const caller = await parts.createCaller(`${permissions.join('-').toLowerCase()}-${operation}-${from.length}`, {
				permissions: permissions as never,
			});
			const work = operation === 'none' ? { operation } : { operation, filter: 'GBT' };
			const response = await caller.inject(
				'PUT',
				'/api/routes/fan',
				json({ ...DOCUMENT, from: { drop: from }, do: work }),
			);
			return response.statusCode;
		};
	t.is(await put(['QueryRoutes', 'FileTokenize'], 'none')(), 403);
	t.is(await put(['ManageRoutes'], 'none')(), 403);
	t.is(await put(['ManageRoutes', 'FileTokenize'], 'none')(), 200);
	t.is(await put(['ManageRoutes', 'FileTokenize'], 'tokenize')(), 200);
	t.is(await put(['ManageRoutes', 'FileTokenize'], 'detokenize')(), 403);
	t.is(await put(['ManageRoutes', 'FileTokenize'], 'none', '/detokenized/GBT')(), 403);
	t.is(await put(['ManageRoutes', 'FileTokenize', 'FileDetokenize'], 'detokenize')(), 200);
	const reader = await parts.createCaller('reader', { permissions: ['QueryRoutes'] });
	t.is((await reader.inject('GET', '/api/routes')).statusCode, 200);
	t.is((await reader.inject('POST', '/api/routes/fan/run')).statusCode, 403);
	const stranger = await parts.createCaller('stranger', { permissions: ['FileTokenize'] });
	t.is((await stranger.inject('GET', '/api/routes')).statusCode, 403);
});

test('a route of another account is not found', async (t) => {
	const parts = await openHttpApp(t);
	const [one, two] = [await parts.createCaller('one'), await parts.createCaller('two')];
	t.is((await one.inject('PUT', '/api/routes/fan', json(DOCUMENT))).statusCode, 200);
	t.is((await two.inject('GET', '/api/routes/fan')).statusCode, 404);
	t.is((await two.inject('DELETE', '/api/routes/fan')).statusCode, 404);
	t.is((await two.inject('POST', '/api/routes/fan/run')).statusCode, 404);
});

for (const dialect of databases) {
	test(`${dialect}: whoever may not give cards away puts no route that gives those of its files to another account`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		await parts.createCaller('partner');
		await parts.createCaller('hotel');
		const giver = await parts.createCaller('agency');
		const narrow = new Set<Permission>(['ManageRoutes', 'FileTokenize']);
		const secret = (await parts.identity.apiKeys.create(giver.account, 'operator test', narrow)).secret.reveal();
		const put = (apiKey: string, merchantId: string | undefined, files = '*.csv') => {
			const options = merchantId === undefined ? {} : { merchantId };
			const from = { drop: '/tokenized/GBT', files };
			const payload = {
				...DOCUMENT,
				from,
				do: { operation: 'tokenize', filter: 'CSV', options },
				to: { drop: '/tokenize/CSV' },
			};
			const headers = { ...asJson.headers, 'content-type': 'application/json', 'x-service-api-key': apiKey };
			return parts.app.inject({ method: 'PUT', url: '/api/routes/fan', headers, payload });
		};
		const merchant = async () =>
			(await giver.inject('GET', '/api/routes/fan', asJson)).json().document?.do?.options?.merchantId;
		const refused = await put(secret, 'partner');
		t.is(refused.statusCode, 403, refused.body);
		t.regex(refused.body, /Permission Associate is required/);
		t.is(await merchant(), undefined);
		t.is((await put(secret, undefined)).statusCode, 200);
		t.is((await put(secret, 'partner')).statusCode, 403, 'also in the place of a route that gives nothing');
		t.is((await put(giver.apiKey, 'partner')).statusCode, 200);
		t.is((await put(secret, 'partner', '*.txt')).statusCode, 200, 'what gives to whom may stay');
		t.is((await put(secret, 'hotel')).statusCode, 403);
		t.is(await merchant(), 'partner');
		// A row that was altered in the database gives no leave.
		const { document } = await parts.database.knex('routes').first();
		await parts.database.knex('routes').update({ document: document.replace('partner', 'hotel') });
		t.is((await put(secret, 'hotel')).statusCode, 403);
	});
}
