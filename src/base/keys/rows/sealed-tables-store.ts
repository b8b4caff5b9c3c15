import type { Knex } from 'knex';
import type { KeyId } from '../../database/ids.ts';

export interface SealedTableRow {
	readonly name: string;
	readonly adopted_at: number;
	readonly seal_key: KeyId;
	readonly seal: Buffer;
}

/** Each method is a single statement over `sealed_tables`. */
export function sealedTablesStore(knex: Knex) {
	return {
		async list(): Promise<SealedTableRow[]> {
			return (await knex<SealedTableRow>('sealed_tables')) as SealedTableRow[];
		},
		async put(row: SealedTableRow): Promise<void> {
			await knex('sealed_tables').insert(row).onConflict('name').merge();
		},
	};
}
