import { type Dialect, isOneOf } from '../../base/database/dialect.ts';
import type { PassId } from '../../base/database/ids.ts';
import { queryRows, type SqlTarget } from '../../base/database/sql.ts';
import type { StoredRecord } from '../pages/record-codec.ts';

/**
 * The place of a record under a token that another installation made. The row has no seal: whoever follows it checks that
 * the record in the sealed page has this token.
 */
export interface ForeignTokenRow {
	/** The 16 bytes of the token. */
	readonly token: Buffer;
	readonly page_id: number;
	readonly slot: number;
}

/** Tells whether a record has this token, of 16 bytes, from the installation that made it. */
export function hasToken(record: StoredRecord | undefined, token: Uint8Array): record is StoredRecord {
	return record?.token?.equals(token) ?? false;
}

/** Returns methods for the table `foreign_tokens`; each runs a single SQL statement. */
export function foreignTokenStore(knex: SqlTarget, dialect: Dialect) {
	return {
		async isAny(): Promise<boolean> {
			return (await queryRows(knex, 'select 1 from foreign_tokens limit 1')).length > 0;
		},

		/** Returns the rows of those of these tokens, of 16 bytes each, that are foreign ones. */
		async find(tokens: readonly Buffer[]): Promise<ForeignTokenRow[]> {
			const [isListed, listed] = isOneOf(dialect, tokens);
			return queryRows(knex, `select token, page_id, slot from foreign_tokens where token ${isListed}`, [listed]);
		},

		/** Lists the foreign tokens of records on these pages. */
		async listOn(pageIds: readonly number[]): Promise<ForeignTokenRow[]> {
			if (pageIds.length === 0) return [];
			const [isListed, listed] = isOneOf(dialect, pageIds);
			return queryRows(knex, `select token, page_id, slot from foreign_tokens where page_id ${isListed}`, [listed]);
		},

		/** Lists passes with foreign tokens on pages that are not adopted yet. */
		async listUnfinished(): Promise<PassId[]> {
			const rows = await queryRows<{ pass_id: PassId }>(
				knex,
				`select distinct b.pass_id from page_blocks b
				 where exists (select 1 from foreign_tokens f where f.page_id between b.first and b.last)`,
			);
			return rows.map(({ pass_id }) => pass_id);
		},
	};
}
