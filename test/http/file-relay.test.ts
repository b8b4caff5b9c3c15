import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { formats } from '../../formats/index.ts';
import { putFormatOptions } from '../../src/jobs/format-options.ts';
import { openDestinations } from '../../src/relay/destinations.ts';
import { fixtureCases } from '../helpers/fixture-cases.ts';
import { type Caller, type HttpRoomsOptions, type HttpTestRooms, openHttpRooms } from '../helpers/http-rooms.ts';
import { type PlainPartner, plainUser, startPlainPartner, type Whims } from '../helpers/plain-partner.ts';
import { fixtureSecrets, sweepTables } from '../helpers/secrecy.ts';
import { startSshd } from '../helpers/sftp-partner.ts';
import { eventually } from '../helpers/sftp-server.ts';

const RELAY = '/api/payments/paycard/relay/sftp';
const CAPTURE = '/api/payments/paycard/capture/sftp';
const TOKENIZE = '/api/files/tokenize';
const BYTES = { 'content-type': 'application/octet-stream' };
const HEAD = 'CardNumber,ExpirationMonth,ExpirationYear,CardType\n';
const VISA = '4111111111111111';
const ROW = `${VISA},12,2029,Visa\n`;
const WRONG_KEY = `SHA256:${'A'.repeat(43)}`;

interface At {
	readonly port: number;
	readonly userName: string;
	readonly password: string;
}

/** A call that describes its partner itself. */
function callOf(base: string, { port, userName, password }: At, more: Record<string, string> = {}) {
	const query = {
		filter: 'SIMPLECSV',
		host: '127.0.0.1',
		port: String(port),
		userName,
		path: 'in',
		fileName: 'may.csv',
	};
	const url = `${base}?${new URLSearchParams({ ...query, ...more })}`;
	return { url, headers: { ...BYTES, 'x-service-sftp-password': Buffer.from(password).toString('latin1') } };
}

async function openPlain(t: ExecutionContext<unknown>, whims: Whims = {}, options: HttpRoomsOptions = {}) {
	const rooms = await openHttpRooms(t, 'sqlite', options);
	const caller = await rooms.createCaller('agency');
	const partner = await startPlainPartner(t, whims);
	return { rooms, caller, partner, at: { port: partner.port, ...plainUser } };
}

async function tokenized(caller: Caller, payload: string | Buffer, filter = 'SIMPLECSV'): Promise<Buffer> {
	const response = await caller.inject('POST', `${TOKENIZE}?filter=${filter}`, { headers: BYTES, payload });
	if (response.statusCode !== 200) throw new Error(response.payload);
	return response.rawPayload;
}

async function audited(rooms: HttpTestRooms, action: string): Promise<Record<string, unknown>[]> {
	for (let i = 0; i < 150; i++) {
		const rows = await rooms.database.knex('audit').where({ action });
		if (rows.length > 0) return rows.map(({ details }) => JSON.parse(details));
		await sleep(20);
	}
	return [];
}

async function openRequest(t: ExecutionContext, rooms: HttpTestRooms, caller: Caller, url: string, headers: object) {
	if (!rooms.app.server.listening) await rooms.app.listen({ host: '127.0.0.1', port: 0 });
	const { port } = rooms.app.server.address() as AddressInfo;
	const all = { ...headers, 'x-service-api-key': caller.apiKey };
	const request = httpRequest({ host: '127.0.0.1', port, method: 'POST', path: url, headers: all, agent: false });
	request.on('error', () => {});
	t.teardown(() => request.destroy());
	return request;
}

const names = ({ files }: PlainPartner) => [...files.keys()];

test('files of every format reach OpenSSH as they were, and come back tokenized', async (t) => {
	const rooms = await openHttpRooms(t);
	const caller = await rooms.createCaller('agency', { cvvRetention: true });
	const partner = await startSshd(t);
	const { port, userName, keys, hostKeys } = partner;
	const accountId = caller.account.id;
	await openDestinations(rooms).put(
		{ accountId, userId: 'agency' },
		{
			destination: { name: 'bank', host: '127.0.0.1', port, userName, folder: '', hostKeys: [hostKeys.ecdsa] },
			secrets: { privateKey: keys.ed25519 },
		},
		'operator test',
	);
	let cards = 0;
	for (const filter of formats.keys()) {
		const found = fixtureCases(filter).find(
			({ error, spans }) => !error && spans.some(({ kind }) => kind === 'tokenize'),
		)!;
		await putFormatOptions(rooms.database, { accountId, filter }, found.config, () => {});
		const withTokens = await tokenized(caller, found.bytes, filter);
		t.false(withTokens.equals(found.bytes), filter);
		const place = `filter=${filter}&destination=bank&fileName=${filter}.txt`;
		const response = await caller.inject('POST', `${RELAY}?${place}`, { headers: BYTES, payload: withTokens });
		t.is(response.statusCode, 200, `${filter}: ${response.payload}`);
		t.true(readFileSync(join(partner.folder, `${filter}.txt`)).equals(found.bytes), filter);
		cards += response.json().cards;
		const captured = await caller.inject('POST', `${CAPTURE}?${place}`, { headers: BYTES });
		t.is(captured.statusCode, 200, `${filter}: ${captured.payload}`);
		t.is(captured.headers['x-service-sftp-host-key'], hostKeys.ecdsa);
		t.regex(captured.trailers['x-service-tokenization-counts'] as string, /^cards=[1-9]\d*; refused=\d+; warned=\d+$/);
		const back = await caller.inject('POST', `/api/files/detokenize?filter=${filter}`, {
			...{ headers: BYTES, payload: captured.rawPayload },
		});
		t.true(back.rawPayload.equals(found.bytes), filter);
	}
	t.true(cards >= formats.size);
	t.deepEqual(
		readdirSync(partner.folder).filter((name) => name.startsWith('.')),
		[],
	);
	const secrets = fixtureSecrets([...formats.keys()].flatMap((filter) => fixtureCases(filter)));
	t.deepEqual((await sweepTables(rooms.database, secrets)).leaks, []);
});

test('shapes §4: a relayed file is summed up, counted and audited; without overwrite it is not written again', async (t) => {
	const { rooms, partner, at } = await openPlain(t);
	const caller = await rooms.createCaller('metered', { allowanceLimit: 100 });
	const file = `${HEAD}${ROW}${'0'.repeat(32)},12,2029,Visa\n`;
	const payload = `${await tokenized(caller, HEAD + ROW)}${'0'.repeat(32)},12,2029,Visa\n`;
	const before = (await rooms.identity.accounts.get('metered')).allowanceUsed;
	const { url, headers } = callOf(RELAY, at, { hostKey: partner.hostKey });
	const response = await caller.inject('POST', url, { headers, payload });
	t.is(response.statusCode, 200, response.payload);
	t.is(response.headers['content-type'], 'text/json; charset=utf-8');
	const { report, ...counts } = response.json();
	t.deepEqual(counts, {
		...{ fileName: 'may.csv', host: '127.0.0.1', hostKey: partner.hostKey },
		...{ bytesRead: payload.length, bytesWritten: file.length, cards: 1, refused: 0, warned: 0, unresolved: 1 },
	});
	t.like(report[0], { record: 3, line: 3, outcome: 'unresolved' });
	t.is(partner.files.get('in/may.csv')!.bytes.toString(), file);
	t.is((await rooms.identity.accounts.get('metered')).allowanceUsed, before + 1);

	const again = await caller.inject('POST', url, { headers: { ...headers, accept: 'application/json' }, payload });
	t.is(again.statusCode, 400);
	t.is(again.json().moreInfo, 'fileName: the partner has a file of this name; overwrite=true replaces it');
	t.is((await rooms.identity.accounts.get('metered')).allowanceUsed, before + 1);
	const over = callOf(RELAY, at, { overwrite: 'true' });
	const asXml = { ...over.headers, accept: 'application/xml' };
	const replaced = await caller.inject('POST', over.url, { headers: asXml, payload });
	t.is(replaced.statusCode, 200);
	t.regex(replaced.payload, /^<RelayedFile><fileName>may.csv<\/fileName>.*<report><Entry><record>3</);
	t.deepEqual(names(partner), ['in/may.csv']);

	const begun = await audited(rooms, 'file.relay.begin');
	const place = { filter: 'SIMPLECSV', host: '127.0.0.1', port: at.port, fileName: 'may.csv', destination: null };
	t.deepEqual(begun[0], { ...place, address: '127.0.0.1' });
	const [ended] = await audited(rooms, 'file.relay');
	t.deepEqual(ended, { ...place, isWhole: true, cards: 1, unresolved: 1, bytes: file.length });
	t.false(rooms.logText().includes(VISA));
	t.false(rooms.logText().includes(plainUser.password));
});

test('shapes §4: a captured file is streamed with its verdicts, counted and audited', async (t) => {
	const { rooms, caller, partner, at } = await openPlain(t);
	const refusedRow = '4111111111111112,12,2029,Visa\n';
	partner.files.set('in/may.csv', { bytes: Buffer.from(HEAD + ROW + refusedRow), mtime: 1 });
	const { url, headers } = callOf(CAPTURE, at);
	const response = await caller.inject('POST', url, { headers });
	t.is(response.statusCode, 200);
	t.is(response.headers['x-service-sftp-host-key'], partner.hostKey);
	t.regex(response.payload, new RegExp(`^${HEAD}[0-9a-f]{32},12,2029,Visa\n${refusedRow}$`));
	t.deepEqual(response.trailers, {
		'x-service-tokenization-errors': ';;Luhn (Mod10) error',
		'x-service-tokenization-warnings': '',
		'x-service-tokenization-counts': 'cards=1; refused=1; warned=0',
	});
	t.is((await rooms.identity.accounts.get('agency')).allowanceUsed, 1);
	t.like((await audited(rooms, 'file.capture'))[0], { isWhole: true, cards: 1, refused: 1, fileName: 'may.csv' });
	t.is((await rooms.database.knex('page_blocks')).length, 0);
	t.deepEqual(names(partner), ['in/may.csv']);

	const missing = await caller.inject('POST', callOf(CAPTURE, at, { fileName: 'june.csv' }).url, {
		headers: { ...headers, accept: 'application/json' },
	});
	t.is(missing.statusCode, 404);
	t.deepEqual(missing.json(), {
		...{ code: -160, message: 'Uri not found', moreInfo: 'fileName: the partner has no such file' },
	});
	partner.files.set('in/bad.csv', { bytes: Buffer.from(`CardNumber,NameOnCard\n${VISA},"DUPONT`), mtime: 1 });
	const bad = await caller.inject('POST', callOf(CAPTURE, at, { fileName: 'bad.csv' }).url, { headers });
	t.is(bad.statusCode, 400);
	t.is((await rooms.identity.accounts.get('agency')).allowanceUsed, 1);
});

const refuses = test.macro({
	async exec(t, more: Record<string, string>, moreInfo: string, status: number = 400) {
		const { rooms, caller, partner, at } = await openPlain(t);
		const { url, headers } = callOf(RELAY, at, more);
		const call = { headers: { ...headers, accept: 'application/json' }, payload: HEAD };
		const response = await caller.inject('POST', url, call);
		t.is(response.statusCode, status);
		t.is(response.json().moreInfo, moreInfo);
		t.deepEqual(names(partner), []);
		t.is((await rooms.database.knex('audit').where('action', 'like', 'file.relay%')).length, 0);
	},
	title: (_, more, moreInfo) => `${JSON.stringify(more)} is refused: ${moreInfo}`,
});
const NAME = 'fileName: expected a name without a folder';
test(refuses, { filter: 'PDF' }, `filter: expected one of ${[...formats.keys()].join(', ')}`);
test(refuses, { fileName: '../may.csv' }, NAME);
test(refuses, { fileName: '..' }, NAME);
test(refuses, { fileName: 'a\\b' }, NAME);
test(refuses, { fileName: 'a\0b' }, 'fileName: may not hold control characters');
test(refuses, { fileName: 'a'.repeat(241) }, 'fileName: expected at most 240 bytes');
test(refuses, { fileName: '' }, 'fileName: is required');
test(refuses, { path: 'in/../../etc' }, "path: expected a folder without '..'");
test(refuses, { path: 'in\n' }, 'path: may not hold control characters');
test(refuses, { path: 'none' }, 'path: no such folder', 502);
test(refuses, { host: '' }, 'host: is required, or a destination');
test(refuses, { host: 'a/b' }, 'host: expected a host name or an address');
test(refuses, { port: '0' }, 'port: must be >= 1');
test(refuses, { port: 'x' }, 'port: must be integer');
test(refuses, { port: '1' }, 'host: the connection was refused', 502);
test(refuses, { userName: '' }, 'userName: expected 1 to 255 characters');
test(refuses, { userName: 'stranger', hostKey: WRONG_KEY }, 'host: its key is not the expected one', 502);
test(
	refuses,
	{ hostKey: 'MD5:00' },
	'hostKey: expected fingerprints as ssh-keygen -l shows them: SHA256: and 43 characters',
);
test(refuses, { destination: 'bank' }, 'destination: not together with host');
test(refuses, { overwrite: 'maybe' }, 'overwrite: expected true or false');

test('a partner is reached once the caller may, and only in public ranges', async (t) => {
	const { rooms, partner, at } = await openPlain(t, {}, { fileRelay: { allowPrivate: false } });
	const caller = await rooms.createCaller('other', { permissions: ['FileTokenize', 'Relay', 'Capture'] });
	const json = { accept: 'application/json' };
	const call = callOf(RELAY, at);
	const denied = await caller.inject('POST', call.url, { headers: { ...call.headers, ...json }, payload: HEAD });
	t.is(denied.statusCode, 403);
	t.is(denied.json().message, 'Permission FileDetokenize is required');
	for (const host of ['127.0.0.1', '169.254.169.254', '[::1]', '2130706433', 'localhost']) {
		const { url, headers } = callOf(CAPTURE, at, { host });
		const response = await caller.inject('POST', url, { headers: { ...headers, ...json } });
		t.is(response.statusCode, 400, host);
		t.is(response.json().moreInfo, 'host: the host is not allowed', host);
	}
	const { url } = callOf(CAPTURE, at);
	const nameless = await caller.inject('POST', url, { headers: { ...BYTES, ...json } });
	t.is(nameless.json().moreInfo, 'X-service-Sftp-Password: is required, or a destination');
	const unknown = await caller.inject('POST', `${CAPTURE}?filter=GBT&destination=bank&fileName=a`, { headers: json });
	t.is(unknown.json().moreInfo, 'destination: the account has none of this name');
	t.deepEqual(partner.logins, []);
});

test('production wants to know the host key before anything is said', async (t) => {
	const { caller, partner, at, rooms } = await openPlain(t, {}, { fileRelay: { environment: 'production' } });
	const { url, headers } = callOf(CAPTURE, at);
	const response = await caller.inject('POST', url, { headers: { ...headers, accept: 'application/json' } });
	t.is(response.statusCode, 400);
	t.regex(response.json().moreInfo, /^hostKey: is required/);
	const owner = { accountId: caller.account.id, userId: 'agency' };
	const { password, ...login } = at;
	const destination = { name: 'bank', host: '127.0.0.1', ...login, folder: 'in', hostKeys: [] };
	await openDestinations(rooms).put(owner, { destination, secrets: { password } }, 'operator test');
	const stored = await caller.inject('POST', `${CAPTURE}?filter=GBT&destination=bank&fileName=a`, {
		headers: { accept: 'application/json' },
	});
	t.is(stored.json().moreInfo, 'destination: holds no host key; put it with one');
	t.deepEqual(partner.logins, []);
	partner.files.set('in/may.csv', { bytes: Buffer.from(HEAD + ROW), mtime: 1 });
	const known = await caller.inject('POST', callOf(CAPTURE, at, { hostKey: partner.hostKey }).url, { headers });
	t.is(known.statusCode, 200);
});

test('a CVV leaves for the host its policy names, and for no other', async (t) => {
	const { rooms, partner, at } = await openPlain(t);
	const caller = await rooms.createCaller('keeper', { cvvRetention: true });
	const file = `CardNumber,ExpirationMonth,ExpirationYear,CVV\n${VISA},12,2029,306\n`;
	const payload = await tokenized(caller, file);
	const token = /[0-9a-f]{32}/.exec(payload.toString())![0];
	const allow = (DestinationData: string) =>
		caller.inject('PUT', `/api/payments/paycard/${token}/cvvRetentionPolicy`, {
			headers: { 'content-type': 'application/json' },
			payload: { CvvRetentionPolicyList: [{ DestinationType: 'SFTP', DestinationData, Quota: 1 }] },
		});
	const { url, headers } = callOf(RELAY, at, { overwrite: 'true' });
	t.is((await allow('partner.example')).statusCode, 200);
	t.is((await caller.inject('POST', url, { headers, payload })).statusCode, 200);
	t.is(partner.files.get('in/may.csv')!.bytes.toString(), file.replace('306', '***'));
	t.is((await allow('127.0.0.1')).statusCode, 200);
	t.is((await caller.inject('POST', url, { headers, payload })).statusCode, 200);
	t.is(partner.files.get('in/may.csv')!.bytes.toString(), file);
});

async function brokenOff(rooms: HttpTestRooms, partner: PlainPartner) {
	const [ended] = await audited(rooms, 'file.relay');
	return { ended, left: names(partner) };
}

test('a partner that fails in the middle: told, nothing left, and the next try succeeds', async (t) => {
	const whims = { fullAtBytes: 200_000 as number | undefined };
	const { rooms, caller, partner, at } = await openPlain(t, whims);
	const payload = await tokenized(caller, HEAD + ROW.repeat(20_000));
	const { url, headers } = callOf(RELAY, at);
	const full = await caller.inject('POST', url, { headers: { ...headers, accept: 'application/json' }, payload });
	t.is(full.statusCode, 502);
	t.is(full.json().moreInfo, 'fileName: the partner refuses more of it');
	t.deepEqual((await brokenOff(rooms, partner)).left, []);
	t.like((await brokenOff(rooms, partner)).ended, { isCleared: true });
	whims.fullAtBytes = undefined;
	t.is((await caller.inject('POST', url, { headers, payload })).statusCode, 200);
	t.is(partner.files.get('in/may.csv')!.bytes.toString(), HEAD + ROW.repeat(20_000));
});

test('a connection that breaks: the part is removed over another one', async (t) => {
	const { rooms, caller, partner, at } = await openPlain(t);
	const { url, headers } = callOf(RELAY, at);
	const request = await openRequest(t, rooms, caller, url, { ...headers, accept: 'application/json' });
	request.write(HEAD);
	await eventually(() => names(partner).some((name) => name.startsWith('in/.may.csv.')), 'a part is there');
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
	const { rooms, caller, partner, at } = await openPlain(t);
	const part = (await tokenized(caller, HEAD + ROW.repeat(10_000))).toString();
	const { url, headers } = callOf(RELAY, at);
	const request = await openRequest(t, rooms, caller, url, headers);
	request.write(part);
	await eventually(() => [...partner.files.values()].some(({ bytes }) => bytes.length > 0), 'bytes arrive');
	request.destroy();
	const { left, ended } = await brokenOff(rooms, partner);
	t.deepEqual(left, []);
	t.like(ended, { isCleared: true });
	t.is(partner.open.size, 0);
	t.notRegex(rooms.logText(), /"level":"?(error|50)/);
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
	const { rooms, caller, at } = await openPlain(t, { isDeaf: true }, { fileRelay: { deadlines: { idleMs: 3_000 } } });
	const part = (await tokenized(caller, HEAD + ROW.repeat(5_000))).toString();
	const rows = part.slice(HEAD.length);
	const { url, headers } = callOf(RELAY, at);
	const request = await openRequest(t, rooms, caller, url, headers);
	const answered = once(request, 'response') as Promise<[IncomingMessage]>;
	let sent = 0;
	request.write(HEAD);
	for (let isStuck = false; sent < 200_000_000 && !isStuck; sent += rows.length) {
		if (request.write(rows)) continue;
		isStuck = (await Promise.race([once(request, 'drain'), sleep(1_000, 'stuck')])) === 'stuck';
	}
	t.true(sent < 30_000_000, `${sent} bytes were taken`);
	// Nobody answers: the deadline ends it, and what the caller still sends goes nowhere.
	request.end();
	const [response] = await answered;
	t.is(response.statusCode, 504);
});

test('a caller that breaks off a capture ends it', async (t) => {
	const { rooms, caller, partner, at } = await openPlain(t);
	partner.files.set('in/may.csv', { bytes: Buffer.from(HEAD + ROW.repeat(400_000)), mtime: 1 });
	const { url, headers } = callOf(CAPTURE, at);
	const request = await openRequest(t, rooms, caller, url, headers);
	request.end();
	const [response] = (await once(request, 'response')) as [IncomingMessage];
	await once(response, 'readable');
	const first: Buffer = response.read();
	request.destroy();
	t.like((await audited(rooms, 'file.capture'))[0], { isWhole: false });
	const token = /[0-9a-f]{32}(?=,)/.exec(first.toString())![0];
	t.truthy(await rooms.vault.find(caller.account.id, token as never), 'a token that was sent stays');
	t.is((await rooms.database.knex('page_blocks')).length, 0);
});
