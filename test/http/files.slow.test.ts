import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { SettledSink } from '../../src/engine/engine.ts';
import { putFormatOptions } from '../../src/work/jobs/format-options.ts';
import { audited } from '../helpers/audited.ts';
import { dialects } from '../helpers/database.ts';
import { type Caller, type HttpApp, openHttpApp } from '../helpers/http-app.ts';
import { runNextJob } from '../helpers/http-jobs.ts';

/** The details that every entry of the trail has about its call. */
const CAME_WITH = { address: '127.0.0.1', credential: 'api-key 1' };
const TOKENIZE = '/api/files/tokenize?filter=SIMPLECSV';
const DETOKENIZE = '/api/files/detokenize?filter=SIMPLECSV';
const CSV = { 'content-type': 'text/csv' };
const HEAD = 'CardNumber,ExpirationMonth,ExpirationYear,CardType\n';
const VISA = '4111111111111111';
const ROW = `${VISA},12,2029,Visa\n`;

async function openRequest(t: ExecutionContext, parts: HttpApp, caller: Caller, path: string) {
	if (!parts.app.server.listening) await parts.app.listen({ host: '127.0.0.1', port: 0 });
	const { port } = parts.app.server.address() as AddressInfo;
	const headers = { ...CSV, 'x-service-api-key': caller.apiKey };
	const request = httpRequest({ host: '127.0.0.1', port, method: 'POST', path, headers, agent: false });
	request.on('error', () => {});
	t.teardown(() => request.destroy());
	return request;
}

/** Sends the head and rows of a file until the first bytes of the answer come; `ended` says whether the answer came whole. */
async function startAnswer(request: ClientRequest) {
	const received: Buffer[] = [];
	const ended = new Promise<boolean>((resolve) => {
		request.on('response', (response) => {
			response.on('data', (chunk: Buffer) => received.push(chunk));
			response.on('error', () => {});
			response.on('close', () => resolve(response.complete));
		});
	});
	request.write(HEAD);
	const rows = ROW.repeat(5000);
	while (received.length === 0) {
		request.write(rows);
		await sleep(20);
	}
	const tokens = () =>
		Buffer.concat(received)
			.toString()
			.match(/^[0-9a-f]{32}(?=,)/gm)!;
	return { received, ended, tokens };
}

for (const dialect of dialects) {
	test(`spec §4.1, shapes §4: a file comes back identical but for its cards, and the way back is exact (${dialect})`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const caller = await parts.createCaller('agency');
		const file = `${HEAD}${ROW}4111111111111112,12,2029,Visa\n5555555555554444,12,2029,Visa\n`;
		const response = await caller.inject('POST', TOKENIZE, { headers: CSV, payload: file });
		t.is(response.statusCode, 200);
		t.is(response.headers['content-type'], 'application/octet-stream');
		t.is(
			response.headers.trailer,
			'x-service-tokenization-errors, x-service-tokenization-warnings, x-service-tokenization-counts, x-service-tokenization-notices',
		);
		const token = '[0-9a-f]{32}';
		t.regex(
			response.payload,
			new RegExp(`^${HEAD}${token},12,2029,Visa\n4111111111111112,12,2029,Visa\n${token},12,2029,Visa\n$`),
		);
		t.deepEqual(response.trailers, {
			'x-service-tokenization-errors': ';;Luhn (Mod10) error;;',
			'x-service-tokenization-warnings': ';;;;Card type validation message',
			'x-service-tokenization-counts': 'cards=2; refused=1; warned=1',
			'x-service-tokenization-notices': '',
		});
		const back = await caller.inject('POST', DETOKENIZE, { headers: CSV, payload: response.payload });
		t.is(back.payload, file);
		t.is((await parts.database.knex('page_blocks')).length, 0);
		t.is((await parts.identity.accounts.get('agency')).allowanceUsed, 2);
		const [entry] = await audited(parts, 'file.tokenize');
		const { requestId, ...said } = entry;
		t.regex(String(requestId), /^[0-9a-f-]{36}$/);
		t.deepEqual(said, { ...CAME_WITH, cards: 2, filter: 'SIMPLECSV', isWhole: true, refused: 1 });
		t.false(parts.logText().includes(VISA));
	});
}

test('shapes §4: a bad file is a 400 with its position as long as no byte has left, and leaves no card', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const response = await caller.inject('POST', TOKENIZE, {
		headers: { ...CSV, accept: 'application/json' },
		payload: `CardNumber,NameOnCard\n${VISA},"DUPONT, MARIE\n`,
	});
	t.is(response.statusCode, 400);
	t.deepEqual(response.json(), {
		code: -125,
		message: 'Message badly formatted',
		moreInfo: 'offset 39, line 2, record 2: a quote is never closed',
	});
	t.is((await parts.database.knex('pages')).length, 0);
	t.is((await parts.database.knex('page_blocks')).length, 0);
	t.is((await parts.identity.accounts.get('agency')).allowanceUsed, 0);
});

const REJECTED =
	'2 cards cannot be tokenized and this folder rejects such files: Luhn (Mod10) error (1), Expired card (1); on lines 2 and 4';

test('a rejected file is answered with all its places, in the words of the job and the report, and nothing of it is sent', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const scope = { accountId: caller.account.id, filter: 'SIMPLECSV' };
	await putFormatOptions(parts, scope, { onRefused: 'reject' }, () => {});
	const payload = `${HEAD}4111111111111112,12,2029,Visa\n${ROW}${VISA},12,2020,Visa\n`;
	const headers = { ...CSV, accept: 'application/json' };
	const response = await caller.inject('POST', TOKENIZE, { headers, payload });
	t.is(response.statusCode, 400);
	t.is(response.json().moreInfo, `offset ${HEAD.length}, line 2, record 2: ${REJECTED}`);
	t.is((await parts.database.knex('pages')).length, 0);
	const { id } = (await caller.inject('POST', `${TOKENIZE}&async=true`, { headers, payload })).json();
	t.is(await runNextJob(parts), 'failed');
	const job = (await caller.inject('GET', `/api/jobs/${id}`, { headers })).json();
	t.is(job.error.message, REJECTED);
	const report = (await caller.inject('GET', `/api/jobs/${id}/report`, { headers })).json();
	t.is(report.error.message, REJECTED);
	t.deepEqual(
		report.entries.map(({ line, reason }: Record<string, unknown>) => [line, reason]),
		[
			[2, 'Luhn (Mod10) error'],
			[4, 'Expired card'],
		],
	);
});

test('nothing of a rejected file is sent after its first fault, and what was sent before stays valid', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const scope = { accountId: caller.account.id, filter: 'SIMPLECSV' };
	await putFormatOptions(parts, scope, { onRefused: 'reject' }, () => {});
	const request = await openRequest(t, parts, caller, TOKENIZE);
	const answer = await startAnswer(request);
	request.end(`4111111111111112,12,2029,Visa\n${ROW.repeat(50_000)}`);
	t.false(await answer.ended);
	t.false(Buffer.concat(answer.received).includes('4111111111111112'));
	const tokens = answer.tokens();
	t.truthy(await parts.vault.find(caller.account.id, tokens.at(-1) as never));
});

test('numbers outside the card columns, and a column that is not there, are told with the file, in the log and in the trail', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const payload = `CardNumber,ExpirationDate,Remark\n${VISA},12/29,5555555555554444\n`;
	const response = await caller.inject('POST', TOKENIZE, { headers: CSV, payload });
	t.is(response.trailers['x-service-tokenization-counts'], 'cards=1; refused=0; warned=0; otherNumbers=1');
	t.regex(String(response.trailers['x-service-tokenization-notices']), /The file has no column for the card type/);
	t.is(response.trailers['x-service-tokenization-warnings'], '');
	const [{ requestId, ...said }, ...further] = await audited(parts, 'file.other-numbers');
	t.regex(String(requestId), /^[0-9a-f-]{36}$/);
	t.deepEqual(said, { ...CAME_WITH, filter: 'SIMPLECSV', otherNumbers: 1 });
	t.deepEqual(further, []);
	t.regex(parts.logText(), /"otherNumbers":1.*a file holds numbers that look like cards/);
	const { id } = (await caller.inject('POST', `${TOKENIZE}&async=true`, { headers: CSV, payload })).json();
	await runNextJob(parts);
	t.like((await caller.inject('GET', `/api/jobs/${id}`)).json(), { state: 'done', otherNumbers: 1 });
	t.like((await caller.inject('GET', `/api/jobs/${id}/report`)).json(), {
		otherNumbers: 1,
		counts: { otherNumbers: 1 },
	});
});

test('shapes §4: why a file was refused is told, even where its end cannot be written down', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const { recordAll } = parts.audit;
	parts.audit.recordAll = async (entries, transaction) => {
		if (entries.some(({ action }) => action === 'file.tokenize')) throw new Error('the trail is away');
		return recordAll(entries, transaction);
	};
	const payload = `CardNumber,NameOnCard\n${VISA},"DUPONT, MARIE\n`;
	const response = await caller.inject('POST', TOKENIZE, { headers: CSV, payload });
	t.is(response.statusCode, 400);
	t.true(parts.logText().includes('the end of a broken stream is not in the audit trail'));
});

test('shapes §4: the bad end of a long body is still answered while the client is sending', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const request = await openRequest(t, parts, caller, TOKENIZE);
	request.write('no,such,columns\n');
	for (let i = 0; i < 40; i++) request.write('x'.repeat(65_536));
	request.end();
	const [response] = (await once(request, 'response')) as [IncomingMessage];
	t.is(response.statusCode, 400);
});

test('shapes §4: an error after the first byte cuts the connection, and tokens that were sent stay', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const request = await openRequest(t, parts, caller, TOKENIZE);
	const answer = await startAnswer(request);
	request.end('4111111111111111,"never closed');
	const [details] = await audited(parts, 'file.tokenize');
	t.like(details, { isWhole: false });
	t.false(await answer.ended);
	const tokens = answer.tokens();
	t.true(tokens.length > 1000);
	for (const token of [tokens[0], tokens.at(-1)]) t.truthy(await parts.vault.find(caller.account.id, token as never));
	t.is((await parts.database.knex('page_blocks')).length, 0);
	t.regex(parts.logText(), /streamed answer broken off/);
});

test('shapes §4: tokens that were sent stay when the client breaks off', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const request = await openRequest(t, parts, caller, TOKENIZE);
	const answer = await startAnswer(request);
	request.destroy();
	t.like((await audited(parts, 'file.tokenize'))[0], { isWhole: false });
	const tokens = answer.tokens();
	for (const token of [tokens[0], tokens.at(-1)]) t.truthy(await parts.vault.find(caller.account.id, token as never));
	t.is((await parts.database.knex('page_blocks')).length, 0);
});

test('shapes §4: a client that stops reading stops the source', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const request = await openRequest(t, parts, caller, TOKENIZE);
	request.write(HEAD);
	const rows = ROW.repeat(10_000);
	const answered = once(request, 'response') as Promise<[IncomingMessage]>;
	answered.then(([response]) => response.pause());
	let sent = 0;
	for (let isStuck = false; sent < 200 && !isStuck; sent++) {
		if (request.write(rows)) continue;
		isStuck = (await Promise.race([once(request, 'drain'), sleep(1500, 'stuck')])) === 'stuck';
	}
	t.true(sent < 200, `${sent} pieces of ${rows.length} bytes were taken`);
	request.end();
	const [response] = await answered;
	let lines = 0;
	for await (const chunk of response) for (const byte of chunk as Buffer) if (byte === 10) lines++;
	t.is(lines, sent * 10_000 + 1);
	t.is(response.trailers['x-service-tokenization-counts'], `cards=${sent * 10_000}; refused=0; warned=0`);
});

test('shapes §4: filter, permission and allowance are checked before a byte is read', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency', { allowanceLimit: 1, permissions: ['FileTokenize'] });
	const post = async (url: string) =>
		(await caller.inject('POST', url, { headers: CSV, payload: HEAD + ROW + ROW })).statusCode;
	t.is(await post('/api/files/tokenize'), 400);
	t.is(await post('/api/files/tokenize?filter=PDF'), 400);
	t.is(await post(DETOKENIZE), 403);
	t.is(await post(TOKENIZE), 200);
	t.is(await post(TOKENIZE), 403);
});

test('output is held back until what it relies on is durable', async (t) => {
	const events: string[] = [];
	const inner = {
		async write(bytes: Buffer) {
			events.push(`write ${bytes.length}`);
		},
	};
	const sink = new SettledSink(inner, async () => void events.push('settle'));
	const bytes = Buffer.alloc(400_000, 'a');
	await sink.write(bytes);
	await sink.write(bytes);
	t.deepEqual(events, []);
	await sink.write(bytes);
	t.deepEqual(events, ['settle', 'write 400000', 'write 400000', 'write 400000']);
	await sink.write(Buffer.from('end'));
	await sink.release();
	t.deepEqual(events.slice(4), ['settle', 'write 3']);
});

test('jobs are found by folder, name and day over HTTP, and say whose they are', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const sent = await caller.inject('POST', `${TOKENIZE}&async=true&name=may.csv`, {
		headers: CSV,
		payload: `CardNumber\n${VISA}\n`,
	});
	t.is(sent.statusCode, 202);
	t.is(await runNextJob(parts), 'done');
	const headers = { accept: 'application/json' };
	const names = async (query: string) =>
		(await caller.inject('GET', `/api/jobs?${query}`, { headers })).json().map((job: { name: string }) => job.name);
	const day = parts.clock.now().toISOString().slice(0, 10);
	t.deepEqual(await names(`day=${day}&filter=SIMPLECSV&name=ay.c`), ['may.csv']);
	t.deepEqual(await names('day=2001-01-01'), []);
	t.deepEqual(await names('filter=AIR'), []);
	t.deepEqual(await names('name=june'), []);
	for (const query of ['day=2026-02-30', `name=${VISA}`]) {
		t.is((await caller.inject('GET', `/api/jobs?${query}`, { headers })).statusCode, 400, query);
	}
	const [job] = (await caller.inject('GET', '/api/jobs', { headers })).json();
	t.like(job, { account: 'agency', otherCodes: 0, attempts: 1, nextAttemptAt: null, lastFailure: null });
	await caller.inject('GET', `/api/jobs/${job.id}/output`);
	t.like((await parts.database.knex('job_fetches'))[0], { user_id: 'agency', door: 'http', times: 1 });
});
