import type { Database } from '../../base/database/open.ts';
import { type DropFile, dropStore } from './drop-store.ts';

/** Remembers rows of uploads whose bytes are gone. They are removed as soon as the database accepts writes. */
export class DiscardedRows {
	readonly #database: Database;
	readonly #files = new Set<DropFile>();

	constructor(database: Database) {
		this.#database = database;
	}

	add(file: DropFile): void {
		this.#files.add(file);
	}

	/** If the database does not accept it, the rest is removed by a later call. It never throws. */
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
