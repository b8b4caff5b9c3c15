// Looks for pages of the database that a fault of the disk has damaged.

import SqliteDatabase from 'better-sqlite3';
import { rowsOf } from '../dialect.ts';
import type { Database } from '../open.ts';

/** At most this many problems of a table or a file are told. */
const MOST_PROBLEMS = 20;

/**
 * Returns what is wrong with the pages of a database, an empty list if nothing is, or undefined if it cannot be told: on
 * PostgreSQL the extension `amcheck` has to be there. Everything is read, table by table, so this takes a while.
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

async function findDamagedIndexes(knex: Database['knex']): Promise<string[] | undefined> {
	const has = rowsOf(await knex.raw("select 1 from pg_extension where extname = 'amcheck'"));
	if (has.length === 0) return undefined;
	const indexes = rowsOf<{ name: string }>(
		await knex.raw(`select c.oid::regclass::text as name from pg_index i
			join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
			where a.amname = 'btree' and c.relnamespace = current_schema()::regnamespace and i.indisvalid`),
	);
	const problems: string[] = [];
	for (const { name } of indexes) {
		try {
			await knex.raw('select bt_index_check(cast(? as regclass), true)', [name]);
		} catch (error) {
			// The code says that the index, or the table below it, is damaged.
			if (!/^XX00[12]$/.test(String((error as { code?: unknown }).code))) throw error;
			problems.push(`${name}: ${(error as Error).message}`);
		}
	}
	return problems.slice(0, MOST_PROBLEMS);
}
