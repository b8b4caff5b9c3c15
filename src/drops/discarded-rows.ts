import type { Database } from '../database/open.ts';
import { type DropFile, dropStore } from './drop-store.ts';

/** Rows of uploads whose bytes are gone; removed as soon as the database takes writes. */
export class DiscardedRows {
	readonly #database: Database;
	readonly #files = new Set<DropFile>();

	constructor(database: Database) {
		this.#database = database;
	}

	add(file: DropFile): void {
		this.#files.add(file);
	}

	/** Removes those it can. Never fails: what is left is tried again the next time. */
	async remove(): Promise<void> {
		for (const file of this.#files) {
			const { id, blob_id, writer } = file;
			try {
				await dropStore(this.#database.knex).remove(id, { blob_id, writer });
				this.#files.delete(file);
			} catch {
				return;
			}
		}
	}
}
