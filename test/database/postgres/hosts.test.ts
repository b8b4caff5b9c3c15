// Which host of PostgreSQL is used, and what a lost connection leaves open.

import { createServer } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { isUnavailable, mayHaveCommitted, transact } from '../../../src/base/database/dialect.ts';
import { openDatabase } from '../../../src/base/database/open.ts';
import { transactPlainly } from '../../../src/base/database/plain-transaction.ts';
import { execute, queryRows, type SqlTarget } from '../../../src/base/database/sql.ts';
import { openTestDatabase, type TestDatabase } from '../../helpers/database.ts';
import { freePort } from '../../helpers/free-port.ts';
import { until } from '../../helpers/until.ts';

/** Opens the database of a test by a URL with further hosts before its own. */
async function openBehind(t: ExecutionContext, { url }: TestDatabase, ...before: string[]) {
	const whole = new URL(url);
	const own = whole.host;
	const database = await openDatabase({ url: url.replace(own, [...before, own].join(',')) });
	t.teardown(() => database.close());
	return { ...database, own };
}

test('a host that refuses connections is passed over, and the one that worked is tried first from then on', async (t) => {
	const closed = `127.0.0.1:${await freePort()}`;
	const database = await openBehind(t, await openTestDatabase(t, 'postgres'), closed);
	await database.ping();
	t.deepEqual(await database.findServer(), { host: database.own, role: 'primary', lacksStandby: false });
	const [first, second] = await database.findHosts();
	t.deepEqual([first.host, first.role], [closed, undefined]);
	t.regex(`${first.problem}`, /ECONNREFUSED/);
	t.deepEqual(second, { host: database.own, role: 'primary' });
});

test('a host that accepts connections and never answers is passed over after two seconds', async (t) => {
	let calls = 0;
	const silent = createServer(() => calls++).listen(0, '127.0.0.1');
	t.teardown(() => silent.close());
	await until('it listens', () => silent.listening);
	const { port } = silent.address() as { port: number };
	const database = await openBehind(t, await openTestDatabase(t, 'postgres'), `127.0.0.1:${port}`);
	await database.ping();
	t.is((await database.findServer())?.host, database.own);
	await Promise.all(Array.from({ length: 5 }, () => database.ping()));
	t.is(calls, 1, 'later connections go to the other host at once');
});

test('where no host can be used, each is named with what is wrong there', async (t) => {
	const [one, other] = [await freePort(), await freePort()];
	const database = await openDatabase({ url: `postgres://me:sesame@127.0.0.1:${one},127.0.0.1:${other}/td` });
	t.teardown(() => database.close());
	const error = await t.throwsAsync(database.ping());
	t.true(isUnavailable(error));
	for (const port of [one, other]) t.regex(error.message, new RegExp(`127\\.0\\.0\\.1:${port} \\(.*ECONNREFUSED`));
	t.notRegex(error.message, /sesame/);
});

test('a wrong password is told, and not that no host takes writes', async (t) => {
	const { url } = await openTestDatabase(t, 'postgres');
	const whole = new URL(url);
	whole.password = 'wrong';
	const closed = `127.0.0.1:${await freePort()}`;
	const database = await openDatabase({ url: whole.href.replace(whole.host, `${closed},${whole.host}`) });
	t.teardown(() => database.close());
	const error = await t.throwsAsync(database.ping(), { code: '28P01' });
	t.false(isUnavailable(error));
});

test('a server that only reads is not used where the URL says that it must take writes', async (t) => {
	const { url, knex } = await openTestDatabase(t, 'postgres');
	await execute(knex, `alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = on`);
	const strict = await openDatabase({ url: `${url}?target_session_attrs=read-write` });
	t.teardown(() => strict.close());
	const error = await t.throwsAsync(strict.ping());
	t.true(isUnavailable(error));
	const any = await openDatabase({ url });
	t.teardown(() => any.close());
	t.is((await queryRows(any.knex, 'select 1')).length, 1, 'a check may read a standby');
});

test('a connection on which writing is refused is not used again', async (t) => {
	const { knex } = await openTestDatabase(t, 'postgres');
	const pid = async (on: SqlTarget = knex) =>
		(await queryRows<{ pid: number }>(on, 'select pg_backend_pid() pid'))[0].pid;
	const before = await pid();
	const refused = knex.transaction(async (transaction) => {
		await execute(transaction, 'set transaction read only');
		t.is(await pid(transaction), before);
		await execute(transaction, 'delete from counters');
	});
	const error = await t.throwsAsync(refused, { code: '25006' });
	t.true(isUnavailable(error));
	t.false(mayHaveCommitted(error));
	t.not(await pid(), before);
});

test('no statement for PostgreSQL has a name, because a pooler lends the next one to another client', async (t) => {
	const { knex } = await openTestDatabase(t, 'postgres');
	const connection = await knex.client.acquireConnection();
	t.teardown(() => knex.client.releaseConnection(connection));
	t.throws(() => connection.query({ name: 'one', text: 'select 1', values: [] }), { message: /has a name: select 1/ });
	t.is((await connection.query({ text: 'select count(*)::int as n from pg_prepared_statements' })).rows[0].n, 0);
});

/** Makes every commit that has inserted a row of `slow` take a moment. */
async function slowCommits({ knex }: TestDatabase): Promise<void> {
	for (const sql of [
		'create table slow (n int)',
		`create function wait() returns trigger language plpgsql as $$ begin perform pg_sleep(60); return null; end $$`,
		`create constraint trigger waits after insert on slow deferrable initially deferred for each row execute function wait()`,
	]) {
		await execute(knex, sql);
	}
}

/** Ends the connection of a server that is in a state: its last statement begins with `word`. */
async function endConnection({ knex }: TestDatabase, word: string): Promise<void> {
	const sql = `select pg_terminate_backend(pid) from pg_stat_activity
		where datname = current_database() and pid <> pg_backend_pid() and state = 'active' and query ilike ?`;
	await until('a connection is ended', async () => (await queryRows(knex, sql, [`${word}%`])).length > 0);
}

const insert = (on: SqlTarget) => execute(on, 'insert into slow values (1)');

for (const [what, work] of [
	['plain transaction', (database) => transactPlainly(database, insert)],
	['transaction of knex', (database) => transact(database, insert)],
	['single statement', ({ knex }) => insert(knex)],
] as readonly (readonly [string, (database: TestDatabase) => Promise<unknown>])[]) {
	test(`a connection that is lost at the commit of a ${what} leaves open what was stored`, async (t) => {
		const database = await openTestDatabase(t, 'postgres');
		await slowCommits(database);
		const [error] = await Promise.all([
			t.throwsAsync(work(database)),
			endConnection(database, what === 'single statement' ? 'insert' : 'commit'),
		]);
		t.true(isUnavailable(error));
		t.true(mayHaveCommitted(error));
		t.true(mayHaveCommitted(new Error('with a cause', { cause: error })));
	});
}

for (const [what, work] of [
	[
		'a statement of a transaction',
		(database) => transactPlainly(database, (on) => queryRows(on, 'select pg_sleep(60)')),
	],
	['a question', ({ knex }) => queryRows(knex, 'select pg_sleep(60)')],
] as readonly (readonly [string, (database: TestDatabase) => Promise<unknown>])[]) {
	test(`nothing was stored when the connection is lost at ${what}`, async (t) => {
		const database = await openTestDatabase(t, 'postgres');
		const [error] = await Promise.all([t.throwsAsync(work(database)), endConnection(database, 'select pg_sleep')]);
		t.true(isUnavailable(error));
		t.false(mayHaveCommitted(error));
	});
}

test('a commit that the server refuses has stored nothing', async (t) => {
	const database = await openTestDatabase(t, 'postgres');
	await slowCommits(database);
	await execute(
		database.knex,
		"create or replace function wait() returns trigger language plpgsql as $$ begin raise exception using errcode = '53100'; end $$",
	);
	const error = await t.throwsAsync(transactPlainly(database, insert), { code: '53100' });
	t.true(isUnavailable(error));
	t.false(mayHaveCommitted(error));
});
