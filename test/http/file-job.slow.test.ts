import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { databases } from '../helpers/database.ts';
import { type Caller, type HttpApp, type HttpAppOptions, openHttpApp } from '../helpers/http-app.ts';
import { until } from '../helpers/until.ts';

const TOKENIZE = '/api/files/tokenize?filter=SIMPLECSV&async=true';
const FILE = 'CardNumber,ExpirationMonth,ExpirationYear\n4111111111111111,12,2029\n';

async function open(t: ExecutionContext, dialect: 'sqlite' | 'postgres' = 'sqlite', options: HttpAppOptions = {}) {
	const parts = await openHttpApp(t, dialect, options);
	return { parts, caller: await parts.createCaller('agency') };
}

function send(caller: Caller, key: string | undefined, payload = FILE, url = TOKENIZE) {
	const headers = { accept: 'application/json', 'content-type': 'text/csv' };
	return caller.inject('POST', url, {
		headers: key === undefined ? headers : { ...headers, 'idempotency-key': key },
		payload,
	});
}

/** Opens a call whose body the test sends piece by piece. */
async function openCall(t: ExecutionContext, { app }: HttpApp, { apiKey }: Caller, key: string, path: string) {
	if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 });
	const { port } = app.server.address() as AddressInfo;
	const headers = { 'content-type': 'text/csv', 'x-service-api-key': apiKey, 'idempotency-key': key };
	const request = httpRequest({ host: '127.0.0.1', port, method: 'POST', path, headers, agent: false });
	request.on('error', () => {});
	t.teardown(() => request.destroy());
	return request;
}

/** Returns the number of jobs, of rows about files and of sealed files. */
async function kept({ database, drops }: HttpApp): Promise<number[]> {
	const blobs: string[] = [];
	for await (const { id } of drops.store.blobs.list()) blobs.push(id);
	return [(await database.knex('jobs')).length, (await database.knex('drop_files')).length, blobs.length];
}

for (const dialect of databases) {
	test(`shapes §1: a file that comes again with its key is one job, answered as before (${dialect})`, async (t) => {
		const { parts, caller } = await open(t, dialect);
		for (const query of ['', '&name=may.csv']) {
			const first = await send(caller, `key${query}`, FILE, TOKENIZE + query);
			const again = await send(caller, `key${query}`, FILE, TOKENIZE + query);
			for (const response of [first, again]) {
				t.is(response.statusCode, 202);
				t.is(response.headers.location, `/api/jobs/${first.json().id}`);
				t.is(response.headers['content-type'], 'text/json; charset=utf-8');
			}
			t.deepEqual(again.json(), first.json());
		}
		t.deepEqual(await kept(parts), [2, 2, 2]);
	});

	test(`shapes §1: files that come at the same time with one key are one job (${dialect})`, async (t) => {
		const { parts, caller } = await open(t, dialect);
		const responses = await Promise.all(Array.from({ length: 4 }, () => send(caller, 'key-1')));
		t.deepEqual(
			responses.map(({ statusCode }) => statusCode),
			[202, 202, 202, 202],
		);
		t.is(new Set(responses.map((response) => response.json().id)).size, 1);
		t.deepEqual(await kept(parts), [1, 1, 1]);
	});
}

test('shapes §1: another file, or another call, with the key of an earlier one is a 400 and leaves nothing', async (t) => {
	const { parts, caller } = await open(t);
	t.is((await send(caller, 'key-1')).statusCode, 202);
	const others = [
		await send(caller, 'key-1', `${FILE}\n`),
		await send(caller, 'key-1', ''),
		await send(caller, 'key-1', FILE, `${TOKENIZE}&name=may.csv`),
		await send(caller, 'key-1', FILE, TOKENIZE.replace('tokenize', 'detokenize')),
	];
	for (const response of others) {
		t.is(response.statusCode, 400);
		t.is(response.json().moreInfo, 'Idempotency-Key: was used before with another request');
	}
	t.deepEqual(await kept(parts), [1, 1, 1]);
	t.is((await send(caller, 'a b')).statusCode, 400);
	t.is((await send(caller, undefined)).statusCode, 202);
	t.is((await send(await parts.createCaller('stranger'), 'key-1')).statusCode, 202, 'keys belong to their account');
	t.deepEqual(await kept(parts), [3, 3, 3]);
});

test('shapes §1: after a lost answer the file may be sent again', async (t) => {
	const lost = { cut: () => {} };
	const { parts, caller } = await open(t, 'sqlite', { onAccepted: () => lost.cut() });
	const call = await openCall(t, parts, caller, 'key-1', TOKENIZE);
	lost.cut = () => call.destroy();
	call.end(FILE);
	await new Promise((resolve) => call.on('close', resolve));
	const again = await send(caller, 'key-1');
	t.is(again.statusCode, 202);
	t.deepEqual(await kept(parts), [1, 1, 1]);
	const [job] = await parts.database.knex('jobs');
	t.is(again.json().id, job.id);
});

test('shapes §1: an upload that breaks off leaves its key free, for any file', async (t) => {
	const { parts, caller } = await open(t);
	const call = await openCall(t, parts, caller, 'key-1', TOKENIZE);
	call.write(FILE);
	await until('the file is there', async () => (await parts.database.knex('drop_files')).length === 1);
	call.destroy();
	await until('nothing is left of it', async () => (await kept(parts)).every((count) => count === 0));
	t.deepEqual(await kept(parts), [0, 0, 0]);
	t.is((await send(caller, 'key-1', `${FILE}\n`)).statusCode, 202);
	t.deepEqual(await kept(parts), [1, 1, 1]);
});

test('shapes §1: a file that could not be accepted may come again with its key', async (t) => {
	const { parts, caller } = await open(t);
	const named = `${TOKENIZE}&name=may.csv`;
	await send(caller, 'key-1', FILE, named);
	// Makes the key look as if another daemon were still answering the first call.
	await parts.database.knex('idempotency_keys').update({ sealed: null, key_id: null });
	const waiting = send(caller, 'key-1', FILE, named);
	await until('the second is there', async () => (await parts.database.knex('drop_files')).length === 2);
	await sleep(100);
	t.is((await send(caller, undefined, FILE, named)).statusCode, 202);
	await parts.database.knex('idempotency_keys').delete();
	const superseded = await waiting;
	t.is(superseded.statusCode, 400);
	t.is(superseded.json().moreInfo, 'body: another upload of the same name has taken over');
	const retried = await send(caller, 'key-1', FILE, named);
	t.is(retried.statusCode, 202);
	t.is((await send(caller, 'key-1', FILE, named)).payload, retried.payload);
	t.deepEqual(await kept(parts), [3, 3, 3]);
});

test('shapes §8: a file that comes again is answered when nothing is left; another one is not', async (t) => {
	const { parts } = await open(t);
	const caller = await parts.createCaller('poor', { allowanceLimit: 1 });
	const first = await send(caller, 'key-1');
	t.is(first.statusCode, 202);
	await parts.identity.allowance.count({ ownerId: caller.account.id }, 1);
	const again = await send(caller, 'key-1');
	t.deepEqual([again.statusCode, again.payload], [202, first.payload]);
	t.is((await send(caller, 'key-2')).statusCode, 403);
	parts.clock.turn(25 * 3_600_000);
	t.is((await send(caller, 'key-1')).statusCode, 403, 'a key whose time is over is a new one');
	t.deepEqual(await kept(parts), [1, 1, 1]);
});
