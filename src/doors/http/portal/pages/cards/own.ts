// Helpers of the pages about cards: the account of the viewer, the token in the URL, and the errors of forms.

import { type Reason, ServiceError } from '../../../../../base/errors.ts';
import type { Principal } from '../../../../../people/identity/principal.ts';
import type { Token } from '../../../../../vault/tokens/token.ts';
import { findToken } from '../../../../../vault/tokens/token.ts';
import { FieldErrors } from '../../../input/field-errors.ts';
import { toServiceError } from '../../../server/failures.ts';
import type { PortalCall } from '../../portal-page.ts';

/** Returns the account and the permissions of the viewer. Operators have neither, so they cannot open pages about cards. */
export function principalOf({ viewer }: PortalCall): Principal {
	if (!viewer.principal) throw notThere();
	return viewer.principal;
}

/**
 * Returns the error for something that belongs to another account. It is the same as for something that does not exist,
 * so that nobody learns of it.
 */
export function notThere(): ServiceError {
	return new ServiceError('uri-not-found', { moreInfo: 'nothing of the account has this address' });
}

/** Returns the token in the URL of a page. */
export function tokenOf({ params }: PortalCall): Token {
	const token = findToken(params.token);
	if (token === undefined) throw notThere();
	return token;
}

/** The reasons for failures that the server of a partner causes. */
const OF_OTHERS: ReadonlySet<Reason> = new Set(['target-unreachable', 'request-timed-out']);

/**
 * Carries out the work of a form that was sent. If the work is refused, the error messages are returned by the names of
 * the form's fields; a message about no field has an empty name. With `takesOthers`, a failure that the server of a
 * partner has caused counts as a refusal too.
 * @throws any other error
 */
export async function refusalsOf(
	work: () => Promise<unknown>,
	{ takesOthers = false } = {},
): Promise<Readonly<Record<string, string>> | undefined> {
	try {
		await work();
		return undefined;
	} catch (error) {
		if (error instanceof FieldErrors)
			return Object.fromEntries(Object.entries(error.errors).map(([name, texts]) => [name, texts.join('; ')]));
		const { status, reason, said, moreInfo, message } = toServiceError(error);
		if (
			(status >= 500 && !(takesOthers && OF_OTHERS.has(reason))) ||
			status === 404 ||
			reason === 'token-not-accessible'
		)
			throw error;
		return said.field === undefined ? { '': moreInfo ?? message } : { [said.field]: said.problem };
	}
}
