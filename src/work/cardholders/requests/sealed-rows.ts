// Lists the columns that the seals of card requests and views cover: everything that decides into which account a card
// goes, and which card may be seen. The data about a cardholder, and the link that was sent to them, are sealed as well.

import type { RowShape } from '../../../base/keys/rows/row-seals.ts';
import type { SealedRows } from '../../../base/keys/rows/sealed-rows.ts';

export const sealedCardRequests: RowShape = {
	table: 'card_requests',
	id: ['id'],
	columns: [
		...['hash', 'account_id', 'owner_id', 'api_key_id', 'sender_id', 'kind', 'reference', 'card_token'],
		...['require_cvv', 'card_types', 'language', 'created_at', 'expires_at'],
	],
	freshness: { by: 'ended-rows', over: 'ended_at', until: 'expires_at' },
};

/** Declares the table and columns with the sealed parts of requests, so that they can be sealed again under a new key. */
export const sealedRequestParts: SealedRows = {
	table: 'card_requests',
	id: ['id'],
	column: 'sealed',
	label: ({ id }, keyId) => Buffer.from(`tokendrop card request ${id}/${keyId}`),
};

export const sealedCardViews: RowShape = {
	table: 'card_views',
	id: ['id'],
	columns: [
		...['hash', 'account_id', 'owner_id', 'api_key_id', 'card_token', 'kind', 'shows_cvv', 'code_hash'],
		...['created_at', 'expires_at'],
	],
	freshness: { by: 'ended-rows', over: 'ended_at', until: 'expires_at' },
};
