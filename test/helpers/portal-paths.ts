// Lists every page of the portal that can be looked at, for an account that has cards, files and statistics.

import { portalPages } from '../../src/doors/http/portal/pages/all-pages.ts';
import { partsOf } from '../../src/doors/http/portal/parts.ts';
import { storeCard } from './card-calls.ts';
import type { PortalApp, SignedIn } from './portal-app.ts';
import { fillStatistics } from './portal-numbers.ts';
import { fillToSize, type PortalSize } from './portal-size.ts';

/** More addresses of these pages, which filter a list or begin further down in it. */
const MORE = [
	...['/portal?view=hours', '/portal?view=months', '/portal/files?show=failed', '/portal/files?show=refused'],
	...['/portal/files?show=waiting', '/portal/files?filter=GBT&after=1050000', '/portal/cards?reference=booking-7000'],
	'/portal/installation/audit?after=5000',
];
const READ_ALONE = /\/(logout|enter|language|sso)\b/;

export interface PortalPaths {
	readonly paths: readonly string[];
	get(path: string): ReturnType<SignedIn['get']>;
}

/**
 * Fills an installation and returns its pages. `get` asks for the pages of operators as an operator, and for all others as
 * a manager.
 */
export async function openFullPortal(parts: PortalApp, size: PortalSize): Promise<PortalPaths> {
	const { database, clock } = parts;
	const manager = await parts.signIn('manager');
	const operator = await parts.signIn('operator');
	const accountId = manager.viewer.account!.id;
	const now = clock.now().getTime();
	await fillToSize(database, accountId, now, size);
	await fillStatistics(database, accountId, now, 390);
	let token = '';
	for (let card = 0; card < 100; card++) token = await storeCard(manager.caller!);
	const job = await database
		.knex('jobs')
		.where({ account_id: accountId, state: 'done' })
		.orderBy('seq', 'desc')
		.first('id');
	const values: Readonly<Record<string, string>> = {
		id: job.id,
		token,
		area: 'tokenized',
		filter: 'GBT',
		name: 'none',
	};
	const paths = portalPages(partsOf(parts))
		.filter(({ method, right, path }) => method === 'GET' && right !== 'anyone' && !READ_ALONE.test(path))
		.map(({ path }) => path.replaceAll(/:(\w+)/g, (_, name: string) => values[name] ?? '1'));
	return {
		// An output and an export are files that are sent as they are read, and no pages.
		paths: [...paths, ...MORE].filter((path) => !/\/(output|csv)$/.test(path)),
		get: (path) => (path.startsWith('/portal/installation') ? operator : manager).get(path),
	};
}
