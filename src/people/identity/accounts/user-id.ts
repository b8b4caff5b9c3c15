import { holdsCardNumber } from '../../../base/card/spelling/spelled-number.ts';
import { ServiceError } from '../../../base/errors.ts';

/**
 * A user ID appears unchanged in URLs, as an SSH user name and in log lines, so it has no character that needs quoting.
 */
const USER_ID = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/;

/**
 * Checks a user ID for a new account.
 * @throws ServiceError that says what is wrong
 */
export function parseUserId(text: string): string {
	if (!USER_ID.test(text)) {
		const problem = 'expected 1 to 64 letters, digits and . _ @ -, beginning with a letter or digit';
		throw new ServiceError('bad-input-data', { field: 'userId', problem });
	}
	if (holdsCardNumber(text)) {
		throw new ServiceError('bad-input-data', { field: 'userId', problem: 'must not look like a card number' });
	}
	return text;
}
