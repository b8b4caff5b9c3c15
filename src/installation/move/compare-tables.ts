// Compares a database with the one it was copied from: every row, every seal, and every token with the keys.

import type { Knex } from 'knex';
import {
	countRows,
	findRows,
	isSameRow,
	keyOf,
	type Row,
	readTable,
	type TableShape,
} from '../../base/database/table-copy.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import { UnknownKeyError } from '../../base/keys/root-key.ts';
import { SealError } from '../../base/keys/seal.ts';
import { openPage } from '../../vault/pages/page-codec.ts';
import type { PageRow } from '../../vault/pages/page-store.ts';
import { sealedTables } from '../keys/sealed-tables.ts';

export type Compared = Awaited<ReturnType<typeof compareTables>>;

interface CompareParts {
	readonly source: Knex;
	readonly goal: Knex;
	readonly keyRing: Pick<KeyRing, 'byId' | 'seals'>;
	onRows(rows: number): void;
}

/** @throws Error that names the first row that is not the same in both */
export async function compareTables(
	{ source, goal, keyRing, onRows }: CompareParts,
	counts: ReadonlyMap<TableShape, number>,
) {
	// Damaged are pages that no key opens, neither here nor there. They were moved as they are.
	let [total, tokens, damagedPages] = [0, 0, 0];
	for (const [table, count] of counts) {
		const there = await countRows(goal, table);
		if (there !== count) throw new Error(`the copy of ${table.name} has ${there} rows, not ${count}`);
		for await (const rows of readTable(source, table)) {
			const copies = await findRows(goal, table, rows);
			for (const row of rows) {
				const copy = copies.get(keyOf(table, row));
				if (!copy || !isSameRow(row, copy)) throw new Error(`a row of ${table.name} was not copied as it is`);
			}
			await requireSameSeals(keyRing, table, rows, copies);
			if (table.name === 'pages') {
				for (const copy of copies.values()) {
					const found = await countTokens(keyRing, copy as unknown as PageRow);
					if (found === undefined) damagedPages += 1;
					else tokens += found;
				}
			}
			total += rows.length;
			onRows(rows.length);
		}
	}
	return { rows: total, tokens, damagedPages };
}

/** A seal covers the values of a row as the database gives them, so it is checked with those of the copy. */
async function requireSameSeals(
	{ seals }: Pick<KeyRing, 'seals'>,
	table: TableShape,
	rows: readonly Row[],
	copies: ReadonlyMap<string, Row>,
): Promise<void> {
	const shape = sealedTables.find((each) => each.table === table.name);
	if (!shape) return;
	await seals.withSealer((sealer) => {
		for (const row of rows) {
			const copy = copies.get(keyOf(table, row))!;
			if (sealer.matches(shape, row) && !sealer.matches(shape, copy)) {
				throw new Error(`the seal of a row of ${table.name} does not fit its copy`);
			}
		}
	});
}

/** Opens a page and returns how many tokens it has; undefined if no key opens it. */
async function countTokens({ byId }: Pick<KeyRing, 'byId'>, page: PageRow): Promise<number | undefined> {
	try {
		const key = await byId(page.key_id);
		const content = openPage(key.secret, page.sealed, page.id, page.account_id, page.key_id);
		const slots = content.slots();
		content.wipe();
		if (slots.length !== page.live) throw new Error(`page ${page.id} has ${slots.length} tokens, not ${page.live}`);
		return slots.length;
	} catch (error) {
		if (error instanceof SealError || error instanceof UnknownKeyError) return undefined;
		throw error;
	}
}
