// Says how an older version of a sealed row is recognised after somebody has put it back into the database. The seal of
// such a row still matches, so each table with seals needs something outside its rows that knows which version is
// current. `row-seals.ts` asks it, and refuses the older version.

import { createHash } from 'node:crypto';

/** Says which record outside a row tells that a version of the row is not the current one any more. */
export type Freshness = ByEndedRows | ByPage | NotNeeded;

/** Changes and removals of rows are listed in the register of ended rows (`ended-rows.ts`). */
export interface ByEndedRows {
	readonly by: 'ended-rows';
	/**
	 * The sealed column with the generation of the row, which grows with every change. A table without one has rows that
	 * never change, so that a row ends once and for good.
	 */
	readonly generation?: string;
	/** A column that is set when the row is over. A row in which it is set grants nothing and is never refused as older. */
	readonly over?: string;
	/** The sealed column with the time after which a row grants nothing. After it, nobody needs to know that the row ended. */
	readonly until?: string;
}

/** The sealed page of a card stores the current generation; whoever checks a row passes it on (`notBefore`). */
export interface ByPage {
	readonly by: 'page';
	readonly generation: string;
}

export interface NotNeeded {
	readonly by: 'nothing';
	/** Says in a sentence why an older version of a row is worth nothing to anybody. */
	readonly because: string;
}

/** The table and primary key of a row, by which the register of ended rows names it. */
export interface RowName {
	readonly name: string;
	readonly row_id: string;
}

const MAX_ID_CHARACTERS = 64;

// biome-ignore lint/suspicious/noExplicitAny: every table has columns of its own
type Row = { readonly [column: string]: any };

/** Returns the name of a row. A long primary key is replaced by its hash, because the register has space for 64 characters. */
export function nameOfRow(
	{ table, id }: { readonly table: string; readonly id: readonly string[] },
	row: Row,
): RowName {
	const text = id.map((column) => String(row[column])).join('/');
	const isShort = text.length <= MAX_ID_CHARACTERS;
	return { name: table, row_id: isShort ? text : createHash('sha256').update(text).digest('hex') };
}
