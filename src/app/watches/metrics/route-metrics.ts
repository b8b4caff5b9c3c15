// The metrics of routes: how they stand, over all daemons, and what this daemon's runs did.

import type { Registry } from 'prom-client';
import { shared } from '../../../base/database/gather.ts';
import type { SeenRun } from '../../../work/routes/runs/end-run.ts';
import { addLabelledGauge, boundedLabel, counterIn } from './gauges.ts';

/** At most this many routes have their own metrics; what routes count is summed up under `other` for all others. */
const MAX_ROUTES = 200;

export interface RouteStanding {
	/** The account and the name of the route. */
	readonly route: string;
	/** The seconds since a run succeeded, or since the route was made. */
	readonly sinceSuccess: number;
	readonly deadFiles: number;
	readonly isMissing: boolean;
	readonly isStopped: boolean;
}

/** Adds the metrics of routes, and returns the function that counts a run. Without `routes`, how they stand is not shown. */
export function addRouteMetrics(
	registry: Registry,
	routes: ((most: number) => Promise<readonly RouteStanding[]>) | undefined,
): (run: SeenRun) => void {
	const counter = counterIn(registry);
	if (routes) {
		// All of these gauges are read at the same moment.
		const read = shared(routes);
		const add = (name: string, help: string, figureOf: (route: RouteStanding) => number) =>
			addLabelledGauge(registry, {
				name: `route_${name}`,
				help,
				labels: ['route'],
				read: async () => (await read(MAX_ROUTES)).map((each) => [[each.route], figureOf(each)]),
			});
		add('success_age_seconds', 'Seconds since a run of a route succeeded', ({ sinceSuccess }) => sinceSuccess);
		add('dead_files', 'Files that a route has given up', ({ deadFiles }) => deadFiles);
		add('files_missing', '1 while the alarm for missing files of a route is raised', ({ isMissing }) =>
			Number(isMissing),
		);
		add('stopped', '1 while a route is stopped because its login was refused', ({ isStopped }) => Number(isStopped));
	}
	const routeRuns = counter(['route', 'outcome'], 'route_runs_total', 'Runs of a route, by how they ended');
	const routeFiles = counter(
		['route', 'state'],
		'route_files_total',
		'Files in runs of a route, by what became of them',
	);
	const routeBytes = counter(
		['route'],
		'route_bytes_total',
		'Bytes of files that a route has delivered, as they were at their source',
	);
	const routeLabel = boundedLabel(MAX_ROUTES);
	return ({ account, route: name, outcome, bytes, ...counts }) => {
		const route = routeLabel(`${account}/${name}`);
		routeRuns.inc({ route, outcome });
		routeBytes.inc({ route }, bytes);
		for (const state of ['delivered', 'failed', 'dead'] as const) routeFiles.inc({ route, state }, counts[state]);
	};
}
