// Lists the columns that the seals of profiles and destinations cover: everything that decides where cards may go, and
// how. The columns with their secrets are not covered: the secrets are encrypted so that they fit only their own row,
// and they are encrypted anew when keys change.

import type { RowShape } from '../../base/keys/row-seals.ts';

export const sealedProfiles: RowShape = {
	table: 'relay_profiles',
	id: ['account_id', 'name'],
	columns: ['document', 'updated_at'],
	former: ['document'],
	freshness: { by: 'ended-rows', generation: 'updated_at' },
};

export const sealedDestinations: RowShape = {
	table: 'destinations',
	id: ['account_id', 'name'],
	columns: ['host', 'port', 'user_name', 'folder', 'host_keys', 'updated_at'],
	former: ['host', 'port', 'user_name', 'folder', 'host_keys'],
	freshness: { by: 'ended-rows', generation: 'updated_at' },
};
