// Checks what a rotation of keys and a sweep over all parts write into the trail, and what they leave under older keys.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { diskBlobStore } from '../../src/base/blobs/disk.ts';
import { createSpool } from '../../src/base/blobs/spool.ts';
import { makeUlid } from '../../src/base/database/ulid.ts';
import { IN_USE_AFTER_MS } from '../../src/base/keys/generations.ts';
import { sealValue } from '../../src/base/keys/rows/sealed-values.ts';
import { Secret } from '../../src/base/settings/secret.ts';
import { type RotatedPurpose, rotateKeys, sweepAll } from '../../src/installation/keys/key-rotation.ts';
import { listKeyStates } from '../../src/installation/keys/key-status.ts';
import { retireKeys } from '../../src/installation/keys/retire-keys.ts';
import { sealedSecrets } from '../../src/installation/keys/sealed-secrets.ts';
import { sealedTables } from '../../src/installation/keys/sealed-tables.ts';
import type { Token } from '../../src/vault/tokens/token.ts';
import { openCredentials, openGatewayCredentials } from '../../src/work/payments/gateway/credentials.ts';
import { Journal, sealedAttemptCredentials } from '../../src/work/payments/gateway/journal.ts';
import { openResult, sealedResults } from '../../src/work/payments/wallet/stored-result.ts';
import { parseDestination } from '../../src/work/relay/partners/destination-document.ts';
import { openDestinations } from '../../src/work/relay/partners/destinations.ts';
import { cardJson, json, postCard, storeCard, tokenOf } from '../helpers/card-calls.ts';
import { databases } from '../helpers/database.ts';
import { inFolder } from '../helpers/file-parts.ts';
import { openHttpApp } from '../helpers/http-app.ts';

const PURPOSES = [
	...(['data', 'cvv', 'fingerprint', 'token', 'drop', 'secret', 'seal', 'credential', 'audit'] as const),
	...(['environment', 'root'] as const),
] satisfies RotatedPurpose[];
const PROFILE = JSON.stringify({
	...{ name: 'Partner', direction: 'replace', body: 'json', hosts: ['api.example.com'] },
	...{ cards: [{ number: '$.card.number' }], authorization: 'Bearer of-the-partner' },
});
const DESTINATION = 'name: bank\nhost: sftp.example\nport: 22\nuserName: agency\npassword: of-the-bank\n';

const sorted = (rows: readonly (readonly unknown[])[]) =>
	rows.map((row) => [...row]).sort((a, b) => String(a).localeCompare(String(b)));

function makeFolder(t: ExecutionContext): string {
	const folder = mkdtempSync(join(tmpdir(), 'tokendrop-rotation-'));
	t.teardown(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

async function open(t: ExecutionContext, dialect: 'sqlite' | 'postgres') {
	const parts = await openHttpApp(t, dialect);
	const folder = makeFolder(t);
	const blobs = diskBlobStore(join(folder, 'drops'));
	const newMasterKeyFile = join(folder, 'new.key');
	return {
		...parts,
		blobs,
		actor: 'operator test',
		newMasterKeyFile,
		caller: await parts.createCaller('agency', { cvvRetention: true }),
	};
}

for (const dialect of databases) {
	for (const purpose of PURPOSES) {
		test(`${dialect}: a rotation whose entry cannot be written does not happen: ${purpose}`, async (t) => {
			const parts = await open(t, dialect);
			const { knex } = parts.database;
			await storeCard(parts.caller, '', { CVV: '306' });
			await (await createSpool(parts, inFolder(makeUlid(1)))).finish();
			await parts.keyRing.current('secret');
			const newMasterKeyFile = purpose === 'root' ? parts.newMasterKeyFile : undefined;
			const before = await knex('keys').orderBy('id');
			await knex.raw('alter table audit rename to audit_away');
			await t.throwsAsync(rotateKeys(parts, { purposes: [purpose], newMasterKeyFile }));
			t.deepEqual(await knex('keys').orderBy('id'), before);
			await knex.raw('alter table audit_away rename to audit');
			const [rotated] = await rotateKeys(parts, { purposes: [purpose], newMasterKeyFile });
			t.is(rotated.generation, 2);
			const [entry] = await knex('audit').orderBy('seq', 'desc').limit(1);
			t.is(entry.action, 'key.rotate');
			t.deepEqual(JSON.parse(entry.details), { purpose, generation: 2 });
			t.true((await parts.audit.verify()).isWhole);
		});
	}

	test(`${dialect}: after a sweep older keys seal nothing of any room, and everything still opens`, async (t) => {
		const parts = await open(t, dialect);
		const { caller, database, keyRing, audit, clock, identity, vault, profiles, actor } = parts;
		const accountId = caller.account.id;
		const certificate = await identity.certificates.current();
		await profiles.put(accountId, PROFILE);
		const destinations = openDestinations({ database, keyRing, audit, clock });
		await destinations.put({ accountId, userId: 'agency' }, parseDestination(DESTINATION), actor);
		const credentials = openGatewayCredentials({ database, keyRing, audit, clock });
		await credentials.put({ accountId, id: 'c-1', actor }, 'stripe', { SecretKey: new Secret('of-stripe') });
		const journal = new Journal({ database, keyRing, vault, audit, clock });
		const { row: attempt } = await journal.begin({
			...{ accountId, callerId: accountId, userId: 'agency', gateway: 'stripe', leaseMs: 1000 },
			order: { operation: 'Void', amount: undefined, gatewayReference: 'p-1' } as never,
			...{ credentialsId: undefined, credentials: { SecretKey: new Secret('of-the-call') } },
			...{ token: undefined, maskedNumber: undefined, callerKey: undefined },
		});
		const once = json(cardJson(), { 'idempotency-key': 'k-1' });
		const first = await caller.inject('POST', '/api/payments/paycard', once);
		t.is(first.statusCode, 201, first.body);
		const result = { token: 'token' as never, masked: {} };
		const sealed = sealValue(await keyRing.current('secret'), sealedResults, { id: 'session-1' }, result);
		await database.knex('wallet_sessions').insert({
			...{ id: 'session-1', hash: 'h', account_id: accountId, owner_id: accountId, api_key_id: 1, operation: 'Store' },
			...{ created_at: 1, expires_at: 2, attempts: 1, ...sealed },
		});
		const token = await storeCard(caller, '', { CVV: '306' });
		const writer = await createSpool(parts, inFolder(makeUlid(1)));
		await writer.finish();

		const swept = ['pages', 'CVVs', 'files', 'secrets'];
		const states = async () => (await listKeyStates(parts)).keys.filter((key) => swept.includes(String(key.of)));
		const sealing = async () =>
			Object.fromEntries(
				(await states()).filter(({ sealed }) => sealed).map((key) => [`${key.of} ${key.state}`, key.sealed]),
			);
		await rotateKeys(parts, { purposes: ['data', 'cvv', 'drop', 'secret'] });
		const held = { pages: 2, CVVs: 1, files: 1, secrets: 7 };
		const under = (state: string) =>
			Object.fromEntries(Object.entries(held).map(([of, count]) => [`${of} ${state}`, count]));
		t.deepEqual(await sealing(), under('superseded'));
		t.like(await sweepAll(parts), { pages: 2, cvvs: 1, files: 1, secrets: 7, damaged: 0, formerMasterKey: 'none' });
		t.deepEqual(await sealing(), under('active'));
		t.like(await sweepAll(parts), { pages: 0, cvvs: 0, files: 0, secrets: 0 });

		t.is((await identity.certificates.privateKeys()).length, 1);
		t.deepEqual((await identity.certificates.current()).certificate, certificate.certificate);
		clock.turn(10_000);
		t.is((await profiles.find(accountId, 'Partner'))?.authorization, 'Bearer of-the-partner');
		t.is((await destinations.getPartner(accountId, 'bank')).partner.password?.reveal(), 'of-the-bank');
		t.is((await credentials.find(accountId, 'c-1'))?.credentials.SecretKey?.reveal(), 'of-stripe');
		const stored = await database.knex('gateway_attempts').where({ id: attempt.id }).first();
		const opened = await openCredentials(keyRing, sealedAttemptCredentials, stored);
		t.is(opened.SecretKey?.reveal(), 'of-the-call');
		const again = await caller.inject('POST', '/api/payments/paycard', once);
		t.is(again.headers.location, first.headers.location);
		t.is((await openResult(keyRing, await database.knex('wallet_sessions').first()))?.token, 'token' as never);
		t.is((await caller.inject('GET', `/api/payments/paycard/${token}/meta`)).statusCode, 200);
		t.true((await audit.verify()).isWhole);
	});

	test(`${dialect}: a former fingerprint key goes after a sweep, one of tokens as late as the last token it made`, async (t) => {
		const parts = await open(t, dialect);
		const { caller, clock, vault } = parts;
		const store = async () => {
			const stored = await postCard(caller, '?eliminateCardDuplication=true');
			return tokenOf(stored) as Token;
		};
		const token = await store();
		await rotateKeys(parts, { purposes: ['fingerprint', 'token'] });
		clock.turn(IN_USE_AFTER_MS);
		const later = await storeCard(caller, '', { Type: 'MasterCard', Number: '5555555555554444' });
		t.like(await sweepAll(parts), { fingerprints: 1, pages: 0 });
		const holds = (await listKeyStates(parts)).keys
			.filter(({ purpose }) => purpose === 'fingerprint' || purpose === 'token')
			.map(({ purpose, generation, sealed }) => [purpose, generation, sealed]);
		t.deepEqual(
			sorted(holds),
			sorted([
				['fingerprint', 1, 0],
				['fingerprint', 2, 2],
				['token', 1, 1],
				['token', 2, 1],
			]),
		);
		clock.turn(49 * 3_600_000);
		const outcomes = await retireKeys(parts, { now: clock.now().getTime() });
		t.deepEqual(sorted(outcomes.map(({ purpose, outcome }) => [purpose, outcome])), [
			['fingerprint', 'retired'],
			['token', 'kept'],
		]);
		t.is(await store(), token);
		for (const each of [token, later as Token]) t.truthy(await vault.find(caller.account.id, each));
	});

	test(`${dialect}: a secret that no key opens is counted, and the others are moved`, async (t) => {
		const parts = await open(t, dialect);
		const { database, caller, profiles } = parts;
		const names = ['A', 'Broken', 'C', 'Foreign'];
		for (const name of names) await profiles.put(caller.account.id, PROFILE.replace('Partner', name));
		await rotateKeys(parts, { purposes: ['secret'] });
		await database
			.knex('relay_profiles')
			.where({ name: 'Broken' })
			.update({ sealed: Buffer.alloc(60) });
		await database.knex('relay_profiles').where({ name: 'Foreign' }).update({ key_id: 0 });
		t.like(await sweepAll(parts), { secrets: 2, damaged: 2 });
		for (const name of ['A', 'C']) t.truthy(await profiles.find(caller.account.id, name));
	});

	test(`${dialect}: a secret that was put back into its row gets no seal from a sweep`, async (t) => {
		const parts = await open(t, dialect);
		const { database, destinations } = parts;
		const { account } = await parts.createCaller('sender');
		const owner = { accountId: account.id, userId: 'sender' };
		const put = (name: string, password: string) =>
			destinations.put(
				owner,
				parseDestination(`name: ${name}\nhost: a.example\nuserName: a\npassword: ${password}\n`),
				'daemon',
			);
		await put('bank', 'former');
		const { sealed, key_id } = await database.knex('destinations').first();
		await put('bank', 'present');
		await put('other', 'present');
		await database.knex('destinations').where({ name: 'bank' }).update({ sealed, key_id });
		await rotateKeys(parts, { purposes: ['secret'] });
		t.like(await sweepAll(parts), { damaged: 1 });
		t.is((await destinations.getPartner(account.id, 'other')).partner.password?.reveal(), 'present');
		await t.throwsAsync(destinations.getPartner(account.id, 'bank'));
	});

	test(`${dialect}: a former master key is retired by the sweep, with an entry, once nobody needs it`, async (t) => {
		const parts = await open(t, dialect);
		await rotateKeys(parts, { purposes: ['root'], newMasterKeyFile: parts.newMasterKeyFile });
		t.is((await sweepAll(parts)).formerMasterKey, 'needed');
		parts.clock.turn(60_000);
		await parts.database.knex.raw('alter table audit rename to audit_away');
		await t.throwsAsync(sweepAll(parts));
		await parts.database.knex.raw('alter table audit_away rename to audit');
		t.not((await listKeyStates(parts)).formerMasterKey, 'none');
		t.is((await sweepAll(parts)).formerMasterKey, 'retired');
		t.is((await listKeyStates(parts)).formerMasterKey, 'none');
		const [entry] = await parts.database.knex('audit').orderBy('seq', 'desc').limit(1);
		t.is(entry.action, 'key.retire');
		t.true((await parts.audit.verify()).isWhole);
	});
}

test('every table with sealed bytes is one that a sweep knows', async (t) => {
	const { database } = await openHttpApp(t, 'sqlite');
	const found = await database.knex.raw(
		`select m.name from sqlite_master m join pragma_table_info(m.name) c where m.type = 'table' and c.name = 'key_id'`,
	);
	const otherwise = ['pages', 'cvvs', 'api_keys', 'operators', 'audit', 'audit_head', 'audit_links'];
	const tables = found.map(({ name }: { name: string }) => name).filter((name: string) => !otherwise.includes(name));
	t.deepEqual(tables.sort(), sealedSecrets.map(({ table }) => table).sort());
	// Where the seal of a row covers its secret, a sweep renews the seal with the secret.
	for (const { table, column, shape } of sealedSecrets) {
		const sealed = sealedTables.find((each) => each.table === table && each.columns.includes(column));
		t.is(shape, sealed, table);
	}
});

test('tokens tell 255 generations of keys apart: a rotation beyond is refused, and nothing changes', async (t) => {
	const parts = await openHttpApp(t, 'sqlite');
	const current = async () => ({ generation: 255 }) as never;
	const request = rotateKeys(
		{ ...parts, actor: 'test', keyRing: { ...parts.keyRing, current } },
		{ purposes: ['token'] },
	);
	await t.throwsAsync(request, { message: /cannot be rotated: a token tells 255 generations apart/ });
	t.is((await parts.keyRing.all('token')).length, 1);
});
