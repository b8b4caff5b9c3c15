// Writes the state of a route, its places, its times and its document for pages.

import { plainYaml } from '../../../../../work/relay/profiles/profile-yaml.ts';
import { durationText } from '../../../../../work/routes/document/duration.ts';
import type { Route, RoutePlace } from '../../../../../work/routes/document/route.ts';
import { routeDocument } from '../../../../../work/routes/document/route-document.ts';
import type { StoredRoute } from '../../../../../work/routes/routes.ts';
import { statesOf } from '../../kinds/columns.ts';
import type { PortalCall } from '../../portal-page.ts';

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

/** Returns when a route runs, in the words of its document. */
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
