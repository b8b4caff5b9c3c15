// Lists the columns that the seals of profiles and destinations cover: everything that decides where cards may go, and
// how. Their secrets are not covered, because they are sealed for their own row anyway, and are sealed again when keys
// change.

import type { RowShape } from '../keys/row-seals.ts';

export const sealedProfiles: RowShape = { table: 'relay_profiles', id: ['account_id', 'name'], columns: ['document'] };

export const sealedDestinations: RowShape = {
	table: 'destinations',
	id: ['account_id', 'name'],
	columns: ['host', 'port', 'user_name', 'folder', 'host_keys'],
};
