// Defines the columns that the seals of associations and CVVs cover.

import type { RowShape } from '../base/keys/rows/row-seals.ts';
import type { CvvDestinationRow } from './cvvs/cvv-store.ts';

export const sealedAssociations: RowShape = {
	table: 'associations',
	id: ['page_id', 'slot', 'merchant_id'],
	columns: ['epoch'],
	freshness: { by: 'page', generation: 'epoch' },
};

export const sealedCvvs: RowShape = {
	table: 'cvvs',
	id: ['page_id', 'slot'],
	columns: ['account_id', 'key_id', 'sealed', 'ends_at', 'delete_card', 'uses_left', 'version'],
	freshness: { by: 'page', generation: 'version' },
};

/**
 * Returns the destinations of a CVV as one text, which the seal of the CVV covers. The destinations are sorted here and
 * not by the database, because databases sort text in different ways.
 */
export function besideCvv(destinations: readonly CvvDestinationRow[]): string {
	const rows = destinations.map(({ type, data, quota, used }) => JSON.stringify([type, data, quota, used]));
	return rows.sort().join();
}
