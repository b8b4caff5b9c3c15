import type { AuditEntry } from './entry.ts';

/**
 * Returns an entry of the trail with the number of card-like numbers outside the card fields of a file, which is
 * recorded beside the entry of the file itself; none if there were no such numbers.
 */
export function otherNumbersEntries(
	file: Pick<AuditEntry, 'actor' | 'subject'> & { readonly filter: string; readonly otherNumbers: number },
): AuditEntry[] {
	const { actor, subject, filter, otherNumbers } = file;
	if (otherNumbers === 0) return [];
	return [{ actor, subject, action: 'file.other-numbers', details: { filter, otherNumbers } }];
}

/** The log message, at level warn, for a file with numbers that look like cards outside the card fields. */
export const OTHER_NUMBERS_FOUND = 'a file holds numbers that look like cards outside the places for them';
