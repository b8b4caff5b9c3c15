import type { RowShape } from '../../../base/keys/rows/row-seals.ts';

/**
 * The columns that the seal of a form covers: the account for which it stores a card, its options and its expiry, but
 * not its result.
 */
export const sealedForms: RowShape = {
	table: 'card_forms',
	id: ['hash'],
	columns: ['account_id', 'owner_id', 'api_key_id', 'kind', 'request_id', 'options', 'created_at', 'expires_at'],
	freshness: {
		by: 'nothing',
		because:
			'it shows no card, and stores one for its own account until its end a few minutes later, which its seal covers',
	},
};
