// PostgreSQL's own extension looks for damaged pages, of indexes and of tables, where there is one.

import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import knexOf, { type Knex } from 'knex';
import { queryRows } from '../../src/base/database/sql.ts';
import { startOwnPostgres } from '../helpers/own-postgres.ts';
import { openCommandRunner } from '../helpers/run-command.ts';

const PAGE_BYTES = 8192;
const LONG_BYTES = 100_000;

async function readValue(knex: Knex, sql: string): Promise<string> {
	const [row] = await queryRows<Record<string, unknown>>(knex, sql);
	return String(Object.values(row)[0]);
}

/** Overwrites a page of a file of the database, as a faulty disk would. */
function damage(file: string, page: number): void {
	const disk = openSync(file, 'r+');
	writeSync(disk, Buffer.alloc(PAGE_BYTES, 0xa5), 0, PAGE_BYTES, page * PAGE_BYTES);
	closeSync(disk);
}

test('doctor names an index and a table of PostgreSQL with damaged pages, or says that it could not look', async (t) => {
	const server = await startOwnPostgres(t);
	let superuser = knexOf({ client: 'pg', connection: server.url });
	t.teardown(() => superuser.destroy());
	const password = 'not a secret';
	await superuser.raw(`create role tokendrop login password '${password}'`);
	await superuser.raw('create database tokendrop owner tokendrop');
	await superuser.destroy();
	const inDatabase = new URL(server.url);
	inDatabase.pathname = '/tokendrop';
	superuser = knexOf({ client: 'pg', connection: inDatabase.href });
	const ours = new URL(inDatabase);
	ours.username = 'tokendrop';
	ours.password = encodeURIComponent(password);

	const run = openCommandRunner(t, { TOKENDROP_DATABASE_URL: ours.href });
	const migrated = await run('migrate');
	t.is(migrated.code, 0, migrated.stderr);
	const look = async () => {
		const { json } = await run('doctor');
		return json.findings.find(({ part }: { part: string }) => part === 'pages of the database');
	};
	const without = await look();
	t.is(without.state, 'warning');
	t.regex(without.says, /amcheck is not there, or not allowed, to look at them/);

	// An extension may be in any schema, and only a superuser may run it until somebody grants that.
	await superuser.raw('create schema extensions');
	await superuser.raw('create extension amcheck schema extensions');
	t.is((await look()).state, 'warning');
	for (const sql of without.todo.match(/`[^`]*`/g)!.map((each: string) => each.slice(1, -1))) {
		if (!sql.startsWith('create extension'))
			await superuser.raw(sql.replace('bt_index_check', 'extensions.bt_index_check'));
	}
	await superuser.raw('grant usage on schema extensions to tokendrop');
	t.like(await look(), { state: 'ok', says: 'none is damaged' });

	await superuser.raw('set role tokendrop');
	await superuser.raw('create table kept (id integer primary key, text text)');
	await superuser.raw('alter table kept alter text set storage external');
	await superuser.raw('insert into kept select i, md5(i::text) from generate_series(1, 5000) i');
	await superuser.raw(`insert into kept values (0, repeat('x', ${LONG_BYTES}))`);
	await superuser.raw('reset role');
	t.like(await look(), { state: 'ok' });
	const long = "(select reltoastrelid from pg_class where relname = 'kept')";
	const files = [
		await readValue(superuser, "select pg_relation_filepath('kept_pkey')"),
		await readValue(superuser, `select pg_relation_filepath(${long})`),
	];
	const folder = await readValue(superuser, 'show data_directory');
	await superuser.raw('checkpoint');
	await superuser.destroy();
	await server.losePower();
	for (const file of files) damage(join(folder, file), 3);
	await server.start();

	const found = await look();
	t.is(found.state, 'problem');
	t.regex(
		found.says,
		/^some are damaged: kept_pkey: invalid page in block 3 of .*; long values of kept: invalid page in block 3 of /,
	);
	superuser = knexOf({ client: 'pg', connection: inDatabase.href });
});
