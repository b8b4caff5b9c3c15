import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { audited } from '../helpers/audited.ts';
import { CAPTURE, callOf, HEAD, names, openPlain, openRequest, RELAY, ROW, tokenized } from '../helpers/file-relay.ts';
import type { HttpApp } from '../helpers/http-app.ts';
import type { PlainPartner } from '../helpers/plain-partner.ts';
import { until } from '../helpers/until.ts';

async function brokenOff(parts: HttpApp, partner: PlainPartner) {
	const [ended] = await audited(parts, 'file.relay');
	return { ended, left: names(partner) };
}

test('a partner that fails in the middle: told, nothing left, and the next try succeeds', async (t) => {
	const whims = { fullAtBytes: 200_000 as number | undefined };
	const { parts, caller, partner, at } = await openPlain(t, whims);
	const payload = await tokenized(caller, HEAD + ROW.repeat(20_000));
	const { url, headers } = callOf(RELAY, at);
	const full = await caller.inject('POST', url, { headers: { ...headers, accept: 'application/json' }, payload });
	t.is(full.statusCode, 502);
	t.is(full.json().moreInfo, 'fileName: the partner refused to store more of the file');
	t.deepEqual((await brokenOff(parts, partner)).left, []);
	t.like((await brokenOff(parts, partner)).ended, { isCleared: true });
	whims.fullAtBytes = undefined;
	t.is((await caller.inject('POST', url, { headers, payload })).statusCode, 200);
	t.is(partner.files.get('in/may.csv')!.bytes.toString(), HEAD + ROW.repeat(20_000));
});

test('a connection that breaks: the part is removed over another one', async (t) => {
	const { parts, caller, partner, at } = await openPlain(t);
	const { url, headers } = callOf(RELAY, at);
	const request = await openRequest(t, parts, caller, url, { ...headers, accept: 'application/json' });
	request.write(HEAD);
	await until('a part is there', () => names(partner).some((name) => name.startsWith('in/.may.csv.')));
	partner.drop();
	request.end(ROW);
	const [response] = (await once(request, 'response')) as [IncomingMessage];
	let text = '';
	for await (const chunk of response) text += chunk;
	t.is(response.statusCode, 502);
	t.is(JSON.parse(text).moreInfo, 'host: the connection broke off');
	t.deepEqual(names(partner), []);
});

test('a caller that goes away leaves nothing at the partner', async (t) => {
	const { parts, caller, partner, at } = await openPlain(t);
	const part = (await tokenized(caller, HEAD + ROW.repeat(10_000))).toString();
	const { url, headers } = callOf(RELAY, at);
	const request = await openRequest(t, parts, caller, url, headers);
	request.write(part);
	await until('bytes arrive', () => [...partner.files.values()].some(({ bytes }) => bytes.length > 0));
	request.destroy();
	const { left, ended } = await brokenOff(parts, partner);
	t.deepEqual(left, []);
	t.like(ended, { isCleared: true });
	t.is(partner.open.size, 0);
	t.notRegex(parts.logText(), /"level":"?(error|50)/);
});

test('an empty body and a bad file reach no partner', async (t) => {
	const { caller, partner, at } = await openPlain(t);
	const { url, headers } = callOf(RELAY, at);
	const json = { ...headers, accept: 'application/json' };
	const empty = await caller.inject('POST', url, { headers: json });
	t.is(empty.statusCode, 400);
	const bad = await caller.inject('POST', url, { headers: json, payload: 'CardNumber,NameOnCard\nx,"never closed' });
	t.is(bad.statusCode, 400);
	t.regex(bad.json().moreInfo, /^offset \d+, line 2/);
	t.deepEqual(names(partner), []);
});

test('a slow partner holds the caller back', async (t) => {
	const { parts, caller, at } = await openPlain(t, { isDeaf: true }, { fileRelay: { deadlines: { idleMs: 3_000 } } });
	const part = (await tokenized(caller, HEAD + ROW.repeat(5_000))).toString();
	const rows = part.slice(HEAD.length);
	const { url, headers } = callOf(RELAY, at);
	const request = await openRequest(t, parts, caller, url, headers);
	const answered = once(request, 'response') as Promise<[IncomingMessage]>;
	let sent = 0;
	request.write(HEAD);
	for (let isStuck = false; sent < 200_000_000 && !isStuck; sent += rows.length) {
		if (request.write(rows)) continue;
		isStuck = (await Promise.race([once(request, 'drain'), sleep(1_000, 'stuck')])) === 'stuck';
	}
	t.true(sent < 30_000_000, `${sent} bytes were taken`);
	// The partner never answers, so the deadline ends the call, and what the caller still sends is discarded.
	request.end();
	const [response] = await answered;
	t.is(response.statusCode, 504);
});

test('a caller that breaks off a capture ends it', async (t) => {
	const { parts, caller, partner, at } = await openPlain(t);
	partner.files.set('in/may.csv', { bytes: Buffer.from(HEAD + ROW.repeat(400_000)), mtime: 1 });
	const { url, headers } = callOf(CAPTURE, at);
	const request = await openRequest(t, parts, caller, url, headers);
	request.end();
	const [response] = (await once(request, 'response')) as [IncomingMessage];
	await once(response, 'readable');
	const first: Buffer = response.read();
	request.destroy();
	t.like((await audited(parts, 'file.capture'))[0], { isWhole: false });
	const token = /[0-9a-f]{32}(?=,)/.exec(first.toString())![0];
	t.truthy(await parts.vault.find(caller.account.id, token as never), 'a token that was sent stays');
	t.is((await parts.database.knex('page_blocks')).length, 0);
});

test('an account whose partner hangs keeps its share of the transfers, and others have theirs', async (t) => {
	const { parts, caller, partner, at } = await openPlain(t, {}, { fileRelay: { maxTransfersOfAccount: 1 } });
	const { url, headers } = callOf(RELAY, at);
	const hanging = await openRequest(t, parts, caller, url, headers);
	hanging.write(HEAD);
	await until('the first is under way', () => names(partner).length > 0);
	const json = { ...headers, accept: 'application/json' };
	const second = callOf(RELAY, at, { fileName: 'june.csv' });
	const refused = await caller.inject('POST', second.url, { headers: json, payload: HEAD });
	t.is(refused.statusCode, 503);
	t.is(refused.json().moreInfo, 'the account has as many transfers under way as it may');
	const other = await parts.createCaller('other');
	t.is((await other.inject('POST', second.url, { headers, payload: HEAD + ROW })).statusCode, 200);
	hanging.destroy();
	const isFree = async () =>
		(await caller.inject('POST', second.url, { headers, payload: HEAD + ROW })).statusCode !== 503;
	await until('the share is free again', isFree);
});
