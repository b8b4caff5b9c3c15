// Lists the columns that the seals of profiles and destinations cover: everything that decides where cards may go, and
// how, and the sealed secrets with which we log in there.

import type { RowShape } from '../../base/keys/rows/row-seals.ts';

export const sealedProfiles: RowShape = {
	table: 'relay_profiles',
	id: ['account_id', 'name'],
	columns: ['document', 'updated_at', 'sealed'],
	freshness: { by: 'ended-rows', generation: 'updated_at' },
};

const DESTINATION = ['host', 'port', 'user_name', 'folder', 'host_keys'] as const;

export const sealedDestinations: RowShape = {
	table: 'destinations',
	id: ['account_id', 'name'],
	columns: [...DESTINATION, 'updated_at', 'sealed'],
	freshness: { by: 'ended-rows', generation: 'updated_at' },
};
