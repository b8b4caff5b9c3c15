// What the pages of routes share: where they are, how they find the route that they are about, and how they write its state,
// places, times and document.

import { plainYaml } from '../../../../../work/relay/profiles/profile-yaml.ts';
import { durationText } from '../../../../../work/routes/document/duration.ts';
import { letsNumbersOut, type Route, type RoutePlace } from '../../../../../work/routes/document/route.ts';
import { routeDocument } from '../../../../../work/routes/document/route-document.ts';
import type { RouteUser } from '../../../../../work/routes/route-controls.ts';
import type { StoredRoute } from '../../../../../work/routes/routes.ts';
import { statesOf } from '../../kinds/columns.ts';
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

export const ROUTE_STATES = statesOf('routes.states.', {
	...({ waiting: 'good', running: 'busy', paused: 'plain', failing: 'bad', stopped: 'bad' } as const),
});
export const RUN_STATES = statesOf('routes.runStates.', {
	...({ running: 'busy', done: 'good', partly: 'bad', failed: 'bad', stopped: 'bad' } as const),
});
export const FILE_STATES = statesOf('routes.fileStates.', {
	seen: 'plain',
	claimed: 'busy',
	done: 'good',
	dead: 'bad',
});

export function placeText(place: RoutePlace): string {
	if (place.kind === 'drop') return `/${place.area}/${place.filter}`;
	if (place.kind === 'folder') return place.path === '' ? place.folder : `${place.folder}/${place.path}`;
	return place.path === '' ? place.destination : `${place.destination}: ${place.path}`;
}

export function timesText({ when }: Route, { say }: PortalCall): string {
	if (when === undefined) return say('routes.form.whens.hand');
	if ('cron' in when) return `${when.cron} (${when.timeZone})`;
	return 'everyMs' in when
		? say('routes.times.every', { time: durationText(when.everyMs) })
		: say('routes.times.arrival');
}

/** Returns the document of a stored route as its author would write it. */
export function routeYaml({ route, row }: StoredRoute): string {
	return plainYaml({ ...routeDocument(route), paused: Boolean(row.paused) });
}
