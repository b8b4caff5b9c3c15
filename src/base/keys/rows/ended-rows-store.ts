import type { KeyId } from '../../database/ids.ts';
import { execute, queryRows, type SqlTarget } from '../../database/sql.ts';
import type { RowName } from './freshness.ts';

/** Says that all versions of a row before a generation have ended. */
export interface EndedRow extends RowName {
	/** Versions of the row with a lower generation are invalid. */
	readonly generation: number;
	/** The time after which the row would be invalid anyway; null if there is none. */
	readonly needed_until: number | null;
	readonly at: number;
	readonly seal_key: KeyId;
	readonly seal: Buffer;
}

export function endedRowsStore(on: SqlTarget) {
	return {
		async find({ name, row_id }: RowName): Promise<EndedRow | undefined> {
			const sql = 'select * from ended_rows where name = ? and row_id = ?';
			return (await queryRows<EndedRow>(on, sql, [name, row_id]))[0];
		},
		/** Writes an entry in place of any earlier one of the same row. */
		async put({ name, row_id, generation, needed_until, at, seal_key, seal }: EndedRow): Promise<void> {
			await execute(
				on,
				`insert into ended_rows (name, row_id, generation, needed_until, at, seal_key, seal) values (?, ?, ?, ?, ?, ?, ?)
				 on conflict (name, row_id) do update set generation = excluded.generation,
				 needed_until = excluded.needed_until, at = excluded.at, seal_key = excluded.seal_key, seal = excluded.seal`,
				[name, row_id, generation, needed_until, at, seal_key, seal],
			);
		},
		/** Returns the entries that were written at or after a time, oldest first. */
		async listSince(at: number): Promise<EndedRow[]> {
			return queryRows(on, 'select * from ended_rows where at >= ? order by at', [at]);
		},
		async removePast(before: number): Promise<void> {
			await execute(on, 'delete from ended_rows where needed_until < ?', [before]);
		},
	};
}
