import type { Knex } from 'knex';
import type { Audit } from './audit.ts';
import type { AuditEntry } from './entry.ts';

/**
 * Records in the trail, next to the entry of a file, how many numbers that look like cards were outside the card
 * fields. If there were none, it records nothing.
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

/** The log message, at level warn, for a file with numbers that look like cards outside the card fields. */
export const OTHER_NUMBERS_FOUND = 'a file holds numbers that look like cards outside the places for them';
