import type { RowShape } from '../../base/keys/rows/row-seals.ts';

/** The source itself is not covered, because a plugin whose SHA-256 is another one is refused. */
export const sealedFormatPlugins: RowShape = {
	table: 'format_plugins',
	id: ['filter'],
	columns: ['sha256', 'manifest', 'allowed_by', 'allowed_at'],
	freshness: { by: 'ended-rows', generation: 'allowed_at' },
};
