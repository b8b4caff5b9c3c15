// A command opens the installation before it knows who runs it. Whoever is refused has changed nothing but the trail,
// which says so. A command that cannot run uses up no approval.

import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { Knex } from 'knex';
import { openKeyRing } from '../../src/base/keys/key-ring.ts';
import { openFileRootKey } from '../../src/base/keys/providers/file.ts';
import { openOperators } from '../../src/people/operators/operators.ts';
import { openAudit } from '../../src/trail/audit.ts';
import { databases } from '../helpers/database.ts';
import { openInstallation } from '../helpers/operator-commands.ts';

/** These tables grow with every command that is refused. */
const TRAIL = ['audit', 'audit_head'];

for (const dialect of databases) {
	test(`${dialect}: a command that is refused changes no table but the trail`, async (t) => {
		const { run, folder, database, entries } = await openInstallation(t, dialect);
		const { knex } = database;
		t.is((await run('account', 'list')).code, 0);
		const keyFile = readdirSync(folder).find((name) => name.endsWith('.key'))!;
		const root = openFileRootKey(join(folder, keyFile));
		const keyRing = await openKeyRing({ database, root, environment: 'sandbox' });

		const operators = openOperators({ database, keyRing, audit: await openAudit({ database, keyRing }) });
		const { token } = await operators.add({ name: 'alice', role: 'keys' }, 'operator test');
		const tokenFile = join(folder, 'alice.token');
		writeFileSync(tokenFile, token!.reveal(), { mode: 0o600 });

		const tables = await tablesOf(dialect, knex);
		const read = async () => {
			const rows: Record<string, unknown> = {};
			for (const table of tables) if (!TRAIL.includes(table)) rows[table] = await knex(table);
			return rows;
		};
		const before = await read();
		for (const who of [[], ['--as', 'nobody'], ['--as', 'alice']]) {
			t.is((await run('account', 'create', '--user-id', 'agency', ...who)).code, 77, who.join(' '));
		}
		t.deepEqual(await read(), before);
		t.is((await entries('command.refuse')).length, 3);

		const allowed = await run('account', 'create', '--user-id', 'agency', '--as', 'alice', '--token-file', tokenFile);
		t.is(allowed.code, 0, allowed.stderr);
	});
}

for (const dialect of databases) {
	test(`${dialect}: an approval stays when its command cannot run, because rows have lost their seals`, async (t) => {
		const { run, as, folder, database, addByToken } = await openInstallation(t, dialect);
		const { knex } = database;
		await run('account', 'create', '--user-id', 'agency');
		const [clear, tokens, back] = ['clear.csv', 'tokens.csv', 'back.csv'].map((name) => join(folder, name));
		writeFileSync(clear, 'CardNumber,ExpirationMonth,ExpirationYear\n4111111111111111,12,2031\n');
		const named = ['--user-id', 'agency', '--filter', 'SIMPLECSV'];
		t.is((await run('file', 'tokenize', ...named, clear, tokens)).code, 0);
		await addByToken('alice', 'keys');
		await addByToken('olivia', 'operate', 'alice');
		const detokenize = ['file', 'detokenize', ...named, tokens, back];
		const asked = await as('olivia')(...detokenize, '--request');
		t.is((await as('alice')('approve', asked.json.id)).code, 0);

		const keys = await knex('keys').where({ purpose: 'seal' });
		await knex('keys').where({ purpose: 'seal' }).delete();
		const lost = await as('olivia')(...detokenize);
		t.is(lost.code, 1);
		t.regex(lost.json.error.message, /have lost their seals/);
		await knex('keys').insert(keys);
		t.is((await as('olivia')(...detokenize)).code, 0);
		t.is((await as('olivia')(...detokenize)).code, 77, 'a second time');
	});
}

async function tablesOf(dialect: 'sqlite' | 'postgres', knex: Knex): Promise<string[]> {
	if (dialect === 'sqlite')
		return knex('sqlite_master').where({ type: 'table' }).whereNot('name', 'like', 'sqlite%').pluck('name');
	return knex('pg_tables').where({ schemaname: 'public' }).pluck('tablename');
}
