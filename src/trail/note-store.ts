import type { Knex } from 'knex';
import { type Dialect, forUpdateClause, insertNew } from '../base/database/dialect.ts';
import { queryRows } from '../base/database/sql.ts';
import type { AuditRow } from './audit-store.ts';

/**
 * The row of the table `audit_notes`. It holds a copy of the line that was written last to the file of heads, in which
 * daemons note the number and the hash of the newest audit entry from time to time.
 */
export interface NoteRow {
	readonly at: number;
	readonly seq: number;
	/** The line itself; empty before the first line is written. */
	readonly line: string;
}

export function noteStore(knex: Knex) {
	return {
		async find(): Promise<NoteRow | undefined> {
			return knex<NoteRow>('audit_notes')
				.where({ id: 1 } as never)
				.first();
		},
		/** Returns the row and locks it, so that until the transaction ends no other daemon writes to the file. */
		async lock(dialect: Dialect): Promise<NoteRow | undefined> {
			const found = await queryRows<NoteRow>(
				knex,
				`select * from audit_notes where id = 1 ${forUpdateClause(dialect)}`,
			);
			return found[0];
		},
		/** Inserts the row unless there is one already; returns whether it did. */
		async insert(): Promise<boolean> {
			const row = { id: 1, at: 0, seq: 0, line: '' };
			return insertNew(knex('audit_notes'), row, 'id');
		},
		async move(row: NoteRow): Promise<void> {
			await knex('audit_notes').where({ id: 1 }).update(row);
		},
		/** Returns hashes of entries by their numbers; missing entries are left out. */
		async hashesOf(numbers: readonly number[]): Promise<Map<number, string>> {
			const rows = await knex<AuditRow>('audit').whereIn('seq', numbers).select('seq', 'hash');
			return new Map(rows.map(({ seq, hash }) => [seq, hash]));
		},
	};
}
