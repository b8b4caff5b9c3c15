// The pages that make and change a route: a form for a new one, and its document as text for one that is there. Both try
// what was typed before it is saved, and say everything that is missing at once.

import { getAsset } from '../../../../../base/pages/assets.ts';
import { type Html, html } from '../../../../../base/pages/html.ts';
import { merchantOf } from '../../../../../work/jobs/format-options.ts';
import type { PlacedFault } from '../../../../../work/relay/profiles/profile-problems.ts';
import { RouteError, type RouteScope } from '../../../../../work/routes/document/read-route.ts';
import type { Route } from '../../../../../work/routes/document/route.ts';
import { requireRouteWork, routeOwnerOf } from '../../../../../work/routes/route-controls.ts';
import { RouteChangedError, type StoredRoute } from '../../../../../work/routes/routes.ts';
import { faultPart } from '../../failure-words.ts';
import { link } from '../../kinds/columns.ts';
import { type FormKind, formPart } from '../../kinds/form-part.ts';
import { principalOf } from '../../own.ts';
import { joined } from '../../pieces.ts';
import { get, type PortalAnswer, type PortalCall, type PortalPage, post } from '../../portal-page.ts';
import { type Refusal, RefusedFormError, refusalOf, refusalOfFaults } from '../../refusals.ts';
import { CHECK_MS, checkPart } from './check-part.ts';
import { documentOf, fieldOfPath, fieldProblems, ROUTE_FIELDS } from './route-fields.ts';
import {
	NEW_ROUTE,
	ROUTE,
	type RouteParts,
	refuseNumbersOut,
	routeOfCall,
	routePages,
	routePath,
	routeYaml,
} from './routes-group.ts';

const CHECK = { value: 'check', label: 'routes.check' } as const;
const NEW: FormKind<RouteScope> = { fields: ROUTE_FIELDS, also: CHECK, submit: 'words.keep' };
const TEXT: FormKind<StoredRoute> = {
	fields: [{ name: 'text', label: 'routes.document', hint: 'routes.textHint', rows: 30, value: routeYaml }],
	also: CHECK,
	submit: 'words.keep',
};

/** What stands above a form that was sent: what is wrong, or what was found when the route was tried. */
interface Tried {
	readonly refusal: Refusal;
	readonly above: Html;
	readonly isRefused: boolean;
}

export function routeFormPages(parts: RouteParts): PortalPage[] {
	const { routes } = parts;
	const showNew = async (call: PortalCall, tried?: Tried): Promise<PortalAnswer> => {
		const { say } = call;
		const scope = await routes.scope(routeOwnerOf(principalOf(call)));
		const form = formPart(call, NEW, scope, { action: NEW_ROUTE, refusal: tried?.refusal });
		const intro = tried ? tried.above : html`<p>${say('routes.form.intro')}</p>`;
		const scripts = [getAsset('portal-route-form.js')];
		return routePages.page({
			title: say('routes.new'),
			body: html`${intro}${form}`,
			status: tried?.isRefused ? 400 : 200,
			scripts,
		});
	};
	const showText = (call: PortalCall, stored: StoredRoute, tried?: Tried): PortalAnswer => {
		const { name, updated_at: version } = stored.row;
		const path = routePath(name);
		const placed = { action: `${path}/edit`, refusal: tried?.refusal };
		// A form that was sent keeps the version with which it was begun, so that trying it hides no change of somebody else.
		const hidden = { version: call.form.version ?? String(version) };
		const form = formPart(call, TEXT, stored, { ...placed, hidden });
		const back = html`<p>${link(path, call.say('routes.back'))}</p>`;
		const title = `${call.say('words.change')}: ${name}`;
		return routePages.page({ title, body: html`${tried?.above}${form}${back}`, status: tried?.isRefused ? 400 : 200 });
	};
	return [
		get(NEW_ROUTE, 'routes.change', (call) => showNew(call)),
		post(NEW_ROUTE, 'routes.change', async (call) => {
			const problems = fieldProblems(call);
			const read = async () => {
				const route = await readDocument(parts, call, JSON.stringify(documentOf(call.form)), problems);
				if (Object.keys(problems).length > 0) throw new RefusedFormError(problems);
				return route;
			};
			return take(parts, call, { read, version: null, again: (tried) => showNew(call, tried) });
		}),
		get(`${ROUTE}/edit`, 'routes.change', async (call) => showText(call, await routeOfCall(routes, call))),
		post(`${ROUTE}/edit`, 'routes.change', async (call) => {
			const stored = await routeOfCall(routes, call);
			const read = async () => {
				const text = (call.form.text ?? '').replaceAll('\r\n', '\n');
				const route = await routes.read(routeOwnerOf(principalOf(call)), text);
				if (route.name === stored.row.name) return route;
				throw new RefusedFormError({ text: call.say('routes.keepName', { name: stored.row.name }) });
			};
			const version = Number(call.form.version) || 0;
			return take(parts, call, { read, version, stored, again: async (tried) => showText(call, stored, tried) });
		}),
	];
}

/** Reads the document that a form has made. Its faults are said at the fields, together with `problems`. */
async function readDocument(
	{ routes }: RouteParts,
	call: PortalCall,
	text: string,
	problems: Readonly<Record<string, string>>,
): Promise<Route> {
	try {
		return await routes.read(routeOwnerOf(principalOf(call)), text);
	} catch (error) {
		if (!(error instanceof RouteError)) throw error;
		throw new RefusedFormError({ ...refusalOfFaults(error.faults, call, fieldOfPath), ...problems });
	}
}

interface Taken {
	read(): Promise<Route>;
	readonly version: number | null;
	/** The route that is changed; absent for a new one. */
	readonly stored?: StoredRoute;
	again(tried: Tried): Promise<PortalAnswer>;
}

/** Tries or saves a route, as the button says that was pressed. */
async function take(
	{ routes, routeControls }: RouteParts,
	call: PortalCall,
	{ read, version, stored, again }: Taken,
): Promise<PortalAnswer> {
	const { say, viewer, form } = call;
	const principal = principalOf(call);
	try {
		const route = await read();
		refuseNumbersOut(call, route);
		requireRouteWork(principal, route);
		const merchant = merchantOf(route.do.options);
		if (merchant !== undefined && merchant !== merchantOf(stored?.route.do.options) && !viewer.has('cards.give'))
			throw new RefusedFormError({ '': say('routes.givesAway') });
		if (form.act === CHECK.value) {
			const owner = { ...routeOwnerOf(principal), signal: AbortSignal.timeout(CHECK_MS) };
			const checked = await routeControls.toldCheck(owner, route);
			return again({ refusal: {}, above: checkPart(call, checked), isRefused: false });
		}
		await routes.put(routeOwnerOf(principal), route, viewer.actor, version);
		return { redirectTo: routePath(route.name), notice: say('routes.saved') };
	} catch (error) {
		const refusal = refusalIn(call, error, version);
		return again({ refusal, above: missingPart(call, refusal), isRefused: true });
	}
}

function refusalIn(call: PortalCall, error: unknown, version: number | null): Refusal {
	const { say } = call;
	if (error instanceof RouteChangedError)
		return version === null ? { name: say('routes.nameTaken') } : { '': say('routes.changedMeanwhile') };
	if (error instanceof RouteError) {
		const placeOf = ({ line, column }: PlacedFault) => say('parties.place', { line, column });
		return { text: joined(error.faults.map((each) => html`${placeOf(each)}: ${faultPart(call, each)}`)) };
	}
	return refusalOf(error, 'refusals', call);
}

/** Says how much is missing, and leads to each field with what to write there. */
function missingPart({ say }: PortalCall, refusal: Refusal): Html {
	const fields = Object.entries(refusal);
	const items = fields.map(([field, text]) =>
		field === '' ? html`<li>${text}</li>\n` : html`<li>${link(`#${field}`, text)}</li>\n`,
	);
	return html`<div class="notice bad" role="alert"><p>${say('routes.missingFields', { count: fields.length })}</p><ul id="missing">${items}</ul></div>
`;
}
