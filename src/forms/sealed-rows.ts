import type { RowShape } from '../keys/row-seals.ts';

/** The seal of a form covers whose cards it stores, what it asks for and until when, but not its result. */
export const sealedForms: RowShape = {
	table: 'card_forms',
	id: ['hash'],
	columns: ['account_id', 'owner_id', 'api_key_id', 'kind', 'request_id', 'options', 'created_at', 'expires_at'],
};
