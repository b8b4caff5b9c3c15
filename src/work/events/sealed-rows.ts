// Lists the columns that the seal of an endpoint covers, and where its secrets are: an endpoint decides who gets to know
// what happens in an account.

import type { RowShape } from '../../base/keys/rows/row-seals.ts';
import { secretsIn } from '../../base/keys/rows/sealed-rows.ts';

export const sealedEventEndpoints: RowShape = {
	table: 'event_endpoints',
	id: ['account_id', 'name'],
	columns: ['id', 'kind', 'target', 'types', 'updated_at', 'sealed'],
	freshness: { by: 'ended-rows', generation: 'updated_at' },
};

/** Names the table and columns with the secrets of endpoints, so that they can be sealed again under a new key. */
export const sealedEventSecrets = secretsIn(sealedEventEndpoints, ({ account_id, name }) =>
	secretLabel(account_id, name),
);

/** Returns the bytes to which the secrets of an endpoint are bound, so that they open only for the same account and name. */
export function secretLabel(accountId: unknown, name: unknown): Buffer {
	return Buffer.from(`tokendrop event endpoint ${accountId}/${name}`);
}
