import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { formats } from '../../formats/index.ts';
import { putFormatOptions } from '../../src/work/jobs/format-options.ts';
import { openDestinations } from '../../src/work/relay/partners/destinations.ts';
import { audited } from '../helpers/audited.ts';
import { BYTES, CAPTURE, callOf, HEAD, names, openPlain, RELAY, ROW, tokenized, VISA } from '../helpers/file-relay.ts';
import { fixtureCases } from '../helpers/fixture-cases.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { plainUser } from '../helpers/plain-partner.ts';
import { fixtureSecrets, sweepTables } from '../helpers/secrecy.ts';
import { startSshd } from '../helpers/sftp-partner.ts';
import { testNeeding } from '../helpers/test-needing.ts';

const sshdTest = testNeeding('sshd (openssh-server)');

sshdTest('files of every format reach OpenSSH as they were, and come back tokenized', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency', { cvvRetention: true });
	const partner = await startSshd(t);
	const { port, userName, keys, hostKeys } = partner;
	const accountId = caller.account.id;
	await openDestinations(parts).put(
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
		await putFormatOptions(parts, { accountId, filter }, found.config, () => {});
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
		t.regex(
			captured.trailers['x-service-tokenization-counts'] as string,
			/^cards=[1-9]\d*; refused=\d+; warned=\d+(; otherNumbers=\d+)?$/,
		);
		const back = await caller.inject('POST', `/api/files/detokenize?filter=${filter}`, {
			...{ headers: BYTES, payload: captured.rawPayload },
		});
		t.true(back.rawPayload.equals(found.bytes), filter);
	}
	t.true(cards >= formats.size);
	t.deepEqual(
		readdirSync(partner.folder).filter((name) => name.startsWith('./')),
		[],
	);
	const secrets = fixtureSecrets([...formats.keys()].flatMap((filter) => fixtureCases(filter)));
	t.deepEqual((await sweepTables(parts.database, secrets)).leaks, []);
});

test('shapes §4: a relayed file is summed up, counted and audited; without overwrite it is not written again', async (t) => {
	const { parts, partner, at } = await openPlain(t);
	const caller = await parts.createCaller('metered', { allowanceLimit: 100 });
	const file = `${HEAD}${ROW}${'0'.repeat(32)},12,2029,Visa\n`;
	const payload = `${await tokenized(caller, HEAD + ROW)}${'0'.repeat(32)},12,2029,Visa\n`;
	const before = (await parts.identity.accounts.get('metered')).allowanceUsed;
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
	t.is((await parts.identity.accounts.get('metered')).allowanceUsed, before + 1);

	const again = await caller.inject('POST', url, { headers: { ...headers, accept: 'application/json' }, payload });
	t.is(again.statusCode, 400);
	t.is(again.json().moreInfo, 'fileName: the partner has a file of this name; overwrite=true replaces it');
	t.is((await parts.identity.accounts.get('metered')).allowanceUsed, before + 1);
	const over = callOf(RELAY, at, { overwrite: 'true' });
	const asXml = { ...over.headers, accept: 'application/xml' };
	const replaced = await caller.inject('POST', over.url, { headers: asXml, payload });
	t.is(replaced.statusCode, 200);
	t.regex(replaced.payload, /^<RelayedFile><fileName>may.csv<\/fileName>.*<report><Entry><record>3</);
	t.deepEqual(names(partner), ['in/may.csv']);

	const begun = await audited(parts, 'file.relay.begin');
	const place = { filter: 'SIMPLECSV', host: '127.0.0.1', port: at.port, fileName: 'may.csv', destination: null };
	const { credential, requestId, ...said } = begun[0] as { credential: string; requestId: string };
	t.regex(requestId, /^[0-9a-f-]{36}$/);
	t.deepEqual(said, { ...place, address: '127.0.0.1' } as never);
	t.regex(credential, /^api-key \d+$/);
	const [ended] = await audited(parts, 'file.relay');
	const address = '127.0.0.1';
	t.deepEqual(ended, {
		...place,
		address,
		credential,
		requestId,
		isWhole: true,
		cards: 1,
		unresolved: 1,
		bytes: file.length,
	});
	t.false(parts.logText().includes(VISA));
	t.false(parts.logText().includes(plainUser.password));
});

test('shapes §4: a captured file is streamed with its verdicts, counted and audited', async (t) => {
	const { parts, caller, partner, at } = await openPlain(t);
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
		'x-service-tokenization-notices': '',
	});
	t.is((await parts.identity.accounts.get('agency')).allowanceUsed, 1);
	t.like((await audited(parts, 'file.capture'))[0], { isWhole: true, cards: 1, refused: 1, fileName: 'may.csv' });
	t.is((await parts.database.knex('page_blocks')).length, 0);
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
	t.is((await parts.identity.accounts.get('agency')).allowanceUsed, 1);
});

test('a CVV leaves for the host its policy names, and for no other', async (t) => {
	const { parts, partner, at } = await openPlain(t);
	const caller = await parts.createCaller('keeper', { cvvRetention: true });
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
