// Small secrets that stand in rows of other rooms, sealed under the `secret` key. Every room says where its own stand and
// what they are bound to; moving them to a new key is the same for all.

import type { KeyId } from '../database/ids.ts';
import type { Database } from '../database/open.ts';
import type { KeyRing } from './key-ring.ts';
import { UnknownKeyError } from './root-key.ts';
import { SealError, seal, unseal } from './seal.ts';
import { type SealedRow, sealedRowsStore } from './sealed-rows-store.ts';

/** Where sealed secrets stand: a table with the column `key_id`. */
export interface SealedRows {
	readonly table: string;
	/** The columns of its primary key, and what else a label names. */
	readonly id: readonly string[];
	/** The column with the sealed bytes. */
	readonly column: string;
	/** The associated bytes of a row, read with `id`, sealed under a key. */
	label(row: SealedRow, keyId: KeyId): Uint8Array;
}

const ROWS_PER_STEP = 64;

/**
 * Seals what older keys hold anew under the current one, row by row; yields what came of each. May be stopped at any step
 * and begun again. A row that somebody writes meanwhile is left to them.
 */
export async function* resealRows(
	{ database, keyRing }: { readonly database: Database; readonly keyRing: KeyRing },
	rows: SealedRows,
): AsyncGenerator<'moved' | 'damaged'> {
	const store = sealedRowsStore(database.knex, rows);
	let damaged = 0;
	for (;;) {
		const key = await keyRing.current('secret');
		const found = await store.listUnderOlderKeys(key.id, damaged, ROWS_PER_STEP);
		if (found.length === 0) return;
		for (const row of found) {
			const plain = await findPlain(keyRing, rows, row);
			if (plain) {
				const sealed = seal(key.secret, plain, rows.label(row, key.id));
				plain.fill(0);
				if (await store.replace(row, sealed, key.id)) yield 'moved';
			} else {
				damaged++;
				yield 'damaged';
			}
		}
	}
}

/** Undefined for what no key of this database opens. */
async function findPlain(keyRing: KeyRing, rows: SealedRows, row: SealedRow): Promise<Buffer | undefined> {
	try {
		const { id, secret } = await keyRing.byId(row.key_id);
		return unseal(secret, row[rows.column] as Buffer, rows.label(row, id));
	} catch (error) {
		if (error instanceof SealError || error instanceof UnknownKeyError) return undefined;
		throw error;
	}
}
