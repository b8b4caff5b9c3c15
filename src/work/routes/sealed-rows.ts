// Lists the columns that the seal of a route covers: everything that decides where files go, and how they are processed.

import type { RowShape } from '../../base/keys/rows/row-seals.ts';

export const sealedRoutes: RowShape = {
	table: 'routes',
	id: ['account_id', 'name'],
	columns: ['id', 'document', 'own_options', 'updated_at'],
	freshness: { by: 'ended-rows', generation: 'updated_at' },
};
