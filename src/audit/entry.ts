import type { Actor, Caller } from '../actor.ts';
import { maskCardNumbers } from '../log/card-numbers.ts';

export type AuditDetails = Readonly<Record<string, string | number | boolean | null>>;

/** What happened. Names, ids and counts; never card data, never a secret. */
export interface AuditEntry {
	/** Who. Credential and address of a caller go to the details, unless those say otherwise. */
	readonly actor: Actor;
	/** What, by area and verb: `api-key.revoke`. */
	readonly action: string;
	/** To what: `account demo`, `job 01j…`. */
	readonly subject: string;
	readonly details?: AuditDetails;
}

export interface CleanEntry {
	readonly actor: string;
	readonly action: string;
	readonly subject: string;
	/** JSON with its names in order. */
	readonly details: string;
}

/**
 * The entry as it may be stored. Whatever in it looks like a card number is masked rather than refused: a file's name
 * is the uploader's choice, and refusing the entry would refuse the file.
 */
export function cleanEntry(entry: AuditEntry): CleanEntry {
	const { actor } = entry;
	const all = typeof actor === 'string' ? entry.details : { ...cameWith(actor), ...entry.details };
	const details = Object.entries(all ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
	return {
		actor: cleanText(typeof actor === 'string' ? actor : actor.userId),
		action: entry.action,
		subject: cleanText(entry.subject),
		details: JSON.stringify(Object.fromEntries(details.map(([name, value]) => [cleanText(name), cleanValue(value)]))),
	};
}

function cameWith({ credential, address }: Caller): AuditDetails {
	return { credential, ...(address !== undefined && { address }) };
}

function cleanValue(value: AuditDetails[string]): AuditDetails[string] {
	if (typeof value === 'string') return cleanText(value);
	if (typeof value !== 'number') return value;
	// Times are written as text, so a bare number this long has no business here.
	const text = String(value);
	const masked = maskCardNumbers(text);
	return masked === text ? value : masked;
}

/** PostgreSQL stores no NUL, and a lone surrogate would not come back as it was hashed. */
function cleanText(text: string): string {
	return maskCardNumbers(text.toWellFormed().replaceAll('\0', '\uFFFD'));
}
