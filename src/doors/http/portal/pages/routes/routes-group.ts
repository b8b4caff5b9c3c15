// What the pages of routes share: where they are, and how they find the route that they are about.

import { letsNumbersOut, type Route } from '../../../../../work/routes/document/route.ts';
import type { RouteUser } from '../../../../../work/routes/route-controls.ts';
import type { StoredRoute } from '../../../../../work/routes/routes.ts';
import { pagesOf } from '../../kinds/pages-of.ts';
import { mayHaveNumbers, principalOf } from '../../own.ts';
import type { PortalParts } from '../../parts.ts';
import type { PortalCall } from '../../portal-page.ts';
import { RefusedFormError } from '../../refusals.ts';

export const ROUTES = '/portal/routes';
export const NEW_ROUTE = '/portal/new-route';
export const ROUTE = `${ROUTES}/:name` as const;
export const routePages = pagesOf({ section: 'routes', help: '/docs/portal#routes' });

export type RouteParts = Pick<PortalParts, 'routeControls' | 'routes'>;

export function routePath(name: string): `/portal/routes/${string}` {
	return `${ROUTES}/${name}`;
}

/** @throws ServiceError if the account has no such route */
export function routeOfCall(routes: RouteParts['routes'], call: PortalCall): Promise<StoredRoute> {
	return routes.get(principalOf(call).accountId, call.params.name);
}

export function userOfCall(call: PortalCall): RouteUser {
	const { accountId, userId } = principalOf(call);
	return { accountId, userId, actor: call.viewer.actor };
}

/**
 * Checks that the viewer may let card numbers in clear leave, if the route does.
 * @throws RefusedFormError
 */
export function requireNumbersOut(call: PortalCall, route: Route): void {
	if (letsNumbersOut(route) && !mayHaveNumbers(call)) throw new RefusedFormError({ '': call.say('routes.numbersOut') });
}

/** Two operators have to put a route through which card numbers leave, so nobody puts one here. @throws RefusedFormError */
export function refuseNumbersOut({ say }: PortalCall, route: Route): void {
	if (letsNumbersOut(route)) throw new RefusedFormError({ '': say('routes.twoPeople') });
}
