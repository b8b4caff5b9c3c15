import type { Knex } from 'knex';
import { deleteRows } from '../../base/database/dialect.ts';
import { queryRows } from '../../base/database/sql.ts';
import type { RowSeal, RowShape } from '../../base/keys/rows/row-seals.ts';

export interface PluginRow extends RowSeal {
	readonly filter: string;
	readonly source: string;
	readonly sha256: string;
	/** What the plugin says of itself, as JSON. */
	readonly manifest: string;
	readonly allowed_by: string;
	readonly allowed_at: number;
}

export function pluginStore(knex: Knex) {
	return {
		async list(): Promise<PluginRow[]> {
			return queryRows<PluginRow>(knex, 'select * from format_plugins order by filter');
		},
		async find(filter: string): Promise<Omit<PluginRow, 'source'> | undefined> {
			const columns = 'filter, sha256, manifest, allowed_by, allowed_at, seal_key, seal';
			return (await queryRows<PluginRow>(knex, `select ${columns} from format_plugins where filter = ?`, [filter]))[0];
		},
		async put(row: PluginRow): Promise<void> {
			await knex('format_plugins').insert(row).onConflict('filter').merge();
		},
		async remove(filter: string): Promise<PluginRow | undefined> {
			return (await deleteRows<PluginRow>(knex, knex('format_plugins').where({ filter })))[0];
		},
	};
}

/** The source itself is not covered, because a plugin whose SHA-256 is another one is refused. */
export const sealedFormatPlugins: RowShape = {
	table: 'format_plugins',
	id: ['filter'],
	columns: ['sha256', 'manifest', 'allowed_by', 'allowed_at'],
	freshness: { by: 'ended-rows', generation: 'allowed_at' },
};
