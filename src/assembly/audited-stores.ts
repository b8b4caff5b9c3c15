import type { Audit } from '../audit/audit.ts';
import type { OnChanged } from '../vault/change.ts';
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

/** Every change of a stored record likewise. */
export function auditedChanges(audit: Pick<Audit, 'record'>): OnChanged {
	return ({ actor, action, token, merchant }, transaction) => {
		const details = merchant === undefined ? undefined : { merchant };
		return audit.record({ actor, action, subject: `token ${token}`, details }, transaction);
	};
}
