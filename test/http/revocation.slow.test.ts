// Tests that a call that stays open ends when its credential ends.

import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { audited } from '../helpers/audited.ts';
import { BATCH, card, NDJSON, ndjson } from '../helpers/batch-calls.ts';
import { dialects } from '../helpers/database.ts';
import { callOf, HEAD, names, openPlain, openRequest, RELAY, ROW, tokenized } from '../helpers/file-relay.ts';
import { type Caller, type HttpApp, openHttpApp } from '../helpers/http-app.ts';
import { until } from '../helpers/until.ts';

/** Returns options that limit one wait of a test to a minute. */
const within = () => ({ signal: AbortSignal.timeout(60_000) });

const revoke = ({ identity }: HttpApp, { account }: Caller) => identity.apiKeys.revoke(account, 'operator test');

/**
 * Waits until a response closes. `once` cannot be used, because it fails with the error that the client gets at a cut.
 */
function closing(response: IncomingMessage): Promise<void> {
	return new Promise((resolve) => response.once('close', resolve));
}

async function answerOf(request: ClientRequest): Promise<IncomingMessage> {
	const [response] = (await once(request, 'response', within())) as [IncomingMessage];
	return response.on('error', () => {});
}

for (const dialect of dialects) {
	test(`a batch whose API key is revoked is cut off, and what it answered stays (${dialect})`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const caller = await parts.createCaller('agency');
		const request = await openRequest(t, parts, caller, BATCH, NDJSON);
		request.write(ndjson([card()]));
		const response = await answerOf(request);
		const [line] = await once(response, 'data', within());
		const { token } = JSON.parse(String(line));
		const closed = closing(response);
		const revokedAt = performance.now();
		await revoke(parts, caller);
		await closed;
		t.true(performance.now() - revokedAt < 6_000);
		t.false(response.complete, 'nobody takes it for the whole answer');
		t.truthy(await parts.vault.find(caller.account.id, token));
		const [cut] = await audited(parts, 'credential.cut');
		t.like(cut, { door: 'http', method: 'api-key', why: 'the API key was revoked' });
		t.like((await audited(parts, 'card.batch'))[0], { cards: 1, isWhole: false });
		t.regex(parts.logText(), /cut off: its credential ended/);
	});
}

test('a stream without an answer yet is refused, though its caller sends no more', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const request = await openRequest(t, parts, caller, '/api/files/tokenize?filter=SIMPLECSV', {
		'content-type': 'application/octet-stream',
	});
	request.write('CardN');
	await audited(parts, 'file.tokenize.begin');
	await revoke(parts, caller);
	t.is((await answerOf(request)).statusCode, 401);
});

test('a file that is to become a job is not accepted for a key that was revoked meanwhile', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const request = await openRequest(t, parts, caller, '/api/files/tokenize?filter=SIMPLECSV&async=true', {
		'content-type': 'application/octet-stream',
	});
	request.write(HEAD + ROW);
	const receiving = () => parts.database.knex('drop_files').first();
	await until('the upload has begun', receiving);
	await revoke(parts, caller);
	t.is((await answerOf(request)).statusCode, 401);
	t.is((await parts.database.knex('jobs')).length, 0);
	await until('nothing of it is kept', async () => (await receiving()) === undefined);
});

test('a file on its way to a partner ends with its key, and nothing of it is left there', async (t) => {
	const { parts, caller, partner, at } = await openPlain(t);
	const file = await tokenized(caller, HEAD + ROW);
	const { url, headers } = callOf(RELAY, at);
	const request = await openRequest(t, parts, caller, url, headers);
	request.write(file);
	await audited(parts, 'file.relay.begin');
	t.is(names(partner).length, 1, 'under its temporary name');
	await revoke(parts, caller);
	t.is((await answerOf(request)).statusCode, 401);
	t.deepEqual(names(partner), []);
});

test('a block ends a batch, which costs units, and lets a file be detokenized to its end', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const [head, row] = (await tokenized(caller, HEAD + ROW)).toString().split(/(?<=\n)/);
	const file = await openRequest(t, parts, caller, '/api/files/detokenize?filter=SIMPLECSV', {
		'content-type': 'application/octet-stream',
	});
	file.write(`${head}${row}`);
	const batch = await openRequest(t, parts, caller, BATCH, NDJSON);
	batch.write(ndjson([card()]));
	const answered = await answerOf(batch);
	const closed = closing(answered.resume());
	await parts.identity.accounts.block('agency', 'operator test');
	await closed;
	t.false(answered.complete);
	t.like((await audited(parts, 'credential.cut'))[0], { why: 'the account was blocked' });
	await sleep(1_500);
	file.end();
	const back = await answerOf(file);
	t.is(back.statusCode, 200);
	t.is(await new Response(back as never).text(), HEAD + ROW);
});
