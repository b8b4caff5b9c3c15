import type { Knex } from 'knex';
import { countByKey } from '../../base/database/count-by-key.ts';
import { type Dialect, firstRow, forUpdateClause } from '../../base/database/dialect.ts';
import type { AccountId, KeyId } from '../../base/database/ids.ts';
import { queryRows } from '../../base/database/sql.ts';
import type { RowSeal } from '../../base/keys/rows/row-seals.ts';
import type { CvvDestinationType } from './destination-types.ts';

export interface CvvRow extends RowSeal {
	readonly page_id: number;
	readonly slot: number;
	readonly account_id: AccountId;
	readonly key_id: KeyId;
	readonly sealed: Buffer;
	readonly ends_at: number;
	/** Has the value 1 if the card is removed together with the CVV. */
	readonly delete_card: 0 | 1;
	readonly uses_left: number;
	/**
	 * The version of the row, which increases with every change and is also stored in the page of the card. If a row has
	 * a lower version than its page, somebody has put an old row back into the database.
	 */
	readonly version: number;
}

/** The end of a CVV and its place, which order expired CVVs. */
export type CvvEnd = Pick<CvvRow, 'ends_at' | 'page_id' | 'slot'>;

/** The value of `uses_left` for a destroyed CVV whose row must stay until retention has removed the card too. */
export const EMPTIED = -1;

export interface CvvDestinationRow {
	readonly type: CvvDestinationType;
	/**
	 * A host name, user ID or other name, depending on `type`. If it is empty, the row stands for any destination of the
	 * type.
	 */
	readonly data: string;
	readonly quota: number;
	readonly used: number;
}

/** Returns methods that read and change CVVs and their destinations, within a transaction if `knex` is one. */
export function cvvStore(knex: Knex, dialect: Dialect) {
	const at = (pageId: number, slot: number) => ({ page_id: pageId, slot });
	return {
		async insert(row: CvvRow): Promise<void> {
			await knex('cvvs').insert(row).onConflict(['page_id', 'slot']).merge();
		},
		async find(pageId: number, slot: number): Promise<CvvRow | undefined> {
			return firstRow(knex('cvvs').where(at(pageId, slot)));
		},
		/**
		 * Counts the CVVs that are kept until after `endsAfter`, or whose destinations together allow more than `uses`
		 * uses.
		 */
		async countLong(endsAfter: number, uses: number): Promise<number> {
			const result = await queryRows<{ counted: number | string }>(
				knex,
				`select count(*) as counted from cvvs c where c.uses_left > ? and (c.ends_at > ? or
				 (select sum(d.quota) from cvv_destinations d where d.page_id = c.page_id and d.slot = c.slot) > ?)`,
				[EMPTIED, endsAfter, uses],
			);
			return Number(result[0].counted);
		},
		/**
		 * Reads the row of a CVV and locks it until the transaction ends, so that two uses at the same time are counted one
		 * after the other.
		 */
		async findForUpdate(pageId: number, slot: number): Promise<CvvRow | undefined> {
			const result = await queryRows<CvvRow>(
				knex,
				`select * from cvvs where page_id = ? and slot = ? ${forUpdateClause(dialect)}`,
				[pageId, slot],
			);
			return result[0];
		},
		async listDestinations(pageId: number, slot: number): Promise<CvvDestinationRow[]> {
			return knex('cvv_destinations')
				.where(at(pageId, slot))
				.select('type', 'data', 'quota', 'used')
				.orderBy(['type', 'data']);
		},
		async replaceDestinations(pageId: number, slot: number, rows: readonly CvvDestinationRow[]): Promise<void> {
			await knex('cvv_destinations').where(at(pageId, slot)).delete();
			if (rows.length > 0) {
				await knex('cvv_destinations').insert(rows.map((row) => ({ ...at(pageId, slot), ...row })));
			}
		},
		async remove(pageId: number, slot: number): Promise<boolean> {
			await knex('cvv_destinations').where(at(pageId, slot)).delete();
			return (await knex('cvvs').where(at(pageId, slot)).delete()) === 1;
		},
		/** Returns whether only the part of a row is left by which retention finds a card that is to be removed. */
		async isEmptied(pageId: number, slot: number): Promise<boolean> {
			const row = await knex('cvvs')
				.where({ ...at(pageId, slot), uses_left: EMPTIED })
				.first('slot');
			return row !== undefined;
		},
		/** Deletes the row of a CVV if only the part is left by which retention finds the card. */
		async removeEmptied(pageId: number, slot: number): Promise<void> {
			await knex('cvvs')
				.where({ ...at(pageId, slot), uses_left: EMPTIED })
				.delete();
		},
		/**
		 * Lists CVVs of an account that are sealed by a key older than `keyId`, beginning after the row `after` if it is
		 * given. An older key has a lower id.
		 */
		async listUnderOldKeys(
			accountId: AccountId,
			keyId: KeyId,
			after: Pick<CvvRow, 'page_id' | 'slot'> | undefined,
			limit: number,
		): Promise<CvvRow[]> {
			return knex<CvvRow>('cvvs')
				.where('account_id', accountId)
				.andWhere('key_id', '<', keyId)
				.andWhere('uses_left', '>', EMPTIED)
				.andWhereRaw('(page_id, slot) > (?, ?)', [after?.page_id ?? -1, after?.slot ?? -1])
				.orderBy(['page_id', 'slot'])
				.limit(limit) as never;
		},
		/** Returns, for each key, how many CVVs it seals; `key status` shows these numbers. */
		async countByKey(): Promise<{ key_id: KeyId; count: number }[]> {
			return countByKey(knex('cvvs').where('uses_left', '>', EMPTIED));
		},
		/** Replaces the row of a CVV by `row`, unless the row was removed or changed since it was read as `before`. */
		async replace(before: Pick<CvvRow, 'page_id' | 'slot' | 'version' | 'key_id'>, row: CvvRow): Promise<boolean> {
			const { page_id, slot, version, key_id } = before;
			// Its place stays: Citus refuses to set the column by which it spreads rows, whatever the value.
			const { page_id: _page, slot: _slot, ...changes } = row;
			const changed = await knex('cvvs')
				.where({ ...at(page_id, slot), version, key_id })
				.update(changes);
			return changed === 1;
		},
		/** Returns whether a row is still the same as when it was read. */
		async isSame({ version, key_id, ...row }: CvvRow): Promise<boolean> {
			return (
				(await knex('cvvs')
					.where({ ...at(row.page_id, row.slot), version, key_id })
					.first('slot')) !== undefined
			);
		},
		/** Lists the CVVs that have expired, oldest first, beginning after `after` if it is given. */
		async listEnded(now: number, after: CvvEnd | undefined, limit: number): Promise<CvvEnd[]> {
			const ended = knex('cvvs').where('ends_at', '<=', now);
			if (after) {
				const { ends_at, page_id, slot } = after;
				ended.andWhere('ends_at', '>=', ends_at);
				ended.andWhereRaw('(ends_at, page_id, slot) > (?, ?, ?)', [ends_at, page_id, slot]);
			}
			return ended.orderBy(['ends_at', 'page_id', 'slot']).limit(limit).select('ends_at', 'page_id', 'slot');
		},
		/** Reads the rows of all CVVs of a page that have expired, and locks them until the transaction ends. */
		async listEndedForUpdate(pageId: number, now: number): Promise<CvvRow[]> {
			return queryRows<CvvRow>(
				knex,
				`select * from cvvs where page_id = ? and ends_at <= ? order by slot ${forUpdateClause(dialect)}`,
				[pageId, now],
			);
		},
	};
}
