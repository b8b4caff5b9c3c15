import type { Knex } from 'knex';
import { UNSYNCED } from '../database/sqlite-client.ts';
import type { BlobEntry } from './blob-store.ts';

interface SmallBlobRow {
	readonly id: string;
	readonly bytes: Buffer;
	readonly modified_at: number;
}

const PAGE = 500;

/**
 * The rows of small blobs. None of these statements is durable by itself: whatever names a blob is committed later, to the
 * same database, and makes the blob durable with it.
 */
export function blobRowStore(knex: Knex) {
	const rows = () => knex<SmallBlobRow>('small_blobs');
	const find = async (id: string): Promise<Buffer | undefined> => {
		const row = await rows().where({ id }).first('bytes');
		return row && Buffer.from(row.bytes);
	};
	return {
		find,
		/** @throws when the id is used already */
		async insert(id: string, bytes: Buffer): Promise<void> {
			const row = { id, bytes: Buffer.from(bytes), modified_at: Date.now() };
			await knex('small_blobs').insert(row).queryContext(UNSYNCED);
		},
		/** Replaces a blob, but for its bytes before `ownFrom`, which stay what they are in the row. */
		async update(id: string, bytes: Buffer, ownFrom: number): Promise<void> {
			const whole = Buffer.from(bytes);
			const stored = ownFrom > 0 ? await find(id) : undefined;
			stored?.copy(whole, 0, 0, Math.min(ownFrom, whole.length));
			const changes = { bytes: whole, modified_at: Date.now() };
			await knex('small_blobs').where({ id }).update(changes).queryContext(UNSYNCED);
		},
		/** Overwrites the first bytes and tells whether there is such a row. */
		async replaceHead(id: string, head: Uint8Array): Promise<boolean> {
			const stored = await find(id);
			if (!stored) return false;
			stored.set(head.subarray(0, stored.length), 0);
			return (await knex('small_blobs').where({ id }).update({ bytes: stored })) === 1;
		},
		async remove(id: string): Promise<boolean> {
			return (await rows().where({ id }).delete().queryContext(UNSYNCED)) === 1;
		},
		/** Yields every row in the order of ids, in pages. */
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
