// Those tests of jobs.test.ts that take long.

import test from 'ava';
import { REPORT_ITEMS } from '../../src/doors/http/files/drops.ts';
import { writeXml } from '../../src/doors/http/negotiation/xml-writer.ts';
import { putFormatOptions } from '../../src/work/jobs/format-options.ts';
import { databases, dialects } from '../helpers/database.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { runNextJob } from '../helpers/http-jobs.ts';
import { clientOf } from '../helpers/openapi-client.ts';
import { FILE, put } from './jobs.setup.ts';

const CUT = 'CardNumber,NameOnCard\n4111111111111111,"DUPONT, MARIE\n';

for (const dialect of dialects) {
	test(`shapes §4: async=true makes a job, with progress, report and output (${dialect})`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const caller = await parts.createCaller('agency');
		const client = await clientOf(parts, caller);
		const accepted = await client.expect(202, 'POST /api/files/tokenize', {
			query: { filter: 'SIMPLECSV', async: true, name: 'may.csv' },
			type: 'application/octet-stream',
			body: FILE,
		});
		const job = accepted.body;
		const path = { id: job.id };
		t.is(accepted.headers.location, `/api/jobs/${job.id}`);
		t.like(job, {
			state: 'queued',
			filter: 'SIMPLECSV',
			operation: 'tokenize',
			name: 'may.csv',
			bytesTotal: FILE.length,
		});
		await client.expect(404, 'GET /api/jobs/{id}/report', { path });
		await client.expect(404, 'GET /api/jobs/{id}/output', { path });
		t.is(await runNextJob(parts), 'done');
		const done = await client.expect(200, 'GET /api/jobs/{id}', { path });
		t.like(done.body, { state: 'done', cards: 1, refused: 1, bytesRead: FILE.length, error: null });
		const report = await client.expect(200, 'GET /api/jobs/{id}/report', { path });
		t.like(report.body, { id: job.id, state: 'done' });
		t.like(report.body.entries.at(-1), { outcome: 'refused', reason: 'Luhn (Mod10) error', lastFour: '1112' });
		const output = await client.expect(200, 'GET /api/jobs/{id}/output', { path });
		t.regex(
			output.body,
			/^CardNumber,ExpirationMonth,ExpirationYear\n[0-9a-f]{32},12,2029\n4111111111111112,12,2029\n$/,
		);
		t.is(output.headers['content-disposition'], `attachment; filename="may.csv"; filename*=UTF-8''may.csv`);
		const back = (await put(caller, output.body, '', 'detokenize')).json();
		t.is(await runNextJob(parts), 'done');
		t.is((await caller.inject('GET', `/api/jobs/${back.id}/output`)).payload, FILE);
		const downloads = await parts.database.knex('audit').where({ action: 'file.download' });
		t.deepEqual(
			downloads.map(({ actor, subject }) => [actor, subject]),
			[job.id, back.id].map((id) => ['agency', `job ${id}`]),
		);
		t.false(parts.logText().includes('4111111111111111'));
	});
}

test('shapes §4: jobs are listed youngest first, by state and in pages, and only to their account', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const stranger = await parts.createCaller('stranger');
	const client = await clientOf(parts, caller);
	const ids: string[] = [];
	for (let i = 0; i < 3; i++) ids.unshift((await put(caller, FILE, `&name=file-${i}`)).json().id);
	await runNextJob(parts);
	const list = async (query: { state?: 'done'; from?: number; num?: number }, by = client) =>
		(await by.expect(200, 'GET /api/jobs', { query })).body.map(({ id }) => id);
	t.deepEqual(await list({}), ids);
	t.deepEqual(await list({ from: 1, num: 1 }), [ids[1]]);
	t.deepEqual(await list({ state: 'done' }), [ids[2]]);
	t.deepEqual(await list({ from: 3 }), []);
	t.deepEqual(await list({}, await clientOf(parts, stranger)), []);
	for (const path of ['', '/report', '/output']) {
		const response = await stranger.inject('GET', `/api/jobs/${ids[2]}${path}`, {
			headers: { accept: 'application/json' },
		});
		t.is(response.statusCode, 404, path);
		t.like(response.json(), { code: -160, message: 'Uri not found' });
	}
	t.is((await stranger.inject('POST', `/api/jobs/${ids[2]}/retry`)).statusCode, 404);
	t.is((await caller.inject('GET', '/api/jobs/nonsense')).statusCode, 404);
	t.is((await caller.inject('GET', '/api/jobs?num=0')).statusCode, 400);
	t.is((await caller.inject('GET', '/api/jobs?state=lost')).statusCode, 400);
	t.is((await caller.inject('GET', '/api/jobs?from=1e300')).statusCode, 400);
	const xml = await caller.inject('GET', `/api/jobs?num=1`, { headers: { accept: 'application/xml' } });
	t.regex(xml.payload, /^<ArrayOfJob><Job><id>/);
});

test('shapes §4: a failed job says where and why, and is retried on request', async (t) => {
	const accepted: string[] = [];
	const parts = await openHttpApp(t, 'sqlite', { onAccepted: (job) => accepted.push(job.id) });
	const caller = await parts.createCaller('agency');
	const client = await clientOf(parts, caller);
	const { id } = (await put(caller, CUT)).json();
	const job = { path: { id } };
	await client.expect(400, 'POST /api/jobs/{id}/retry', job);
	t.is(await runNextJob(parts), 'failed');
	const failed = await client.expect(200, 'GET /api/jobs/{id}', job);
	t.like(failed.body, { state: 'failed', error: { reason: 'file-malformed' } });
	t.like(failed.body.error?.at, { line: 2 });
	t.like((await client.expect(200, 'GET /api/jobs/{id}/report', job)).body, { state: 'failed', counts: null });
	const retried = await client.expect(202, 'POST /api/jobs/{id}/retry', job);
	t.deepEqual(accepted, [id, id], 'whoever waits for jobs hears of both, and of no refused retry');
	t.like(retried.body, { id, state: 'queued', error: null });
	t.is(await runNextJob(parts), 'failed');
});

for (const dialect of databases) {
	test(`shapes §4: of retries at the same moment one is taken, and the others are told why not (${dialect})`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const caller = await parts.createCaller('agency');
		const { id } = (await put(caller, CUT)).json();
		t.is(await runNextJob(parts), 'failed');
		const headers = { accept: 'application/json' };
		const retry = () => caller.inject('POST', `/api/jobs/${id}/retry`, { headers });
		const answers = await Promise.all(Array.from({ length: 4 }, retry));
		const refused = answers.filter(({ statusCode }) => statusCode !== 202);
		t.is(refused.length, 3);
		for (const each of refused) t.like(each.json(), { code: -125, moreInfo: 'id: expected a failed job' });
	});
}

test('shapes §4: the report comes as CSV where the options of the account ask for one', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const plain = (await put(caller, FILE)).json();
	await runNextJob(parts);
	t.is((await caller.inject('GET', `/api/jobs/${plain.id}/report?format=csv`)).statusCode, 404);
	const scope = { accountId: caller.account.id, filter: 'SIMPLECSV' };
	await putFormatOptions(parts, scope, { report: { csv: true } }, () => {});
	const { id } = (await put(caller, FILE)).json();
	await runNextJob(parts);
	const response = await caller.inject('GET', `/api/jobs/${id}/report?format=csv`);
	t.regex(response.payload, /^record,line,offset,outcome,reason,/);
	t.regex(String(response.headers['content-type']), /^text\/csv/);
});

for (const dialect of dialects) {
	test(`shapes §1.7: the report of a job is XML where Accept or the parameter says so (${dialect})`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const caller = await parts.createCaller('agency');
		const { id } = (await put(caller, FILE, '&name=may.csv')).json();
		await runNextJob(parts);
		const read = (query: string, accept: string) =>
			caller.inject('GET', `/api/jobs/${id}/report${query}`, { headers: { accept } });
		const asJson = (await read('', 'application/json')).json();
		const asXml = await read('', 'text/html,application/xml,application/json');
		t.is(asXml.headers['content-type'], 'application/xml; charset=utf-8');
		t.regex(String(asXml.headers['content-disposition']), /filename="may\.csv\.\w+\.xml"/);
		t.is(asXml.payload, writeXml('JobReport', asJson, REPORT_ITEMS));
		t.regex(asXml.payload, /<entry><record>3<\/record>.*<reason>Luhn \(Mod10\) error<\/reason>/);
		t.is((await read('?format=xml', 'application/json')).payload, asXml.payload);
		t.deepEqual((await read('?format=json', 'application/xml')).json(), asJson);
		t.deepEqual((await read('', '*/*')).json(), asJson);
		t.is((await read('?format=pdf', 'application/json')).statusCode, 400);
	});
}

test('shapes §4: a report with every card is XML to the last entry', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const scope = { accountId: caller.account.id, filter: 'SIMPLECSV' };
	await putFormatOptions(parts, scope, { report: { cards: 'all' } }, () => {});
	const rows = Array.from({ length: 4_500 }, (_, n) => `4111111111111111,12,${2029 + (n % 9)}\n`);
	const { id } = (await put(caller, `CardNumber,ExpirationMonth,ExpirationYear\n${rows.join('')}`)).json();
	t.is(await runNextJob(parts), 'done');
	const report = (accept: string) => caller.inject('GET', `/api/jobs/${id}/report`, { headers: { accept } });
	const asJson = (await report('application/json')).json();
	t.is(asJson.entries.length, 4_500);
	t.true((await report('application/xml')).payload === writeXml('JobReport', asJson, REPORT_ITEMS));
});

test('shapes §9: jobs need a permission for files, their files the one of their direction', async (t) => {
	const parts = await openHttpApp(t);
	const poor = await parts.createCaller('poor', { permissions: ['Tokenize'] });
	for (const path of ['/api/jobs', '/api/jobs/x', '/api/jobs?num=0']) {
		t.is((await poor.inject('GET', path)).statusCode, 403, path);
	}
	t.is((await put(poor, FILE)).statusCode, 403);
	const half = await parts.createCaller('half', { permissions: ['FileTokenize'] });
	t.is((await put(half, FILE)).statusCode, 202);
	t.is((await put(half, FILE, '', 'detokenize')).statusCode, 403);
});
