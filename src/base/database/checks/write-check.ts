import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Database } from '../open.ts';

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
