import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../../base/clock.ts';
import { badInput, ServiceError } from '../../../base/errors.ts';
import { actorOf, type Principal } from '../../../people/identity/principal.ts';
import { parseDay } from '../../../work/jobs/day.ts';
import { routeDocument } from '../../../work/routes/document/route-document.ts';
import {
	type RouteControls,
	type RouteUser,
	requireRouteWork,
	routeOwnerOf,
} from '../../../work/routes/route-controls.ts';
import type { Routes, StoredRoute } from '../../../work/routes/routes.ts';
import { shownRun } from '../../../work/routes/runs/history.ts';
import { type Call, callsAbout } from '../calls/call.ts';
import { listOf } from '../calls/content.ts';
import { choice, DEFAULT_NUM, PAGE, pathText } from '../calls/fields.ts';
import {
	ASKED_RUN,
	DOCUMENT_EXAMPLE,
	FILE_STATES,
	LISTED_ROUTE,
	RETRIED,
	RETRY,
	ROUTE,
	ROUTE_FILE,
	RUN,
	RUN_STATES,
} from '../files/route-schemas.ts';

const reading = callsAbout('routes', { anyPermission: ['QueryRoutes', 'ManageRoutes'] });
const changing = callsAbout('routes', { permission: 'ManageRoutes' });
const PATH = Type.Object({ name: pathText('The name of the route.', 'nightly-visa') });
const RUNS_QUERY = Type.Object({
	state: Type.Optional(choice(RUN_STATES)),
	day: Type.Optional(Type.String({ description: 'Begun on this day (UTC): `2026-05-31`, `today` or `yesterday`.' })),
	...PAGE,
});
const FILES_QUERY = Type.Object({ state: Type.Optional(choice(FILE_STATES)), ...PAGE });

/** Defines the calls for routes: files that are fetched, processed and delivered by themselves. */
export function fileRouteCalls(parts: {
	readonly routes: Routes;
	readonly routeControls: RouteControls;
	readonly clock: Clock;
}): Call[] {
	const { routes, routeControls, clock } = parts;
	const get = (request: FastifyRequest): Promise<StoredRoute> =>
		routes.get(request.principal.accountId, (request.params as { name: string }).name);

	return [
		reading('GET', '/api/routes', {
			summary: 'List routes',
			description: 'By name.',
			returns: listOf(LISTED_ROUTE),
			handler: async (request) => {
				const list = await routes.list(request.principal.accountId);
				return list.map(({ listed }) => listed);
			},
		}),
		reading('GET', '/api/routes/:name', {
			summary: 'Read a route',
			description: 'Its document with every default, and its state.',
			params: PATH,
			returns: ROUTE,
			failures: ['uri-not-found'],
			handler: async (request) => shownRoute(await get(request)),
		}),
		changing('PUT', '/api/routes/:name', {
			summary: 'Put a route',
			description:
				'In the place of any of its name. The body is its document, YAML or JSON; `moreInfo` names every fault of it with its path. Also needs `FileTokenize` or `FileDetokenize`, by what the route does, and `Associate` if the option `merchantId` gives the cards to another account than before.',
			intake: 'raw',
			params: PATH,
			body: {
				isRequired: true,
				content: { 'application/json': { schema: { type: 'object' }, example: DOCUMENT_EXAMPLE } },
			},
			returns: ROUTE,
			handler: async (request) => {
				const owner = routeOwnerOf(request.principal);
				const route = await routes.read(owner, String(request.body ?? ''));
				if (route.name !== request.params.name) {
					throw badInput('name', 'expected the name in the path');
				}
				requireRouteWork(request.principal, route);
				const stored = await routes.put(owner, route, actorOf(request.principal));
				return shownRoute(stored);
			},
		}),
		changing('DELETE', '/api/routes/:name', {
			summary: 'Remove a route',
			description: 'With its ledger and history.',
			params: PATH,
			failures: ['uri-not-found'],
			handler: async (request, reply) => {
				const { principal, params } = request;
				if (!(await routes.remove(routeOwnerOf(principal), params.name, actorOf(principal)))) await get(request);
				return reply.send();
			},
		}),
		changing('POST', '/api/routes/:name/run', {
			summary: 'Run a route',
			description: 'Now, whatever its times are. The runs of the route show how it goes.',
			params: PATH,
			returns: { status: 202, ...ASKED_RUN },
			failures: ['uri-not-found'],
			handler: async (request) => {
				const stored = await get(request);
				requireRouteWork(request.principal, stored.route);
				const run = await routeControls.run(userOf(request.principal), stored.row, 'http');
				return shownRun(stored.row.name, run, []);
			},
		}),
		reading('GET', '/api/routes/:name/runs', {
			summary: 'List the runs of a route',
			description: 'Youngest first, with what became of each file.',
			params: PATH,
			query: RUNS_QUERY,
			returns: listOf(RUN),
			failures: ['uri-not-found'],
			handler: async (request) => {
				const { row } = await get(request);
				const { state, day, from: offset, num: limit = DEFAULT_NUM } = request.query;
				const period = day ? parseDay(day, clock.now()) : {};
				return await routeControls.runs(row, { state, ...period, offset, limit });
			},
		}),
		reading('GET', '/api/routes/:name/files', {
			summary: 'List the files of a route',
			description: 'The ledger: every file that the route has seen, youngest first.',
			params: PATH,
			query: FILES_QUERY,
			returns: listOf(ROUTE_FILE),
			failures: ['uri-not-found'],
			handler: async (request) => {
				const { row } = await get(request);
				const { state, from: offset, num: limit = DEFAULT_NUM } = request.query;
				const listed = await routeControls.files(row, { state, offset, limit });
				return listed.map(({ file }) => file);
			},
		}),
		changing('POST', '/api/routes/:name/retry', {
			summary: 'Retry files of a route',
			description: 'Takes files again that were given up: one by its path, or those of a run.',
			params: PATH,
			body: { schema: RETRY, example: { file: 'may.csv' }, root: 'Retry' },
			returns: { status: 202, ...RETRIED },
			failures: ['uri-not-found'],
			handler: async (request, _reply, readBody) => {
				const stored = await get(request);
				requireRouteWork(request.principal, stored.route);
				const body = readBody();
				const [path, runId] = [body.findText('file'), body.findText('run')];
				if ((path === undefined) === (runId === undefined)) throw body.problem('file', 'expected this or run');
				const files = await routeControls.retry(userOf(request.principal), stored.row, { path, runId });
				if (files.length === 0) {
					throw new ServiceError('uri-not-found', { moreInfo: 'no such file was given up' });
				}
				return { name: stored.row.name, files };
			},
		}),
	];
}

function userOf(principal: Principal): RouteUser {
	return { accountId: principal.accountId, userId: principal.userId, actor: actorOf(principal) };
}

function shownRoute({ listed, route, row }: StoredRoute) {
	const { stopped_reason: stoppedBecause } = row;
	const document = { ...routeDocument(route), paused: Boolean(row.paused) };
	// Members that are absent are left out, as in the stored document.
	return JSON.parse(JSON.stringify({ ...listed, ...(stoppedBecause !== null && { stoppedBecause }), document }));
}
