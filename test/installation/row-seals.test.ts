// Somebody who can write the database, but has no keys, cannot make, change or put back a row that grants something.

import test, { type ExecutionContext } from 'ava';
import { sealedTables } from '../../src/installation/keys/sealed-tables.ts';
import { parseSshPublicKey } from '../../src/people/identity/credentials/ssh-public-key.ts';
import { databases } from '../helpers/database.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { createAccount, openIdentityParts } from '../helpers/identity-parts.ts';
import { makeSshKeyLine } from '../helpers/ssh-key-line.ts';
import { listen, logIn } from './row-seals.setup.ts';

for (const dialect of databases) {
	test(`${dialect}: an SSH key that was inserted, or copied to another account, logs nobody in`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { account: victim } = await createAccount(parts, 'victim');
		const { account: attacker } = await createAccount(parts, 'attacker');
		const { knex } = parts.database;
		const own = parseSshPublicKey(makeSshKeyLine('own'));
		await parts.identity.sshKeys.add(attacker, 'test', own);
		const [{ id: _, ...row }] = await knex('ssh_keys');
		await knex('ssh_keys').insert({ ...row, account_id: victim.id });
		const fresh = parseSshPublicKey(makeSshKeyLine('fresh'));
		const { fingerprint, blob } = fresh;
		await knex('ssh_keys').insert({ ...row, account_id: victim.id, fingerprint, blob, seal: null, seal_key: null });
		const broken = listen(parts);
		for (const key of [own, fresh]) {
			t.is(await parts.identity.sftpLogin.byPublicKey({ userName: 'victim', key: key.blob }), null);
		}
		t.deepEqual(
			broken.map(({ table, why }) => `${table} ${why}`),
			['ssh_keys altered', 'ssh_keys altered'],
		);
		t.truthy(await parts.identity.sftpLogin.byPublicKey({ userName: 'attacker', key: own.blob }));
	});

	test(`${dialect}: no column that grants can be changed in API keys, session tokens and accounts`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { account: victim } = await createAccount(parts, 'victim');
		const { text, principal, account } = await createAccount(parts, 'attacker');
		const { knex } = parts.database;
		const session = (await parts.identity.sessionTokens.create(principal)).secret.reveal();
		const bySession = () => parts.identity.authenticate({ kind: 'session-token', secret: session });
		const changes: [string, Record<string, unknown>, object][] = [
			['api_keys', { account_id: account.id }, { permissions: 'DisplayCard,FileDetokenize' }],
			['api_keys', { account_id: account.id }, { account_id: victim.id }],
			['accounts', { id: account.id }, { parent_id: victim.id, kind: 'sub-user' }],
			['accounts', { id: account.id }, { cvv_retention: true }],
			['session_tokens', {}, { account_id: victim.id }],
			['session_tokens', {}, { expires_at: 9_999_999_999_999 }],
		];
		for (const [table, where, change] of changes) {
			const [before] = await knex(table).where(where);
			await knex(table).where(where).update(change);
			if (table !== 'session_tokens') t.is(await logIn(parts, text), null, JSON.stringify(change));
			t.is(await bySession(), null, JSON.stringify(change));
			const changed = Object.fromEntries(Object.keys(change).map((name) => [name, before[name]]));
			await knex(table)
				.where({ ...where, ...change })
				.update(changed);
			t.truthy(await logIn(parts, text));
			t.truthy(await bySession());
		}
		await knex('accounts').where({ id: account.id }).update({ cvv_retention: true });
		t.is(await parts.identity.accounts.find('attacker'), undefined);
		t.is(await parts.identity.accounts.findById(account.id), undefined);
		// Columns that only restrict an account grant nothing, so they may change without a new seal.
		await knex('accounts').where({ id: account.id }).update({ cvv_retention: false, allowance_used: 5, blocked_at: 1 });
		t.true((await logIn(parts, text))?.isBlocked);
	});

	test(`${dialect}: a key that was ended by a rotation is not given its time back`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { account, text } = await createAccount(parts, 'agency');
		const [before] = await parts.database.knex('api_keys');
		const { secret } = await parts.identity.apiKeys.rotate(account, 'test', { overlapMs: 60_000 });
		t.truthy(await logIn(parts, text), 'within the overlap');
		await parts.database.knex('api_keys').where({ id: before.id }).update(before);
		t.is(await logIn(parts, text), null);
		t.truthy(await logIn(parts, secret.reveal()));
	});
}

test('every table with seals is one that `key adopt` knows', async (t: ExecutionContext) => {
	const { database } = await openHttpApp(t, 'sqlite');
	const found = await database.knex.raw(
		`select m.name from sqlite_master m join pragma_table_info(m.name) c where m.type = 'table' and c.name = 'seal_key'`,
	);
	t.deepEqual(found.map(({ name }: { name: string }) => name).sort(), sealedTables.map(({ table }) => table).sort());
});
