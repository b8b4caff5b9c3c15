// Moves small secrets, sealed under the `secret` key in tables of other folders, to a new key. Each folder declares
// where its secrets are and to what they are bound.

import type { KeyId } from '../../database/ids.ts';
import type { Database } from '../../database/open.ts';
import type { KeyRing, SealingKey } from '../key-ring.ts';
import { UnknownKeyError } from '../root-key.ts';
import { SealError, seal, unseal } from '../seal.ts';
import type { RowShape } from './row-seals.ts';
import { type SealedRow, sealedRowsStore } from './sealed-rows-store.ts';

/** Declares in which table and column secrets are sealed. The table must also have a column `key_id`. */
export interface SealedRows {
	readonly table: string;
	/** The names of the columns of the primary key, and of any other columns that a label uses. */
	readonly id: readonly string[];
	readonly column: string;
	/** The shape of the rows, if they have seals. It then covers the column. */
	readonly shape?: RowShape;
	/**
	 * Returns the label of a row's secret: bytes to which the secret is bound when it is sealed under a key, so that it
	 * opens only with them. The row has the columns that `id` names.
	 */
	label(row: Omit<SealedRow, 'key_id'>, keyId: KeyId): Uint8Array;
}

/** Declares the secrets in the column `sealed` of rows that have seals of this shape. */
export function secretsIn(shape: RowShape, label: SealedRows['label']): SealedRows {
	return { table: shape.table, id: shape.id, column: 'sealed', shape, label };
}

const ROWS_PER_STEP = 64;

/**
 * Seals the values of older keys again, under the current key, row by row, and yields the result for each row. The
 * generator may be stopped at any step and started again. A row that changes meanwhile is left as it is.
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
			const moved = await move(rows, row, { keyRing, key, store });
			if (moved === 'damaged') damaged++;
			if (moved !== 'changed') yield moved;
		}
	}
}

/** Seals the secret of a row under a key, and then the row, whose seal covers the secret. */
async function move(
	rows: SealedRows,
	found: SealedRow,
	{ keyRing, key, store }: { keyRing: KeyRing; key: SealingKey; store: ReturnType<typeof sealedRowsStore> },
): Promise<'moved' | 'damaged' | 'changed'> {
	const { shape, column } = rows;
	const plain = await findPlain(keyRing, rows, found);
	if (!plain) return 'damaged';
	const sealed = seal(key.secret, plain, rows.label(found, key.id));
	plain.fill(0);
	if (!shape) return (await store.replace(found, { [column]: sealed, key_id: key.id })) ? 'moved' : 'changed';
	return keyRing.seals.withSealer(async (sealer) => {
		const row = await store.findSame(found);
		if (!row) return 'changed';
		// A row that somebody has altered or put back gets no seal that would make it a good one.
		if (!sealer.isIntact(shape, row)) return 'damaged';
		const renewed = { [column]: sealed, key_id: key.id, ...sealer.seal(shape, { ...row, [column]: sealed }) };
		return (await store.replace(row, renewed)) ? 'moved' : 'changed';
	});
}

/** Opens the secret of a row. Returns undefined if no key of this database opens it. */
async function findPlain(keyRing: KeyRing, rows: SealedRows, row: SealedRow): Promise<Buffer | undefined> {
	try {
		const { id, secret } = await keyRing.byId(row.key_id);
		return unseal(secret, row[rows.column] as Buffer, rows.label(row, id));
	} catch (error) {
		if (error instanceof SealError || error instanceof UnknownKeyError) return undefined;
		throw error;
	}
}
