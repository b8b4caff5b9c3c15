import { maskCardNumbers } from '../base/log/card-numbers.ts';
import type { Actor, Caller } from './actor.ts';

export type AuditDetails = Readonly<Record<string, string | number | boolean | null>>;

/** Describes one event. It contains names, ids and counts, and never card data or a secret. */
export interface AuditEntry {
	/**
	 * Names the person or process that acted. The credential and address of a caller are added to the details, unless the
	 * details already contain them.
	 */
	readonly actor: Actor;
	/** The action as area and verb, for example `api-key.revoke`. */
	readonly action: string;
	/** Names what the action was about, for example `account demo` or `job 01j…`. */
	readonly subject: string;
	readonly details?: AuditDetails;
}

export interface CleanEntry {
	readonly actor: string;
	readonly action: string;
	readonly subject: string;
	/** The details as JSON, with keys in alphabetical order. */
	readonly details: string;
}

/**
 * Returns the entry in the form to store. Text that looks like a card number is masked rather than refused: the
 * uploader chooses a file's name, and refusing the entry would refuse the file.
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
	// Details have no numbers long enough to look like card numbers, because times are written as text. If there is one
	// nevertheless, it is masked.
	const text = String(value);
	const masked = maskCardNumbers(text);
	return masked === text ? value : masked;
}

/**
 * Replaces characters that cannot be stored: PostgreSQL rejects NUL, and a lone surrogate would not be read back as it
 * was hashed.
 */
function cleanText(text: string): string {
	return maskCardNumbers(text.toWellFormed().replaceAll('\0', '\uFFFD'));
}
