// Builds the database rows of new cards, for single cards, batches and files alike. Each row is a list of values in the
// order of `CARD_COLUMNS`.

import type { AccountId } from '../database/ids.ts';
import type { SealingKey } from '../keys/key-ring.ts';
import type { RowSealer } from '../keys/row-seals.ts';
import type { AssociationRow } from './association-store.ts';
import { associationRow } from './associations.ts';
import { sealCvv } from './cvv-seal.ts';
import type { CvvRow } from './cvv-store.ts';
import type { Fingerprints } from './fingerprint.ts';
import { newCvvRow } from './new-cvv-row.ts';
import { PAGE_COLUMNS, type PageRow } from './page-store.ts';

/** Lists the tables in which a new card may have a row, each with the type of that row. */
interface CardTables {
	readonly pages: PageRow;
	readonly fingerprints: {
		readonly account_id: AccountId;
		readonly fingerprint: Buffer;
		readonly page_id: number;
		readonly slot: number;
		readonly generation: number;
	};
	readonly token_refs: {
		readonly account_id: AccountId;
		readonly reference: string;
		readonly page_id: number;
		readonly slot: number;
	};
	readonly associations: AssociationRow & { readonly created_at: number };
	readonly cvvs: CvvRow;
}

export type CardTable = keyof CardTables;

/** Lists, for each table, the columns into which the rows of new cards are written. */
export const CARD_COLUMNS = {
	pages: PAGE_COLUMNS,
	fingerprints: ['account_id', 'fingerprint', 'page_id', 'slot', 'generation'],
	token_refs: ['account_id', 'reference', 'page_id', 'slot'],
	associations: ['page_id', 'slot', 'merchant_id', 'epoch', 'seal_key', 'seal', 'created_at'],
	cvvs: [
		...(['page_id', 'slot', 'account_id', 'key_id', 'sealed', 'ends_at', 'delete_card', 'uses_left'] as const),
		...(['version', 'seal_key', 'seal'] as const),
	],
} as const satisfies { readonly [Table in CardTable]: readonly (keyof CardTables[Table])[] };

type ValuesOf<Row, Columns extends readonly unknown[]> = {
	readonly [At in keyof Columns]: Columns[At] extends keyof Row ? Row[Columns[At]] : never;
};
/** The values of a new row, one for each column of its table in `CARD_COLUMNS`. */
export type CardValues<Table extends CardTable> = ValuesOf<CardTables[Table], (typeof CARD_COLUMNS)[Table]>;

/** Tells the page and slot of a record. */
export interface RecordPlace {
	readonly page: number;
	readonly slot: number;
}

export interface CardRowsOptions {
	readonly accountId: AccountId;
	readonly sealer: Pick<RowSealer, 'seal'>;
	readonly now: number;
	/** Receives each row that is built, as the name of its table and its values. */
	add(table: CardTable, values: readonly unknown[]): void;
}

/** Builds the row with a card's fingerprint, by which duplicate elimination finds the card later. */
export function fingerprintValues(
	accountId: AccountId,
	{ page, slot }: RecordPlace,
	{ own, generation }: Pick<Fingerprints, 'own' | 'generation'>,
): CardValues<'fingerprints'> {
	return [accountId, own, page, slot, generation];
}

/** Builds all rows for the new cards of one account, and passes them to `add`. */
export class CardRows {
	readonly #options: CardRowsOptions;

	constructor(options: CardRowsOptions) {
		this.#options = options;
	}

	/** Builds the row of a sealed page. */
	page(row: PageRow): void {
		this.#options.add('pages', valuesOf(row, PAGE_COLUMNS));
	}

	fingerprint(place: RecordPlace, fingerprints: Fingerprints): void {
		const { accountId, add } = this.#options;
		add('fingerprints', fingerprintValues(accountId, place, fingerprints));
	}

	reference({ page, slot }: RecordPlace, reference: string): void {
		const { accountId, add } = this.#options;
		const values: CardValues<'token_refs'> = [accountId, reference, page, slot];
		add('token_refs', values);
	}

	/** Builds the row that lets a merchant use the record, or the whole page if `slot` is `WHOLE_PAGE`. */
	association({ page, slot }: RecordPlace, merchantId: AccountId): void {
		const { sealer, now, add } = this.#options;
		const row = { ...associationRow(sealer, page, slot, merchantId, 0), created_at: now };
		add('associations', valuesOf(row, CARD_COLUMNS.associations));
	}

	/** Builds the row of a CVV under the default policy. The caller has checked that the account may keep CVVs. */
	cvv({ page, slot }: RecordPlace, key: SealingKey, digits: Uint8Array, isBare: boolean): void {
		const { accountId, sealer, now, add } = this.#options;
		const place = { accountId, page, slot };
		const row = newCvvRow(sealer, key.id, place, sealCvv(key, digits, isBare, place), now);
		add('cvvs', valuesOf(row, CARD_COLUMNS.cvvs));
	}
}

function valuesOf<Row>(row: Row, columns: readonly (keyof Row)[]): unknown[] {
	return columns.map((column) => row[column]);
}
