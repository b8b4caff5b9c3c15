// Moves everything in a database to one of the other kind: from SQLite to PostgreSQL, or back. The new database has nothing
// until all of it is there and was compared, so one that was half moved is never opened. What was cut off begins anew.

import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Knex } from 'knex';
import { type Dialect, dialectOf, sqlitePath } from '../../base/database/dialect.ts';
import { noteMoved } from '../../base/database/moved.ts';
import { type Database, openDatabase } from '../../base/database/open.ts';
import { makeTables, migrate, readSchema } from '../../base/database/schema.ts';
import {
	countRows,
	emptyLog,
	insertInto,
	isWithoutTables,
	listTables,
	readCounter,
	readTable,
	stillTransaction,
	type TableShape,
	writeCounter,
} from '../../base/database/table-copy.ts';
import { syncFolder } from '../../base/durable-files.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import { FilesAside } from '../backup/backup-files.ts';
import { type Compared, compareTables } from './compare-tables.ts';

export interface MoveOptions {
	readonly fromUrl: string;
	/** The URL of the database to move to. It must be of the other kind, and empty. */
	readonly toUrl: string;
	/** What the old database says from now on where everything is; without a password. */
	readonly shownTo: string;
	readonly keyRing: KeyRing;
	onProgress(done: number, total: number): void;
	/** Is told the name of a file that is to be removed if the process ends before it is whole. */
	onPartial(path: string): () => void;
}

export interface Moved extends Compared {
	readonly tables: number;
}

/** One of the two databases, within a transaction. */
interface Side {
	readonly knex: Knex;
	readonly dialect: Dialect;
}

/**
 * Moves a database of which nobody else uses anything. When the promise resolves, the new one has everything, each row and
 * each page was compared, and the old one says where it went. If it rejects, nothing has changed.
 */
export async function moveDatabase(options: MoveOptions): Promise<Moved> {
	const { fromUrl, toUrl } = options;
	if (dialectOf(toUrl) === dialectOf(fromUrl)) {
		throw new Error(`both databases are of the kind ${dialectOf(toUrl)}: its own programs copy it (docs/backup.md)`);
	}
	// Keys and seals are read through other connections while these hold everything still.
	const from = await openDatabase({ url: fromUrl });
	try {
		return await moveFrom(from, options);
	} finally {
		await from.close();
	}
}

async function moveFrom(from: Database, options: MoveOptions): Promise<Moved> {
	const { missing, later } = await readSchema(from);
	if (missing.length + later.length > 0) {
		throw new Error(
			`an upgrade is under way (${[...missing, ...later].join(', ')}): finish it with \`tokendrop migrate\``,
		);
	}
	return stillTransaction(from, async (source) => {
		const moved = await intoGoal(options, (goal) => copyAll(options, { knex: source, dialect: from.dialect }, goal));
		// The old database is marked in the transaction that kept others from changing it.
		await noteMoved(source, options.shownTo);
		return moved;
	});
}

/** Makes the new database with `fill`, which is there as a whole when the promise resolves. */
function intoGoal(options: MoveOptions, fill: (goal: Side) => Promise<Moved>): Promise<Moved> {
	return dialectOf(options.toUrl) === 'postgres' ? intoPostgres(options, fill) : intoSqlite(options, fill);
}

/** Everything happens in one transaction, tables included. */
async function intoPostgres({ toUrl }: MoveOptions, fill: (goal: Side) => Promise<Moved>): Promise<Moved> {
	const database = await openDatabase({ url: toUrl });
	try {
		return await database.knex.transaction(async (transaction) => {
			await requireEmpty(transaction, 'postgres');
			await makeTables(transaction);
			return fill({ knex: transaction, dialect: 'postgres' });
		});
	} finally {
		await database.close();
	}
}

/** The file gets its name when it is whole. */
async function intoSqlite({ toUrl, onPartial }: MoveOptions, fill: (goal: Side) => Promise<Moved>): Promise<Moved> {
	const path = sqlitePath(toUrl);
	if (existsSync(path)) throw new Error(`${path} exists already: a database is only moved into a new one`);
	const aside = new FilesAside((partial) => {
		for (const name of [partial, ...besideOf(partial)]) onPartial(name);
	});
	const file = await aside.begin(path);
	const removeBeside = () => Promise.all(besideOf(file).map((name) => rm(name, { force: true })));
	try {
		await removeBeside();
		const database = await openDatabase({ url: `sqlite:${file}` });
		let moved: Moved;
		try {
			await migrate(database);
			moved = await database.knex.transaction((transaction) => fill({ knex: transaction, dialect: 'sqlite' }));
			// All of it moves into the one file that gets the name.
			await emptyLog(database.knex);
		} finally {
			await database.close();
		}
		await removeBeside();
		await aside.settle();
		await syncFolder(dirname(path));
		return moved;
	} catch (error) {
		await removeBeside();
		await aside.discard();
		throw error;
	}
}

function besideOf(file: string): string[] {
	return ['-wal', '-shm', '.schema-lock'].map((ending) => file + ending);
}

async function requireEmpty(knex: Knex, dialect: Dialect): Promise<void> {
	if (await isWithoutTables(knex, dialect)) return;
	throw new Error('the database to move to has tables already: a database is only moved into an empty one');
}

async function copyAll({ keyRing, onProgress }: MoveOptions, from: Side, goal: Side): Promise<Moved> {
	const source = from.knex;
	const tables = await listTables(goal.dialect === 'sqlite' ? goal.knex : source);
	const counts = new Map<TableShape, number>();
	for (const table of tables) counts.set(table, await countRows(source, table));
	// Each row is copied and compared.
	const total = 2 * [...counts.values()].reduce((sum, rows) => sum + rows, 0);
	let done = 0;
	const onRows = (rows: number) => onProgress((done += rows), total);
	for (const table of tables) {
		for await (const rows of readTable(source, table)) {
			await insertInto(goal.knex, goal.dialect, table, rows);
			onRows(rows.length);
		}
		await writeCounter(goal.knex, goal.dialect, table, await readCounter(source, from.dialect, table));
	}
	const compared = await compareTables({ source, goal: goal.knex, keyRing, onRows }, counts);
	return { ...compared, tables: tables.length };
}
