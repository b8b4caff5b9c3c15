import type { Audit } from '../../trail/audit.ts';
import type { AuditEntry } from '../../trail/entry.ts';
import type { OnStored } from '../../vault/cards/group-commit.ts';
import type { Stored, StoredMessage } from '../../vault/cards/new-card.ts';
import type { OnChanged } from '../../vault/change.ts';

/** Records every stored card in the audit trail, in the transaction that stores it, so that both are committed. */
export function auditedStores(audit: Pick<Audit, 'recordAll'>): OnStored {
	return async (stored, transaction) => {
		const messages = new Map<StoredMessage, Stored[]>();
		const entries: AuditEntry[] = [];
		for (const each of stored) {
			const { message } = each.request;
			const others = message && messages.get(message);
			if (others) others.push(each);
			else if (message) messages.set(message, [each]);
			else entries.push(entryOf(each));
		}
		for (const [message, cards] of messages) entries.push(messageEntry(message, cards));
		await audit.recordAll(entries, transaction);
	};
}

function entryOf({ request, result: { token, isNew }, page }: Stored): AuditEntry {
	const { actor = 'daemon', action, door } = request;
	const details = { isNew, ...(door !== undefined && { door }) };
	const subject = `token ${token}`;
	return { actor, action: action ?? 'card.store', subject, page, details, account: request.accountId };
}

function messageEntry({ action, subject, details }: StoredMessage, cards: readonly Stored[]): AuditEntry {
	const created = cards.filter(({ result }) => result.isNew).length;
	return {
		actor: cards[0].request.actor ?? 'daemon',
		action,
		subject,
		account: cards[0].request.accountId,
		details: { ...details, cards: cards.length, new: created },
	};
}

/** Records every change of a stored record in the audit trail, in the transaction that makes the change. */
export function auditedChanges(audit: Pick<Audit, 'record'>): OnChanged {
	return ({ actor, action, token, merchant, accountId: account }, transaction) => {
		const details = merchant === undefined ? undefined : { merchant };
		return audit.record({ actor, action, subject: `token ${token}`, account, details }, transaction);
	};
}
