import type { Knex } from 'knex';
import { execute, queryRows } from '../database/sql.ts';
import type { BlobEntry } from './blob-store.ts';

interface SmallBlobRow {
	readonly id: string;
	readonly bytes: Buffer;
	readonly modified_at: number;
}

const PAGE = 500;
const INSERT_SQL = 'insert into small_blobs (id, bytes, modified_at) values (?, ?, ?)';

/**
 * Reads and writes the rows of small blobs. Only `replaceHead` waits until its statement is durable. The other
 * statements need not be durable by themselves: the row of the file that names a blob is committed later, to the same
 * database, and that commit makes the blob durable too.
 */
export function blobRowStore(knex: Knex) {
	const findAll = async (ids: readonly string[]): Promise<Map<string, Buffer>> => {
		const sql = `select id, bytes from small_blobs where id in (${ids.map(() => '?')})`;
		const found = await queryRows<SmallBlobRow>(knex, sql, ids);
		return new Map(found.map(({ id, bytes }) => [id, Buffer.from(bytes)]));
	};
	const find = async (id: string): Promise<Buffer | undefined> => (await findAll([id])).get(id);
	return {
		find,
		findAll,
		/** Inserts a blob. @throws if the id is used already */
		async insert(id: string, bytes: Buffer): Promise<void> {
			await execute(knex, INSERT_SQL, [id, Buffer.from(bytes), Date.now()], 'unsynced');
		},
		/**
		 * Replaces a blob by `bytes`. The bytes before the offset `ownFrom` are taken from the stored row instead,
		 * because another caller may have replaced them there.
		 */
		async update(id: string, bytes: Buffer, ownFrom: number): Promise<void> {
			const whole = Buffer.from(bytes);
			const stored = ownFrom > 0 ? await find(id) : undefined;
			stored?.copy(whole, 0, 0, Math.min(ownFrom, whole.length));
			const sql = 'update small_blobs set bytes = ?, modified_at = ? where id = ?';
			await execute(knex, sql, [whole, Date.now(), id], 'unsynced');
		},
		/** Overwrites the first bytes of a blob. Returns false if the blob has no row. */
		async replaceHead(id: string, head: Uint8Array): Promise<boolean> {
			const stored = await find(id);
			if (!stored) return false;
			stored.set(head.subarray(0, stored.length), 0);
			return (await knex('small_blobs').where({ id }).update({ bytes: stored })) === 1;
		},
		async insertAll(blobs: readonly (readonly [id: string, bytes: Buffer])[]): Promise<void> {
			const now = Date.now();
			const sql = `${INSERT_SQL}${', (?, ?, ?)'.repeat(blobs.length - 1)}`;
			const values = blobs.flatMap(([id, bytes]) => [id, bytes, now]);
			await execute(knex, sql, values);
		},
		/** Removes those of the blobs that no file names, and returns their ids. */
		async removeUnnamed(ids: readonly string[]): Promise<Set<string>> {
			const places = ids.map(() => '?').join(', ');
			const answer = await queryRows<{ id: string }>(
				knex,
				`delete from small_blobs where id in (${places})
					and not exists (select 1 from drop_files where blob_id = small_blobs.id) returning id`,
				ids,
			);
			return new Set(answer.map((row) => row.id));
		},
		async remove(id: string): Promise<boolean> {
			return (await execute(knex, 'delete from small_blobs where id = ?', [id], 'unsynced')) === 1;
		},
		/** Yields every row in the order of ids. The rows are read in steps of a few hundred. */
		async *list(): AsyncGenerator<BlobEntry> {
			for (let after = ''; ; ) {
				const page = await knex('small_blobs')
					.where('id', '>', after)
					.orderBy('id')
					.limit(PAGE)
					.select('id', 'modified_at', knex.raw('length(bytes) as size'));
				if (page.length === 0) return;
				after = page[page.length - 1].id;
				for (const { id, modified_at, size } of page) yield { id, modifiedAtMs: modified_at, size };
			}
		},
	};
}
