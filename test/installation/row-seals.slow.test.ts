// Those tests of row-seals.test.ts that take long.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import fc from 'fast-check';
import type { AccountId } from '../../src/base/database/ids.ts';
import { adoptRows, requireSealKey } from '../../src/installation/keys/adopt-rows.ts';
import { sealedTables } from '../../src/installation/keys/sealed-tables.ts';
import { watchIntegrity } from '../../src/installation/opening/integrity-watch.ts';
import { parseSshPublicKey } from '../../src/people/identity/credentials/ssh-public-key.ts';
import { openIdentity } from '../../src/people/identity/identity.ts';
import { CardReader } from '../../src/vault/cards/card-reader.ts';
import { purgeCvvs } from '../../src/vault/cvvs/purge-cvvs.ts';
import { LiveTokens } from '../../src/vault/tokens/live-tokens.ts';
import type { Token } from '../../src/vault/tokens/token.ts';
import { audited } from '../helpers/audited.ts';
import { openBegunKeyRing } from '../helpers/begun-database.ts';
import { storeCard } from '../helpers/card-calls.ts';
import { databases } from '../helpers/database.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { createAccount, openIdentityParts } from '../helpers/identity-parts.ts';
import { makeSshKeyLine } from '../helpers/ssh-key-line.ts';
import { listen, logIn } from './row-seals.setup.ts';

const ANYWHERE = { type: 'HostName', data: 'pms.example' } as const;

for (const dialect of databases) {
	test(`${dialect}: a revoked key's row of before does not come to life, here, on another daemon and after a restart`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const folder = mkdtempSync(join(tmpdir(), 'tokendrop-ended-'));
		t.teardown(() => rmSync(folder, { recursive: true, force: true }));
		const endedFile = join(folder, 'ended.jsonl');
		const { account, text } = await createAccount(parts, 'agency');
		const { knex } = parts.database;
		const ssh = parseSshPublicKey(makeSshKeyLine('agency'));
		await parts.identity.sshKeys.add(account, 'test', ssh);
		const [keyBefore] = await knex('api_keys');
		const [sshBefore] = await knex('ssh_keys');
		const open = async () => {
			const keyRing = await openBegunKeyRing(parts.database, parts.clock, endedFile);
			const identity = openIdentity({ ...parts, keyRing, environment: 'sandbox' });
			return { ...parts, keyRing, identity };
		};
		const other = await open();
		t.truthy(await logIn(other, text));
		await parts.identity.apiKeys.revoke(account, 'test');
		await parts.identity.sshKeys.remove(account, 'test', ssh.fingerprint);
		await sleep(1_050);
		t.is(await logIn(other, text), null);
		await knex('api_keys').update(keyBefore);
		await knex('ssh_keys').insert(sshBefore);
		const restarted = await open();
		for (const each of [parts, other, restarted]) {
			const broken = listen(each);
			t.is(await logIn(each, text), null);
			t.is(await each.identity.sftpLogin.byPublicKey({ userName: 'agency', key: ssh.blob }), null);
			t.deepEqual(
				[...new Set(broken.map(({ table, why }) => `${table} ${why}`))],
				['api_keys put-back', 'ssh_keys put-back'],
			);
		}
		// The register of ended credentials is deleted too: a daemon that has read it, or that has the file, still knows.
		await knex('ended_rows').delete();
		for (const each of [other, await open()]) t.is(await logIn(each, text), null);
		// The same SSH key can be added again, because it then has a new row.
		await knex('ssh_keys').delete();
		await parts.identity.sshKeys.add(account, 'test', ssh);
		t.truthy(await parts.identity.sftpLogin.byPublicKey({ userName: 'agency', key: ssh.blob }));
	});

	test(`${dialect}: a CVV gives no use back, whatever row of before is put back`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const { vault, clock, database } = parts;
		const { knex } = database;
		const caller = await parts.createCaller('agency', { cvvRetention: true });
		const owner = caller.account.id;
		const broken = listen(parts);
		const use = async (token: string) => vault.cvvs.use((await vault.find(owner, token as Token))!, ANYWHERE);
		const rows = async () => ({ cvvs: await knex('cvvs'), cvv_destinations: await knex('cvv_destinations') });
		const putBack = async (before: Awaited<ReturnType<typeof rows>>) => {
			for (const [table, content] of Object.entries(before)) {
				await knex(table).delete();
				if (content.length > 0) await knex(table).insert(content);
			}
		};

		// The only use of this CVV has destroyed it, and its former row does not bring it back.
		const once = await storeCard(caller, '', { CVV: '306' });
		const asStored = await rows();
		t.truthy(await use(once));
		t.deepEqual(await knex('cvvs'), []);
		await putBack(asStored);
		t.is(await vault.cvvs.findPolicy((await vault.find(owner, once as Token))!), undefined);
		t.is(await use(once), undefined);
		t.deepEqual(await knex('cvvs'), [], 'what was put back is taken away');
		t.true(broken.every(({ table, why }) => table === 'cvvs' && why === 'put-back'));

		// Of three uses two are left. The former row does not give the third one back, whether policy or destination counts.
		const endsAt = new Date(clock.now().getTime() + 60_000);
		for (const destinations of [[], [{ type: 'HostName', data: '', quota: 3, used: 0 } as const]]) {
			const token = await storeCard(caller, '', { CVV: '306' });
			const place = (await vault.find(owner, token as Token))!;
			await vault.cvvs.changePolicy(place, () => ({ endsAt, deletesCard: false, usesLeft: 3, destinations }));
			const fresh = await rows();
			t.truthy(await use(token));
			await putBack(fresh);
			t.is(await use(token), undefined);
		}

		// Nobody can give a CVV more uses, a later end, the deletion of its card or another version by changing its row.
		for (const change of [{ uses_left: 9 }, { ends_at: endsAt.getTime() * 2 }, { delete_card: 1 }, { version: 7 }]) {
			const token = await storeCard(caller, '', { CVV: '306' });
			await knex('cvvs').update(change);
			t.is(await use(token), undefined, JSON.stringify(change));
		}

		// One CVV is cleared by its owner and one by retention: neither comes back with its former row.
		const cleared = await storeCard(caller, '', { CVV: '306' });
		const beforeClear = await rows();
		await vault.cvvs.destroy((await vault.find(owner, cleared as Token))!);
		await putBack(beforeClear);
		t.is(await use(cleared), undefined);
		const ended = await storeCard(caller, '', { CVV: '306' });
		const beforeEnd = await rows();
		clock.turn(8 * 86_400_000);
		await purgeCvvs(vault);
		await putBack(beforeEnd);
		t.is(await use(ended), undefined);
	});

	test(`${dialect}: uses of CVVs are counted as the policy has them while nobody tampers`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const { vault, clock } = parts;
		const caller = await parts.createCaller('agency', { cvvRetention: true });
		const broken = listen(parts);
		const model = fc.array(fc.constantFrom('use', 'policy', 'sweep', 'remove-neighbour'), { maxLength: 12 });
		await fc.assert(
			fc.asyncProperty(model, fc.integer({ min: 1, max: 4 }), async (steps, uses) => {
				const [token, neighbour] = await Promise.all([storeCard(caller, '', { CVV: '306' }), storeCard(caller)]);
				const place = async () => (await vault.find(caller.account.id, token as Token))!;
				const endsAt = new Date(clock.now().getTime() + 60_000);
				const setPolicy = async () =>
					vault.cvvs.changePolicy(await place(), (now) => ({ ...now, endsAt, usesLeft: uses }));
				await setPolicy();
				let left = uses;
				for (const step of steps) {
					if (step === 'use') {
						const opened = await vault.cvvs.use(await place(), ANYWHERE);
						if ((opened !== undefined) !== left > 0) return false;
						left = Math.max(0, left - 1);
					} else if (step === 'policy') {
						if ((await setPolicy()) !== left > 0) return false;
						if (left > 0) left = uses;
					} else if (step === 'sweep') {
						await parts.keyRing.rotate('data', caller.account.id);
						await parts.keyRing.rotate('cvv', caller.account.id);
						for await (const _ of (await import('../../src/vault/pages/sweep.ts')).sweep(parts, [caller.account.id]));
					} else await vault.remove(caller.account.id, neighbour as Token);
				}
				return true;
			}),
			{ numRuns: 15 },
		);
		t.deepEqual(broken, []);
	});

	test(`${dialect}: an association that was inserted, changed or put back lets nobody in`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const { vault, database } = parts;
		const { knex } = database;
		const caller = await parts.createCaller('agency');
		const shop = (await parts.createCaller('shop')).account.id;
		const thief = (await parts.createCaller('thief')).account.id;
		const [token, other] = await Promise.all([
			storeCard(caller, '?merchantId=shop') as Promise<Token>,
			storeCard(caller, '?merchantId=shop') as Promise<Token>,
		]);
		const [row] = await knex('associations').orderBy('slot');
		const tokens = new LiveTokens({ database, keyRing: parts.keyRing, clock: parts.clock });
		const readerOf = (accountId: AccountId) => new CardReader({ database, keyRing: parts.keyRing, tokens, accountId });
		const sees = async (account: AccountId, each: Token = token) =>
			(await vault.find(account, each)) !== undefined &&
			(await readerOf(account).resolve(Buffer.from(each, 'hex')))[0] !== undefined;
		const broken = listen(parts);
		t.true(await sees(shop));
		// Two cards that are stored at once take their slots in any order, so the row may belong to either.
		const seesEither = async (account: AccountId) => [await sees(account), await sees(account, other)].includes(true);
		await knex('associations').insert({ ...row, merchant_id: thief });
		t.false(await seesEither(thief));
		await knex('associations').where({ merchant_id: thief }).delete();
		await knex('associations').insert({ ...row, slot: -1, merchant_id: thief });
		t.false(await seesEither(thief));
		t.true(broken.length > 0 && broken.every(({ table }) => table === 'associations'));
		// An association that the owner makes is accepted.
		t.true(await vault.associate(caller.account.id, token, thief));
		t.true(await sees(thief));
		const all = await knex('associations');
		t.true(await vault.dissociate(caller.account.id, token, thief));
		t.true(await sees(shop), 'who else is associated stays so');
		t.true(await sees(shop, other));
		await knex('associations').delete();
		await knex('associations').insert(all);
		t.false(await sees(thief));
		t.is(broken.at(-1)?.why, 'put-back');
	});

	test(`${dialect}: rows that have lost the key of their seals let nobody start, and get new seals only by an operator`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const { keyRing, database, vault } = parts;
		const { knex } = database;
		const caller = await parts.createCaller('agency', { cvvRetention: true });
		await parts.createCaller('shop');
		const token = (await storeCard(caller, '?merchantId=shop', { CVV: '306' })) as Token;
		await t.notThrowsAsync(requireSealKey(keyRing));
		t.is(await adoptRows(parts, 'operator test'), undefined, 'they have them');
		for (const { table } of sealedTables)
			if (table !== 'ended_rows') await knex(table).update({ seal: null, seal_key: null });
		t.is(await adoptRows(parts, 'operator test'), undefined, 'rows without a seal get none while there is a key');
		await knex('keys').where({ purpose: 'seal' }).delete();
		const LOST = { message: /have lost their seals/ };
		await t.throwsAsync(requireSealKey(keyRing), LOST);
		await t.throwsAsync(
			requireSealKey(await openBegunKeyRing(database, parts.clock)),
			LOST,
			'no start makes a new key',
		);
		t.deepEqual((await Promise.all([adoptRows(parts, 'operator test'), adoptRows(parts, 'operator test')])).sort(), [
			6,
			undefined,
		]);
		t.deepEqual(await audited(parts, 'integrity.adopt'), [{ rows: 6 }]);
		await t.notThrowsAsync(requireSealKey(keyRing));
		t.is(await adoptRows(parts, 'operator test'), undefined);
		await sleep(1_100);
		t.is((await caller.inject('GET', `/api/payments/paycard/${token}/meta`)).statusCode, 200);
		t.truthy(await vault.cvvs.use((await vault.find(caller.account.id, token))!, ANYWHERE));
		await knex('keys').where({ purpose: 'seal' }).delete();
		await knex('audit').where({ action: 'integrity.adopt' }).delete();
		await t.throwsAsync(requireSealKey(keyRing), LOST, 'whatever the trail says');
	});

	test(`${dialect}: what is refused stands in the audit trail, each row once and not more than twenty`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const counted: boolean[] = [];
		const watch = watchIntegrity({ seals: parts.keyRing.seals, audit: parts.audit }, (_, isNew) => counted.push(isNew));
		const caller = await parts.createCaller('agency');
		await parts.database.knex('api_keys').update({ permissions: 'DisplayCard' });
		for (let n = 0; n < 3; n++) t.is((await caller.inject('GET', '/api/payments/paycard/meta')).statusCode, 401);
		for (let n = 0; n < 30; n++) {
			const { apiKey } = await parts.createCaller(`user${n}`);
			await parts.database.knex('api_keys').update({ permissions: 'DisplayCard' });
			await parts.identity.authenticate({ kind: 'api-key', secret: apiKey });
		}
		await watch.close();
		const entries = await parts.database.knex('audit').where({ action: 'integrity.failed' }).orderBy('seq');
		t.is(entries.length, 21);
		t.regex(entries[0].subject, /^row api_keys \d+$/);
		t.deepEqual(JSON.parse(entries[0].details), { why: 'altered' });
		t.is(entries[20].subject, 'rows of the database');
		t.is(counted.filter(Boolean).length, 20);
		t.true(counted.length >= 33);
	});
}
