// Lists the columns that the seals of gateway credentials cover: the gateway, and the sealed secrets for it.

import type { RowShape } from '../../../base/keys/rows/row-seals.ts';

export const sealedCredentials: RowShape = {
	table: 'gateway_credentials',
	id: ['account_id', 'credentials_id'],
	columns: ['gateway', 'sealed', 'updated_at'],
	freshness: { by: 'ended-rows', generation: 'updated_at' },
};
