import type { AuditEntry } from './entry.ts';

/**
 * Returns the entry of the trail that says how many card-like numbers a file has outside its card fields, or an empty
 * list if it has none. The entry is recorded beside that of the file itself.
 */
export function otherNumbersEntries(
	file: Pick<AuditEntry, 'actor' | 'subject' | 'account'> & { readonly filter: string; readonly otherNumbers: number },
): AuditEntry[] {
	const { filter, otherNumbers, ...about } = file;
	if (otherNumbers === 0) return [];
	return [{ ...about, action: 'file.other-numbers', details: { filter, otherNumbers } }];
}

/** The log message, at level warn, for a file with numbers that look like cards outside the card fields. */
export const OTHER_NUMBERS_FOUND = 'a file holds numbers that look like cards outside the places for them';
