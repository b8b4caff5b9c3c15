// Writes the state of a route, its places and its times for pages.

import type { Html } from '../../../../../base/pages/html.ts';
import { durationText } from '../../../../../work/routes/document/duration.ts';
import type { Route, RoutePlace } from '../../../../../work/routes/document/route.ts';
import type { StoredRoute } from '../../../../../work/routes/routes.ts';
import type { ShownFile, ShownRun } from '../../../../../work/routes/runs/history.ts';
import { badge } from '../../pieces.ts';
import type { PortalCall } from '../../portal-page.ts';

const STATE_TONES = { waiting: 'good', running: 'busy', paused: 'plain', failing: 'bad', stopped: 'bad' } as const;
const RUN_TONES = { running: 'busy', done: 'good', partly: 'bad', failed: 'bad', stopped: 'bad' } as const;
const FILE_TONES = { seen: 'plain', claimed: 'busy', done: 'good', dead: 'bad' } as const;

export function routeBadge({ say }: PortalCall, state: StoredRoute['listed']['state']): Html {
	return badge(STATE_TONES[state], say(`routes.states.${state}`));
}

export function runBadge({ say }: PortalCall, state: ShownRun['state']): Html {
	return badge(RUN_TONES[state], say(`routes.runStates.${state}`));
}

export function fileBadge({ say }: PortalCall, state: ShownFile['state']): Html {
	return badge(FILE_TONES[state], say(`routes.fileStates.${state}`));
}

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
