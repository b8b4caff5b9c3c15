// Seals values as JSON, and opens them. The declaration of their table says to what each of them is bound.

import type { KeyId } from '../../database/ids.ts';
import type { KeyRing, SealingKey } from '../key-ring.ts';
import { seal, unseal } from '../seal.ts';
import type { SealedRows } from './sealed-rows.ts';

// biome-ignore lint/suspicious/noExplicitAny: every table has columns of its own
type Named = { readonly [column: string]: any };

/**
 * Seals a value for the row of which `row` has the columns that `rows.id` names. The key is fetched before, because a
 * transaction must not wait for it.
 */
export function sealValue(
	key: SealingKey,
	rows: SealedRows,
	row: Named,
	value: unknown,
): { readonly key_id: KeyId; readonly sealed: Buffer } {
	const plain = Buffer.from(JSON.stringify(value));
	const sealed = seal(key.secret, plain, rows.label(row, key.id));
	plain.fill(0);
	return { key_id: key.id, sealed };
}

/**
 * Opens the sealed value of a row.
 * @throws SealError if the value was altered or belongs to another row, RootKeyError
 */
export async function openValue<Value>(
	keyRing: Pick<KeyRing, 'byId'>,
	rows: SealedRows,
	row: Named & { readonly key_id: KeyId },
): Promise<Value> {
	const key = await keyRing.byId(row.key_id);
	const plain = unseal(key.secret, row[rows.column], rows.label(row, key.id));
	const value = JSON.parse(plain.toString()) as Value;
	plain.fill(0);
	return value;
}

/** Like `openValue`, for a row that may have no sealed value. */
export async function findValue<Value>(
	keyRing: Pick<KeyRing, 'byId'>,
	rows: SealedRows,
	row: Named & { readonly key_id: KeyId | null },
): Promise<Value | undefined> {
	const { key_id } = row;
	return key_id === null || row[rows.column] === null ? undefined : openValue(keyRing, rows, { ...row, key_id });
}
