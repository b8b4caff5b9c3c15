import { isIP } from 'node:net';
import type { AccountId } from '../base/database/ids.ts';
import { maskCardNumbers } from '../base/log/card-numbers.ts';
import type { Actor, Caller } from './actor.ts';

export type AuditDetails = Readonly<Record<string, string | number | boolean | null>>;

/** Describes one event. It contains names, ids and counts, and never card data or a secret. */
export interface AuditEntry {
	/**
	 * Names the person or process that acted. The credential, person, address and request of a caller are added to the
	 * details, unless the details already contain them.
	 */
	readonly actor: Actor;
	/** The action as area and verb, for example `api-key.revoke`. */
	readonly action: string;
	/** Names what the action was about, for example `account demo` or `job 01j…`. */
	readonly subject: string;
	readonly details?: AuditDetails;
	/**
	 * The primary account that owns what the entry is about, or an account of any kind, whose primary account is looked up.
	 * It is given where that is not the caller's own. An entry about `account demo`, or with the detail `account`, belongs
	 * to that account by itself.
	 */
	readonly account?: AccountId | { readonly within: AccountId };
	/**
	 * The page of the vault that has the card whose token is the subject. Frequent entries give it: they are found by their
	 * page, because pages are numbered in the order of time and tokens are in none.
	 */
	readonly page?: number;
}

export type CleanEntry = ReturnType<typeof cleanEntry>;

/** An entry whose account may still have to be looked up by its user ID. */
export interface NamedEntry {
	readonly entry: CleanEntry;
	/** The id or user ID of the account that the entry is about; undefined if `entry.account_id` is right already. */
	readonly sought: AccountId | string | undefined;
}

/**
 * Returns the entry in the form to store. Text that looks like a card number is masked rather than refused: the
 * uploader chooses a file's name, and refusing the entry would refuse the file.
 */
export function cleanEntry(entry: AuditEntry) {
	const { actor } = entry;
	const by = typeof actor === 'string' ? null : (actor.accountId ?? null);
	const all = typeof actor === 'string' ? entry.details : { ...cameWith(actor), ...entry.details };
	const details = Object.entries(all ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
	return {
		actor: cleanText(typeof actor === 'string' ? actor : actor.userId),
		action: entry.action,
		subject: cleanText(entry.subject),
		details: JSON.stringify(Object.fromEntries(details.map(cleanDetail))),
		account_id: typeof entry.account === 'number' ? entry.account : by,
		by_account_id: by,
		page_id: entry.page ?? null,
	};
}

const ABOUT_ACCOUNT = 'account ';

/**
 * Returns the entry in the form to store, with the user ID of the account that it names. No account is looked up for a
 * caller who names their own.
 */
export function namedEntry(given: AuditEntry): NamedEntry {
	const { actor, subject, details } = given;
	const entry = cleanEntry(given);
	if (given.account !== undefined)
		return { entry, sought: typeof given.account === 'number' ? undefined : given.account.within };
	const named = subject.startsWith(ABOUT_ACCOUNT) ? subject.slice(ABOUT_ACCOUNT.length) : details?.account;
	const isOwn = typeof actor !== 'string' && actor.accountId !== undefined && actor.userId === named;
	return { entry, sought: typeof named === 'string' && !isOwn ? named : undefined };
}

function cameWith({ credential, person, address, requestId }: Caller): AuditDetails {
	return {
		...(credential !== undefined && { credential }),
		...(person !== undefined && { person }),
		...(address !== undefined && { address }),
		...(requestId !== undefined && { requestId }),
	};
}

type Detail = [name: string, value: AuditDetails[string]];

function cleanDetail([name, value]: Detail): Detail {
	// One IPv6 address in 1,500 looks like a card number. With stars it would not say who called.
	return [cleanText(name), name === 'address' && isAddress(value) ? value : cleanValue(value)];
}

/** Tells whether a detail is an IP address or the network of one. */
const isAddress = (value: AuditDetails[string]) => isIP(String(value).replace(/\/\d+$/, '')) !== 0;

function cleanValue(value: AuditDetails[string]): AuditDetails[string] {
	if (typeof value === 'string') return cleanText(value);
	if (typeof value !== 'number') return value;
	// Details have no numbers long enough to look like card numbers, because times are written as text. If there is one
	// nevertheless, it is masked.
	const text = String(value);
	const masked = maskCardNumbers(text);
	return masked === text ? value : masked;
}

/** Replaces what cannot be stored: PostgreSQL rejects NUL, and a lone surrogate would not be read back as hashed. */
function cleanText(text: string): string {
	return maskCardNumbers(text.toWellFormed().replaceAll('\0', '\uFFFD'));
}
