// Keys are replaced automatically when their cryptoperiod is over, and destroyed once nothing needs them.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { diskBlobStore } from '../../src/base/blobs/disk.ts';
import { RootKeyAwayError } from '../../src/base/keys/root-key.ts';
import { seal } from '../../src/base/keys/seal.ts';
import { SEALS_UNTIL_ROTATION } from '../../src/base/keys/seal-count.ts';
import { loadSettings } from '../../src/base/settings/settings.ts';
import { daysLeft, rotateDueKeys, termOf } from '../../src/installation/keys/key-periods.ts';
import { rotateKeys, sweepAll } from '../../src/installation/keys/key-rotation.ts';
import { listKeyStates } from '../../src/installation/keys/key-status.ts';
import { retireKeys } from '../../src/installation/keys/retire-keys.ts';
import { openIdentity } from '../../src/people/identity/identity.ts';
import type { Token } from '../../src/vault/tokens/token.ts';
import { storeCard } from '../helpers/card-calls.ts';
import { databases } from '../helpers/database.ts';
import { openHttpApp } from '../helpers/http-app.ts';

const DAY_MS = 86_400_000;
const LIMITS = loadSettings({ env: {} }).keys;
const PERIODIC = Object.keys(LIMITS.cryptoperiodDays);

/** Of all keys only that of the environment ends. */
const FOR_EVER = {
	...Object.fromEntries(PERIODIC.map((purpose) => [purpose, 100_000])),
	environment: LIMITS.cryptoperiodDays.environment,
} as typeof LIMITS.cryptoperiodDays;

async function open(t: ExecutionContext, dialect: 'sqlite' | 'postgres') {
	const parts = await openHttpApp(t, dialect);
	const folder = mkdtempSync(join(tmpdir(), 'tokendrop-periods-'));
	t.teardown(() => rmSync(folder, { recursive: true, force: true }));
	const told: string[] = [];
	const logger = {
		warn: (fields: { purpose: string }) => void told.push(`soon ${fields.purpose}`),
		info: (fields: { purpose: string; why: string }) => void told.push(`${fields.why} ${fields.purpose}`),
	} as never;
	const caller = await parts.createCaller('agency', { cvvRetention: true });
	return { ...parts, logger, told, caller, blobs: diskBlobStore(join(folder, 'drops')), actor: 'operator test' };
}

type FileParts = Awaited<ReturnType<typeof open>>;

const generations = async ({ keyRing }: FileParts) =>
	Object.fromEntries(
		(await keyRing.list())
			.filter(({ state }) => state === 'active')
			.map(({ purpose, generation }) => [purpose, generation]),
	);

/** Uses every key that has a cryptoperiod, and returns the token of the card that it stores. */
async function useAll(parts: FileParts): Promise<Token> {
	await parts.keyRing.current('drop');
	await parts.identity.certificates.current();
	return (await storeCard(parts.caller, '', { CVV: '306' })) as Token;
}

for (const dialect of databases) {
	test(`${dialect}: every purpose with a cryptoperiod is told before its end, and replaced at it`, async (t) => {
		const parts = await open(t, dialect);
		const { keyRing, logger, told, audit, actor, vault, caller } = parts;
		const token = await useAll(parts);
		const madeAt = Math.max(...(await keyRing.list()).map((row) => row.created_at));
		const run = (days: number) => rotateDueKeys({ ...parts, logger, actor }, LIMITS, madeAt + days * DAY_MS);
		t.deepEqual(await run(300), { rotated: 0, soon: 0 });
		t.deepEqual(told, []);
		t.is((await run(352)).soon, PERIODIC.length);
		t.deepEqual(told.sort(), PERIODIC.map((purpose) => `soon ${purpose}`).sort());
		for (const [, days] of await daysLeft(parts, LIMITS, madeAt + 352 * DAY_MS)) t.true(days <= 13 && days > 12);
		told.length = 0;
		t.deepEqual(await run(365), { rotated: PERIODIC.length, soon: 0 });
		t.deepEqual(told.sort(), PERIODIC.map((purpose) => `age ${purpose}`).sort());
		const now = await generations(parts);
		for (const purpose of PERIODIC) t.is(now[purpose], 2, purpose);
		const entries = await parts.database.knex('audit').where({ action: 'key.rotate' });
		t.is(entries.length, PERIODIC.length);
		t.true(entries.every(({ details }) => JSON.parse(details).why === 'age'));
		// After the rotation everything still works, under the new keys and the old ones.
		await sleep(5_100);
		t.is((await caller.inject('GET', `/api/payments/paycard/${token}/meta`)).statusCode, 200);
		await storeCard(caller, '', { CVV: '306' });
		const place = (await vault.find(caller.account.id, token))!;
		t.truthy(await vault.cvvs.use(place, { type: 'HostName', data: 'pms.example' }));
		await audit.record({ actor, action: 'after', subject: 'rotation' });
		t.true((await audit.verify()).isWhole);
	});

	test(`${dialect}: while the key service is away every key but that of the environment is replaced`, async (t) => {
		const parts = await open(t, dialect);
		await useAll(parts);
		const madeAt = Math.max(...(await parts.keyRing.list()).map((row) => row.created_at));
		const rotateEnvironmentKey = () => Promise.reject(new RootKeyAwayError('away'));
		const away = { ...parts, keyRing: { ...parts.keyRing, rotateEnvironmentKey } };
		const at = madeAt + 365 * DAY_MS;
		t.is((await rotateDueKeys(away, LIMITS, at)).rotated, PERIODIC.length - 1);
		t.is((await generations(parts)).environment, 1);
		t.is((await rotateDueKeys(parts, { ...LIMITS, cryptoperiodDays: FOR_EVER }, at)).rotated, 1);
		t.is((await generations(parts)).environment, 2);
	});

	test(`${dialect}: a key that has sealed enough is replaced, whatever its age`, async (t) => {
		const parts = await open(t, dialect);
		await useAll(parts);
		const { knex } = parts.database;
		const before = await parts.keyRing.current('data', parts.caller.account.id);
		await knex('keys').where({ id: before.id }).update({ seals: SEALS_UNTIL_ROTATION });
		t.deepEqual(await rotateDueKeys(parts, LIMITS, Date.now()), { rotated: 1, soon: 0 });
		t.deepEqual(parts.told, ['seals data']);
		const [entry] = await knex('audit').where({ action: 'key.rotate' });
		t.deepEqual(JSON.parse(entry.details), { purpose: 'data', generation: 2, why: 'seals' });
	});

	test(`${dialect}: what a process seals is reserved before, in blocks`, async (t) => {
		const { keyRing, database } = await open(t, dialect);
		const key = await keyRing.current('drop');
		const reserved = async () => (await database.knex('keys').where({ id: key.id }).first()).seals;
		t.is(await reserved(), 65_536);
		for (let n = 0; n < 40_000; n++) seal(key.secret, Buffer.of(n), Buffer.alloc(0));
		t.is((await keyRing.current('drop')).id, key.id);
		t.is(await reserved(), 65_536, 'not for every seal');
		await sleep(5_100);
		await keyRing.current('drop');
		t.is(await reserved(), 131_072);
	});

	test(`${dialect}: superseded keys are destroyed when nothing needs them, and kept with the reason while something does`, async (t) => {
		const parts = await open(t, dialect);
		const { database, actor, caller, audit, identity } = parts;
		const { knex } = database;
		const token = await useAll(parts);
		t.deepEqual(await retireKeys(parts, { now: Date.now() }), []);
		await rotateKeys(parts, { purposes: ['data', 'cvv', 'secret', 'seal', 'credential', 'audit', 'environment'] });
		const outcome = async (now: number) => {
			const all = await retireKeys(parts, { now });
			return Object.fromEntries(all.map(({ purpose, outcome: what, reason }) => [purpose, reason ?? what]));
		};
		const rotatedAt = Math.max(...(await parts.keyRing.list()).map((row) => row.superseded_at ?? 0));
		const first = await outcome(rotatedAt + 10 * DAY_MS);
		t.is(first.data, '1 pages are under it: run `key sweep`');
		t.is(first.cvv, '1 CVVs are under it: run `key sweep`');
		t.regex(first.seal, /^\d+ rows are under it/);
		t.regex(first.credential, /^1 API keys that work have not been used since/);
		t.regex(first.audit, /^\d+ entries of the audit trail are verified by it/);
		t.regex(first.environment, /file of heads/);
		const swept = await sweepAll(parts);
		t.like(swept, { pages: 1, cvvs: 1, damaged: 0 });
		t.true(swept.rows >= 2);
		// The hash of an API key moves to the new credential key when the API key is used.
		const fresh = openIdentity({ ...parts, environment: 'sandbox' });
		t.truthy(await fresh.authenticate({ kind: 'api-key', secret: caller.apiKey }));
		const young = await outcome(rotatedAt);
		t.regex(young.data, /^a process may still use it until/);
		const late = await outcome(rotatedAt + 3 * DAY_MS);
		for (const purpose of ['data', 'cvv', 'secret', 'seal', 'credential']) t.is(late[purpose], 'retired', purpose);
		t.regex(late.audit, /entries/);
		const entries = await knex('audit').where({ action: 'key.retire', actor });
		t.is(entries.length, 5);
		t.true((await audit.verify()).isWhole);
		// After this pause, whatever had read keys a moment before reads them again.
		await sleep(1_100);
		t.is((await caller.inject('GET', `/api/payments/paycard/${token}/meta`)).statusCode, 200);
		t.truthy(await fresh.authenticate({ kind: 'api-key', secret: caller.apiKey }));
		t.truthy((await identity.certificates.privateKeys()).length);
		const { keys } = await listKeyStates(parts, LIMITS);
		t.deepEqual(
			keys
				.filter(({ state }) => state === 'superseded')
				.map(({ purpose }) => purpose)
				.sort(),
			['audit', 'environment'],
		);
	});

	test(`${dialect}: rows that do not fit their seal get none from a sweep`, async (t) => {
		const parts = await open(t, dialect);
		const { knex } = parts.database;
		await rotateKeys(parts, { purposes: ['seal'] });
		await knex('api_keys').update({ permissions: 'DisplayCard' });
		await sweepAll(parts);
		t.is(await parts.identity.authenticate({ kind: 'api-key', secret: parts.caller.apiKey }), null);
		t.is((await retireKeys(parts, { now: Date.now() + 3 * DAY_MS }))[0].outcome, 'kept');
	});
}

test('a superseded key, and one of a purpose without a cryptoperiod, has no end', (t) => {
	const key = { purpose: 'data', state: 'active', created_at: 0, seals: 0 } as const;
	t.deepEqual(termOf(key, LIMITS, 351 * DAY_MS), { endsAt: 365 * DAY_MS, term: 'soon', why: null });
	t.is(termOf({ ...key, state: 'superseded' }, LIMITS, 1000 * DAY_MS).endsAt, null);
	t.is(termOf({ ...key, purpose: 'bridge' }, LIMITS, 1000 * DAY_MS).endsAt, null);
});
