// The page of a route: how it stands, what its last runs did, and what can be done with it.

import { html } from '../../../../../base/pages/html.ts';
import { type StoredRoute, whyStopped } from '../../../../../work/routes/routes.ts';
import { whyPart } from '../../failure-words.ts';
import { link, tableOf } from '../../kinds/columns.ts';
import { principalOf } from '../../own.ts';
import { notice } from '../../pieces.ts';
import type { PortalCall, PortalPage } from '../../portal-page.ts';
import { notThere } from '../../refusals.ts';
import { CHECK_MS, checkPart } from './check-part.ts';
import { RUN_COLUMNS } from './route-runs.ts';
import {
	placeText,
	ROUTE,
	ROUTE_STATES,
	ROUTES,
	type RouteParts,
	requireNumbersOut,
	routeOfCall,
	routePages,
	routePath,
	routeYaml,
	timesText,
	userOfCall,
} from './routes-group.ts';

const SHOWN_RUNS = 5;

export function routeDetailPages({ routes, routeControls }: RouteParts): PortalPage[] {
	return [
		...routePages.detail<StoredRoute>(ROUTE, 'routes.see', {
			title: ({ row }, { say }) => `${say('routes.one')} ${row.name}`,
			find: (call) => routeOfCall(routes, call),
			history: ({ row }) => ({ about: 'route', name: row.name }),
			live: { id: 'route', kinds: ['routes'], isMoving: () => true },
			facts: [
				['words.state', ({ listed }, call) => ROUTE_STATES.badge(call, listed.state)],
				['routes.stoppedBecause', ({ row }, call) => whyPart(call, whyStopped(row)) ?? undefined],
				['routes.from', ({ route }) => placeText(route.from.place)],
				['routes.does', (stored, call) => workText(stored, call)],
				['routes.to', ({ route }) => placeText(route.to.place)],
				['words.when', ({ route }, call) => timesText(route, call)],
				['routes.nextRun', ({ listed: { nextRunAt } }) => nextRunAt && new Date(nextRunAt)],
				['routes.lastRun', ({ listed: { lastRunAt } }) => lastRunAt && new Date(lastRunAt)],
				['routes.missing', ({ row }, { say }) => (row.missing_since === null ? undefined : say('routes.isMissing'))],
			],
			async body(stored, call, { facts, place }) {
				const { say, viewer } = call;
				const { row } = stored;
				const runs = await routeControls.toldRuns(row, { limit: SHOWN_RUNS });
				const path = routePath(row.name);
				const table = { caption: 'routes.runsCaption', columns: RUN_COLUMNS, none: 'routes.noRuns' } as const;
				return html`${facts}
<div class="actions">${place('run')}${place('check')}${place('pause')}${place('resume')}${
					viewer.has('routes.change') &&
					html`<a class="button plain" href="${path}/edit">${say('words.change')}</a> <a class="button plain" href="${path}/remove">${say('words.remove')}</a>`
				}</div>
<h2>${say('routes.runs')}</h2>
${tableOf(call, table, runs)}<p>${link(`${path}/runs`, say('routes.allRuns'))} · ${link(`${path}/files`, say('routes.ledger'))}</p>
<details><summary>${say('routes.document')}</summary><pre tabindex="0">${routeYaml(stored)}</pre></details>`;
			},
			actions: {
				run: {
					right: 'routes.change',
					submit: 'routes.run',
					shows: 'refusals',
					isOffered: ({ listed }) => listed.state !== 'running' && listed.state !== 'stopped',
					async act({ row, route }, call) {
						requireNumbersOut(call, route);
						await routeControls.run(userOfCall(call), row, 'hand');
						return 'routes.asked';
					},
				},
				check: {
					right: 'routes.change',
					submit: 'routes.check',
					tone: 'plain',
					shows: 'partners',
					async act({ row, route }, call) {
						requireNumbersOut(call, route);
						const signal = AbortSignal.timeout(CHECK_MS);
						const checked = await routeControls.toldCheck({ ...principalOf(call), signal }, route);
						const { say } = call;
						const back = html`<p>${link(routePath(row.name), say('routes.back'))}</p>`;
						const body = html`${checkPart(call, checked)}${back}`;
						return routePages.page({ title: `${say('routes.check')}: ${row.name}`, body });
					},
				},
				pause: {
					right: 'routes.change',
					submit: 'words.pause',
					tone: 'plain',
					isOffered: ({ row }) => !row.paused,
					async act({ row }, call) {
						await routes.pause(principalOf(call), row.name, call.viewer.actor);
						return 'routes.paused';
					},
				},
				resume: {
					right: 'routes.change',
					submit: 'words.resume',
					tone: 'plain',
					shows: 'refusals',
					isOffered: ({ row }) => Boolean(row.paused) || row.stopped_reason !== null,
					async act({ row, route }, call) {
						requireNumbersOut(call, route);
						await routes.resume(principalOf(call), row.name, call.viewer.actor);
						return 'routes.resumed';
					},
				},
			},
		}),
		...routePages.question<StoredRoute>(`${ROUTE}/remove`, 'routes.change', {
			title: ({ row }, { say }) => `${say('words.remove')}: ${row.name}`,
			find: (call) => routeOfCall(routes, call),
			says: (_, { say }) => notice('plain', say('routes.removeText')),
			submit: 'words.remove',
			back: ({ row }) => routePath(row.name),
			async act({ row }, call) {
				if (!(await routes.remove(principalOf(call), row.name, call.viewer.actor))) throw notThere();
				return { redirectTo: ROUTES, notice: call.say('routes.removed') };
			},
		}),
	];
}

function workText({ route: { do: work } }: StoredRoute, { say }: PortalCall): string {
	const filter = work.filter === undefined ? [] : [work.filter];
	const decrypts = work.decrypt ? [say('routes.decrypts', { key: work.decrypt.with })] : [];
	const encrypts = work.encrypt ? [say('routes.encrypts', { keys: work.encrypt.for.join(', ') })] : [];
	const operation = [say(`routes.operations.${work.operation}`), ...filter].join(' ');
	return [...decrypts, operation, ...encrypts].join(', ');
}
