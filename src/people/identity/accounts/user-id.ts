import { holdsCardNumber } from '../../../base/card/spelling/spelled-number.ts';
import { badInput } from '../../../base/errors.ts';
import { told } from '../../../base/failures.ts';

/**
 * Stands between the user ID of an account and a name that people of this account have chosen. No user ID of a primary
 * account contains it. Therefore such a name can never be taken by another account, and whoever chooses one learns
 * nothing of other accounts.
 */
const WITHIN = '~';
const MAX_CHARACTERS = 64;

/** A user ID stands unchanged in URLs, SSH user names and log lines, so it has no character that needs quoting. */
const USER_ID = /^[A-Za-z0-9][A-Za-z0-9._@-]*$/;

/** Tells whether a text can be the user ID of some account. Only such texts are compared in the database. */
export function isUserId(text: string): boolean {
	const parts = text.split(WITHIN);
	return text.length <= MAX_CHARACTERS && parts.every((part) => USER_ID.test(part)) && !holdsCardNumber(text);
}

/** Returns a name that people of an account have chosen, with the user ID of the account in front. */
export function nameWithin(account: string, name: string): string {
	const prefix = account + WITHIN;
	return name.startsWith(prefix) ? name : prefix + name;
}

/** Returns a name without the account that stands in front of it, if there is one. */
export function nameAlone(name: string): string {
	return name.slice(name.lastIndexOf(WITHIN) + 1);
}

/**
 * Checks a user ID for a new account. One with `~` begins with the user ID of its parent.
 * @throws ServiceError that says what is wrong
 */
export function parseUserId(text: string, parent?: string): string {
	const own = parent !== undefined && text.startsWith(parent + WITHIN) ? text.slice(parent.length + 1) : text;
	if (!USER_ID.test(own) || text.length > MAX_CHARACTERS) {
		const problem = `expected 1 to ${MAX_CHARACTERS} letters, digits and . _ @ -, beginning with a letter or digit`;
		const behind = parent === undefined ? '' : `; ${parent}${WITHIN} may stand in front and counts`;
		throw badInput('userId', problem + behind, told('name-malformed', { most: MAX_CHARACTERS }));
	}
	if (holdsCardNumber(text)) {
		throw badInput('userId', 'must not look like a card number', told('like-a-card'));
	}
	return text;
}
