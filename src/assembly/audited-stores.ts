import type { Audit } from '../audit/audit.ts';
import type { OnStored } from '../vault/group-commit.ts';

/** Every stored card in the audit trail, in the transaction that stores it: one commit for both. */
export function auditedStores(audit: Pick<Audit, 'recordAll'>): OnStored {
	return async (requests, transaction) => {
		const entries = requests.map(({ actor = 'daemon', accountId }) => ({
			actor,
			action: 'card.store',
			subject: `account ${accountId}`,
		}));
		await audit.recordAll(entries, transaction);
	};
}
