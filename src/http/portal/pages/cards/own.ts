// What the pages about cards ask of the person who opens them.

import { type Reason, ServiceError } from '../../../../errors.ts';
import type { Principal } from '../../../../identity/principal.ts';
import type { Token } from '../../../../vault/token.ts';
import { findToken } from '../../../../vault/token.ts';
import { FieldErrors } from '../../../input/field-errors.ts';
import { toServiceError } from '../../../server/failures.ts';
import type { PortalCall } from '../../portal-page.ts';

/** Returns the viewer as a caller of the rooms. Operators have no page about cards. */
export function principalOf({ viewer }: PortalCall): Principal {
	if (!viewer.principal) throw notThere();
	return viewer.principal;
}

/** What is another account's is answered like what does not exist. */
export function notThere(): ServiceError {
	return new ServiceError('uri-not-found', { moreInfo: 'nothing of the account has this address' });
}

/** Returns the token in the address of a page. */
export function tokenOf({ params }: PortalCall): Token {
	const token = findToken(params.token);
	if (token === undefined) throw notThere();
	return token;
}

/** Failures of a partner that was asked. */
const OF_OTHERS: ReadonlySet<Reason> = new Set(['target-unreachable', 'request-timed-out']);

/**
 * Does what a form asks for. Returns what is wrong with it, by the names of its fields; the name is empty for what belongs
 * to none.
 * With `takesOthers` failures of a partner are such too.
 * @throws the error of anything else
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
