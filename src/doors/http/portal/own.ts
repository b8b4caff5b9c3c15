// What belongs to the account of the viewer, and what only some viewers may have.

import type { Principal } from '../../../people/identity/principal.ts';
import type { PortalCall } from './portal-page.ts';
import { ForbiddenError, notThere } from './refusals.ts';

type Viewed = Pick<PortalCall, 'viewer'>;

/** Returns the account and the permissions of the viewer. Operators have neither, so there is nothing of an account for them. */
export function principalOf({ viewer }: Viewed): Principal {
	if (!viewer.principal) throw notThere();
	return viewer.principal;
}

/** Tells whether the viewer may have card numbers in clear, for which the session needs a second factor too. */
export function mayHaveNumbers({ viewer }: Viewed): boolean {
	return viewer.has('files.numbers') && viewer.session.hasSecondFactor;
}

/** @throws ForbiddenError if the viewer may not have card numbers in clear */
export function requireNumbers(call: Viewed): void {
	if (!mayHaveNumbers(call)) throw new ForbiddenError('files.numbers');
}
