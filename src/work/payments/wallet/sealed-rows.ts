import type { RowShape } from '../../../base/keys/rows/row-seals.ts';

/**
 * The seal of a session covers its owner, its purpose and its expiry. It does not cover the progress and the result,
 * which change later.
 */
export const sealedSessions: RowShape = {
	table: 'wallet_sessions',
	id: ['id'],
	columns: [
		...['hash', 'account_id', 'owner_id', 'api_key_id', 'operation', 'amount_minor', 'currency', 'gateway'],
		...['credentials_id', 'my_ref', 'reference', 'merchant_id', 'save_cvv', 'card_types', 'expires_at'],
	],
	freshness: { by: 'ended-rows', over: 'completed_at', until: 'expires_at' },
};
