import type { Audit } from '../audit/audit.ts';
import type { OnStored } from '../vault/group-commit.ts';

/** Every stored record in the audit trail, in the transaction that stores it: one commit for both. */
export function auditedStores(audit: Pick<Audit, 'recordAll'>): OnStored {
	return async (stored, transaction) => {
		const entries = stored.map(
			({ request: { actor = 'daemon', action = 'card.store' }, result: { token, isNew } }) => ({
				actor,
				action,
				subject: `token ${token}`,
				details: { isNew },
			}),
		);
		await audit.recordAll(entries, transaction);
	};
}
