import type { RowShape } from '../keys/row-seals.ts';

/**
 * The columns that the seal of a form covers: the account for which it stores a card, its options and its expiry, but
 * not its result.
 */
export const sealedForms: RowShape = {
	table: 'card_forms',
	id: ['hash'],
	columns: ['account_id', 'owner_id', 'api_key_id', 'kind', 'request_id', 'options', 'created_at', 'expires_at'],
};
