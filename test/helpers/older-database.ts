import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { Dialect } from '../../src/base/database/dialect.ts';
import { migrations } from '../../src/base/database/migrations/index.ts';
import type { Migration } from '../../src/base/database/migrations/migration.ts';
import { type Database, openDatabase } from '../../src/base/database/open.ts';
import { openTestDatabase } from './database.ts';
import { makeFolder } from './drop-rooms.ts';

/** Opens a database as it was before the migration `next`. */
export async function openOlder(t: ExecutionContext, dialect: Dialect, next: Migration): Promise<Database> {
	const database =
		dialect === 'sqlite'
			? await openDatabase({ url: `sqlite:${join(makeFolder(t), 'older.sqlite')}` })
			: await openTestDatabase(t, dialect);
	if (dialect === 'sqlite') t.teardown(() => database.close());
	else await database.knex.raw('drop schema public cascade; create schema public');
	for (const migration of migrations.slice(0, migrations.indexOf(next))) await migration.up(database.knex, dialect);
	return database;
}
