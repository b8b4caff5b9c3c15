import { ServiceError } from '../../../../errors.ts';
import type { Principal } from '../../../../identity/principal.ts';
import type { PortalCall } from '../../portal-page.ts';
import { ForbiddenError } from '../../refusals.ts';

/**
 * Returns the caller as the rooms know it.
 * @throws ServiceError if the viewer belongs to no account
 */
export function principalOf({ viewer }: Pick<PortalCall, 'viewer'>): Principal {
	if (!viewer.principal) throw new ServiceError('uri-not-found');
	return viewer.principal;
}

/** Card numbers in clear leave only to those who may have them, in a session with a second factor. */
export function requireNumbers({ viewer }: Pick<PortalCall, 'viewer'>): void {
	if (!mayHaveNumbers(viewer)) throw new ForbiddenError();
}

export function mayHaveNumbers(viewer: PortalCall['viewer']): boolean {
	return viewer.has('files.numbers') && viewer.session.hasSecondFactor;
}
