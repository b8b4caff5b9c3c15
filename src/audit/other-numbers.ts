import type { Knex } from 'knex';
import type { Audit } from './audit.ts';
import type { AuditEntry } from './entry.ts';

/**
 * In the trail beside the entry of a file: how many numbers that look like cards stood outside the places for them. Nothing
 * is recorded where there were none.
 */
export async function recordOtherNumbers(
	audit: Pick<Audit, 'record'>,
	file: Pick<AuditEntry, 'actor' | 'subject'> & { readonly filter: string; readonly otherNumbers: number },
	transaction: Knex.Transaction,
): Promise<void> {
	const { actor, subject, filter, otherNumbers } = file;
	if (otherNumbers === 0) return;
	const action = 'file.other-numbers';
	await audit.record({ actor, subject, action, details: { filter, otherNumbers } }, transaction);
}

/** What the log says of such a file, at level warn. */
export const OTHER_NUMBERS_FOUND = 'a file holds numbers that look like cards outside the places for them';
