import { ServiceError } from '../../../../../base/errors.ts';
import type { Principal } from '../../../../../people/identity/principal.ts';
import type { PortalCall } from '../../portal-page.ts';
import { ForbiddenError } from '../../refusals.ts';

/**
 * Returns the account and the permissions of the viewer.
 * @throws ServiceError if the viewer belongs to no account
 */
export function principalOf({ viewer }: Pick<PortalCall, 'viewer'>): Principal {
	if (!viewer.principal) throw new ServiceError('uri-not-found');
	return viewer.principal;
}

/**
 * Checks that the viewer has the right to get card numbers in clear, and has signed in with a second factor.
 * @throws ForbiddenError if not
 */
export function requireNumbers({ viewer }: Pick<PortalCall, 'viewer'>): void {
	if (!mayHaveNumbers(viewer)) throw new ForbiddenError();
}

export function mayHaveNumbers(viewer: PortalCall['viewer']): boolean {
	return viewer.has('files.numbers') && viewer.session.hasSecondFactor;
}
