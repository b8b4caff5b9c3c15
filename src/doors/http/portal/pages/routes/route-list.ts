// The list of the routes of an account.

import { html } from '../../../../../base/pages/html.ts';
import type { StoredRoute } from '../../../../../work/routes/routes.ts';
import { link } from '../../kinds/columns.ts';
import { principalOf } from '../../own.ts';
import { emptyState } from '../../pieces.ts';
import type { PortalPage } from '../../portal-page.ts';
import {
	NEW_ROUTE,
	ROUTE_STATES,
	ROUTES,
	type RouteParts,
	RUN_STATES,
	routePages,
	routePath,
	timesText,
} from './routes-group.ts';

interface ListedRow extends StoredRoute {
	readonly dead: number;
}

export function routeListPages({ routes, routeControls }: RouteParts): PortalPage[] {
	return routePages.list<ListedRow>(ROUTES, 'routes.see', {
		title: 'frame.sections.routes',
		adds: { path: NEW_ROUTE, label: 'routes.new', right: 'routes.change' },
		async find(call) {
			const list = await routes.list(principalOf(call).accountId);
			const dead = await routeControls.countDead(list.map(({ row }) => row));
			return { rows: list.map((each) => ({ ...each, dead: dead.get(each.row.id) ?? 0 })) };
		},
		live: { id: 'routes', kinds: ['routes'] },
		caption: 'routes.caption',
		columns: [
			['words.name', ({ row: { name } }) => link(routePath(name), name)],
			['words.state', ({ listed }, call) => ROUTE_STATES.badge(call, listed.state)],
			['routes.lastRun', ({ listed: { lastRunAt } }) => lastRunAt && new Date(lastRunAt)],
			['words.outcome', ({ listed: { lastOutcome } }, call) => lastOutcome && RUN_STATES.badge(call, lastOutcome)],
			[
				'routes.nextRun',
				({ listed: { nextRunAt }, route }, call) => (nextRunAt === null ? timesText(route, call) : new Date(nextRunAt)),
			],
			[
				'routes.dead',
				({ dead, row: { name } }) => (dead === 0 ? 0 : link(`${routePath(name)}/files?state=dead`, String(dead))),
			],
		],
		none: ({ say }) => emptyState(say('routes.none'), html`<p>${say('routes.noneHint')}</p>`),
	});
}
