// Whether a database is well: its pages, its clock, and whether it takes writes.

import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import type { Database } from './open.ts';
import { execute, queryRows } from './sql.ts';

/** At most this many problems of a table or a file are told. */
const MOST_PROBLEMS = 20;

/**
 * Returns what is wrong with the pages of a database, an empty list if nothing is, or undefined if it cannot be told: on
 * PostgreSQL the extension `amcheck` has to be there and allowed. Everything is read, table by table, so this takes a while.
 */
export async function findDamagedPages({ knex, file, dialect }: Database): Promise<string[] | undefined> {
	if (dialect === 'postgres') return findDamagedIndexes(knex);
	return file === null ? [] : findDamagedInFile(file);
}

/** Returns what is wrong with the pages of a SQLite file, which may be in use. @throws if the file is not a database */
export function findDamagedInFile(file: string): string[] {
	const database = new SqliteDatabase(file, { readonly: true, fileMustExist: true });
	try {
		const names = database.prepare("select name from sqlite_master where type = 'table'").pluck().all() as string[];
		// Each table is a statement of its own, so that no snapshot is held for long.
		const checks = names.map((name) => `integrity_check('${name.replaceAll("'", "''")}')`);
		const texts = checks.flatMap((check) => database.pragma(check) as { integrity_check: string }[]);
		const problems = texts.map((row) => row.integrity_check).filter((text) => text !== 'ok');
		return [...new Set(problems)].slice(0, MOST_PROBLEMS);
	} catch (error) {
		if ((error as { code?: string }).code !== 'SQLITE_CORRUPT') throw error;
		return [(error as Error).message];
	} finally {
		database.close();
	}
}

/** Errors that say that an index, or the table below it, is damaged: two of PostgreSQL itself, and one of the disk. */
const DAMAGED = /^(XX00[12]|58030)$/;

/**
 * Checks every index, and that it has every row of its table, for which each page of the table is read. Long values stand
 * in tables of their own, whose indexes are checked too.
 */
async function findDamagedIndexes(knex: Database['knex']): Promise<string[] | undefined> {
	const check = await findIndexCheck(knex);
	if (check === undefined) return undefined;
	const indexes = await queryRows<{ index: number; name: string }>(
		knex,
		`select c.oid as index, case i.indrelid when t.oid then c.relname
				else 'long values of ' || t.relname end as name
			from pg_class t join pg_index i on i.indrelid in (t.oid, t.reltoastrelid)
			join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
			where a.amname = 'btree' and t.relkind = 'r' and t.relnamespace = current_schema()::regnamespace and i.indisvalid
			order by name`,
	);
	const problems: string[] = [];
	for (const { index, name } of indexes) {
		try {
			await execute(knex, `select ${check}(cast(cast(? as oid) as regclass), true)`, [index]);
		} catch (error) {
			if (!DAMAGED.test(String((error as { code?: unknown }).code))) throw error;
			problems.push(`${name}: ${(error as Error).message.replace(/^select .*? - /, '')}`);
		}
	}
	return problems.slice(0, MOST_PROBLEMS);
}

/** Returns the name of the function of amcheck with its schema, or undefined if it is not there or not allowed. */
async function findIndexCheck(knex: Database['knex']): Promise<string | undefined> {
	const [found] = await queryRows<{ name: string }>(
		knex,
		`select format('%I.%I', n.nspname, p.proname) as name
			from pg_extension e join pg_namespace n on n.oid = e.extnamespace
			join pg_proc p on p.pronamespace = n.oid and p.proname = 'bt_index_check' and p.pronargs = 2
			where e.extname = 'amcheck' and has_schema_privilege(n.oid, 'usage') and has_function_privilege(p.oid, 'execute')`,
	);
	return found?.name;
}

/**
 * Returns by how many milliseconds the database's clock is at least ahead of this machine's: negative if it is behind, 0
 * if the two may agree, null for SQLite, which has no clock. The database reads its clock at some time between the query
 * and the answer, so a slow answer is not taken for a wrong clock.
 */
export async function readClockOffset({ knex, dialect }: Database, nowMs: () => number): Promise<number | null> {
	if (dialect === 'sqlite') return null;
	const askedAt = nowMs();
	const [{ ms }] = await queryRows<{ ms: unknown }>(knex, 'select extract(epoch from clock_timestamp()) * 1000 as ms');
	const answeredAt = nowMs();
	const readAt = Math.round(Number(ms));
	if (readAt > answeredAt) return readAt - answeredAt;
	return Math.min(0, readAt - askedAt);
}

/**
 * The file system must have at least this many free bytes even after a test row was written. The test row may have
 * fitted into the write-ahead log as it is, which does not show that the next row will fit.
 */
const LEAST_FREE_BYTES = 1024 * 1024;

/**
 * Writes a row and makes it durable.
 * @throws if the database accepts no writes, because it is unavailable, full or read-only
 */
export async function checkDatabaseWritable({ knex, file }: Pick<Database, 'knex' | 'file'>, now: Date): Promise<void> {
	await knex('write_checks').insert({ id: 1, checked_at: now.getTime() }).onConflict('id').merge();
	if (file === null) return;
	const { bavail, bsize } = await statfs(dirname(file));
	if (bavail * bsize < LEAST_FREE_BYTES) throw new Error('the disk of the database is full');
}
