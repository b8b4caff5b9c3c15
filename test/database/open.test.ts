import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { isUnavailable } from '../../src/base/database/dialect.ts';
import { openDatabase } from '../../src/base/database/open.ts';
import { transactPlainly, transactUnsynced } from '../../src/base/database/plain-transaction.ts';
import { queryRows, runOn, type SqlTarget, withConnection } from '../../src/base/database/sql.ts';
import { databases, openTestDatabase } from '../helpers/database.ts';
import { openCommandRunner } from '../helpers/run-command.ts';

test('no command works on a database of a later version', async (t) => {
	const run = openCommandRunner(t);
	t.is((await run('account', 'list')).code, 0);
	const database = await openDatabase({ url: `sqlite:${run.dataDir}/tokendrop.sqlite` });
	await database.knex('schema_migrations').insert({ name: '9999-later', batch: 9 });
	await database.close();
	for (const words of [['account', 'list'], ['migrate'], ['audit', 'verify']]) {
		const { code, json } = await run(...words);
		t.is(code, 1, words.join(' '));
		t.regex(json.error.message, /of a later version/);
	}
});

test('a daemon that hangs within a transaction does not hold its locks for ever', async (t) => {
	const database = await openTestDatabase(t, 'postgres');
	const { knex } = database;
	const limit = async (on: SqlTarget) => (await queryRows(on, 'show idle_in_transaction_session_timeout'))[0];
	const limited = { idle_in_transaction_session_timeout: '10s' };
	t.deepEqual(await knex.transaction(limit), limited);
	t.deepEqual(await transactPlainly(database, limit), limited);
	t.deepEqual(await transactUnsynced(database, limit), limited);
	// Behind a pooler, a setting of the session reaches other clients, and is missing on the next connection.
	t.deepEqual(await limit(knex), { idle_in_transaction_session_timeout: '0' });
	const hanging = knex.transaction(async (transaction) => {
		await transaction('audit_head').insert({ id: 7, seq: 1, hash: '', key_id: 1, signature: '' });
		await transaction.raw('set local idle_in_transaction_session_timeout = 50');
		await sleep(400);
		await transaction.raw('select 1');
	});
	const error = await t.throwsAsync(hanging);
	t.true(isUnavailable(error), 'it is asked to try again');
	t.deepEqual(await knex('audit_head').where({ id: 7 }), []);
});

for (const dialect of databases) {
	test(`${dialect}: closing waits for a statement that is under way, which is answered, and takes no other`, async (t) => {
		const { knex, close } = await openTestDatabase(t, dialect);
		const begun = Promise.withResolvers<void>();
		const answer = withConnection(knex, async (connection) => {
			begun.resolve();
			await sleep(100);
			return (await runOn(connection, 'select 1 as one')).rows;
		});
		await begun.promise;
		await close();
		t.deepEqual(await answer, [{ one: 1 }]);
		await t.throwsAsync(queryRows(knex, 'select 1'));
	});
}
