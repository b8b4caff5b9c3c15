// Tests that whatever a list over HTTP can be asked, the list of the portal can be asked too.

import test, { type ExecutionContext } from 'ava';
import { portalPages } from '../../src/doors/http/portal/pages/all-pages.ts';
import { partsOf } from '../../src/doors/http/portal/parts.ts';
import type { OpenApiDocument, Parameter } from '../helpers/openapi-document.ts';
import { openPortalApp } from '../helpers/portal-app.ts';

interface Pair {
	/** The page that lists the same things. */
	readonly page: string;
	/** The filters of the page by the parameters of the call. */
	readonly filters?: Readonly<Record<string, readonly string[]>>;
	/** True if the page shows all of them at once, so that it needs neither pages nor a file. */
	readonly isWhole?: true;
}

const PAIRS: Readonly<Record<string, Pair>> = {
	'/api/jobs': {
		page: '/portal/files',
		filters: { state: ['show'], filter: ['filter'], name: ['name'], day: ['since', 'until'] },
	},
	'/api/payments/paycard/meta': {
		page: '/portal/cards',
		filters: { ref: ['reference'], merchantId: ['merchant'] },
	},
	'/api/requests': { page: '/portal/calls' },
	'/api/routes': { page: '/portal/routes', isWhole: true },
	'/api/routes/{name}/runs': {
		page: '/portal/routes/fan/runs',
		filters: { state: ['state'], day: ['since', 'until'] },
	},
	'/api/routes/{name}/files': { page: '/portal/routes/fan/files', filters: { state: ['state'] } },
	'/api/events': { page: '/portal/events', filters: { type: ['type'], from: ['since'], to: ['until'] } },
	'/api/event-endpoints': { page: '/portal/events', isWhole: true },
	'/api/paymentGateway/transactions': {
		page: '/portal/payments',
		filters: { myRef: ['ref'], gatewayReference: ['gatewayref'] },
	},
};

/** Lists over HTTP that are no list of the portal, and why. */
const APART: Readonly<Record<string, string>> = {
	'/api/datablocks': 'the portal has no data blocks',
	'/api/payments/paycard/{cardToken}/merchants': 'the page of a card shows them all',
	'/api/booker': 'the page of third parties shows them all',
	'/api/paymentGateway': 'the drivers of the installation are no things of an account',
};

/** Parameters that choose a page or the form of the answer, for which a page has links of its own. */
const PAGING = new Set(['from', 'num', 'format']);

const ROUTE = {
	...{ name: 'fan', from: { drop: '/tokenized/GBT' }, do: { operation: 'none' }, to: { drop: '/tokenized/CSV' } },
};

interface ListCall {
	readonly path: string;
	readonly parameters: readonly Parameter[];
}

function listsOf({ paths }: OpenApiDocument): ListCall[] {
	return Object.entries(paths).flatMap(([path, { get }]) => {
		const schema = get?.responses['200']?.content?.['text/json']?.schema as { type?: string } | undefined;
		if (schema?.type !== 'array') return [];
		return [{ path, parameters: (get.parameters ?? []).filter((each) => each.in === 'query') }];
	});
}

async function open(t: ExecutionContext) {
	const parts = await openPortalApp(t);
	const manager = await parts.signIn('manager');
	t.is((await manager.caller!.inject('PUT', '/api/routes/fan', { payload: ROUTE })).statusCode, 200);
	const lists = listsOf((await parts.app.inject({ method: 'GET', url: '/openapi.json' })).json());
	return { parts, manager, lists };
}

test('every list over HTTP is compared with one of the portal, or left out for a reason', async (t) => {
	const { lists } = await open(t);
	const paths = lists.map(({ path }) => path);
	t.deepEqual(paths.toSorted(), [...Object.keys(PAIRS), ...Object.keys(APART)].toSorted());
});

test('a list of the portal has each filter and each value of one that the list over HTTP has', async (t) => {
	const { manager, lists } = await open(t);
	for (const { path, parameters } of lists) {
		const pair = PAIRS[path];
		if (pair === undefined) continue;
		const { page, filters = {} } = pair;
		const { body } = await manager.get(page);
		const form = /<form [^>]*class="search".*?<\/form>/s.exec(body)?.[0] ?? '';
		for (const { name, schema } of parameters) {
			if (PAGING.has(name) && !(name in filters)) continue;
			t.true(name in filters, `${page} can be asked for ${name} of ${path}`);
			for (const filter of filters[name] ?? []) {
				t.regex(form, new RegExp(`name="${filter}"`), `${page} has the filter ${filter}`);
				const choices = new RegExp(`<select id="${filter}".*?</select>`, 's').exec(form)?.[0];
				for (const value of (schema?.enum as readonly string[] | undefined) ?? []) {
					if (choices !== undefined) t.true(choices.includes(`value="${value}"`), `${page} has ${filter}=${value}`);
				}
			}
		}
		t.deepEqual(
			Object.keys(filters).filter((name) => !parameters.some((each) => each.name === name)),
			[],
			`${path} has these parameters`,
		);
	}
});

test('a list of the portal that has pages is had as a file', async (t) => {
	const { parts } = await open(t);
	const paths = new Set<string>(portalPages(partsOf(parts)).map(({ path }) => path));
	for (const { page, isWhole } of Object.values(PAIRS))
		if (!isWhole) t.true(paths.has(`${page.replace('/fan/', '/:name/')}/csv`), page);
});
