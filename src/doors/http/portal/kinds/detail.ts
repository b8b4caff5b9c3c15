// A page about one thing: what is known of it, and what can be done with it.

import { type Html, type HtmlValue, html } from '../../../../base/pages/html.ts';
import { askedOf, type LivePart, livePart } from '../live/live-part.ts';
import { get, type PortalAnswer, type PortalCall, type PortalPage } from '../portal-page.ts';
import { type Actions, actionPages, filled, type Place, placer, type Refused, refusedNotice } from './actions.ts';
import { type Column, factsOf } from './columns.ts';
import { type Extras, type PageAbout, type PageGroup, pageOf, saidBy, thingOf } from './group.ts';
import { type History, historyLink } from './history-link.ts';

export interface DetailKind<Thing> extends PageAbout<Thing> {
	readonly facts?: readonly Column<Thing>[];
	readonly actions?: Actions<Thing>;
	/** Returns the body. Unless given, it is the facts and then the actions. */
	body?(thing: Thing, call: PortalCall, pieces: { facts: Html; place: Place }): HtmlValue | Promise<HtmlValue>;
	/** Given if the body fetches itself again when something of these kinds has changed, as long as the thing moves. */
	readonly live?: LivePart & { isMoving(thing: Thing): boolean };
	/** What the trail is asked about for the history of the thing; undefined if it has none there. */
	history?(thing: Thing, call: PortalCall): History | undefined;
	extras?(thing: Thing, call: PortalCall): Extras;
}

export function detailPages<Thing>(group: PageGroup, kind: DetailKind<Thing>): PortalPage[] {
	const { path, right, actions = {}, live } = kind;
	const show = async (thing: Thing, call: PortalCall, refused?: Refused): Promise<PortalAnswer> => {
		const place = placer(kind, thing, call, refused);
		const facts = kind.facts ? factsOf(call, kind.facts, thing) : html``;
		let body: HtmlValue = kind.body
			? await kind.body(thing, call, { facts, place })
			: [facts, Object.keys(actions).map((name) => place(name))];
		if (live) {
			const { method, url } = call.request;
			const asked = method === 'GET' ? askedOf(url) : filled(path, call);
			body = livePart(live, { path: asked, isMoving: live.isMoving(thing), body });
		}
		const history = kind.history?.(thing, call);
		if (live && call.isPart) return { fragment: html`${body}` };
		return pageOf(group, {
			title: saidBy(call, kind.title, thing, call),
			body: html`${group.top?.(call)}${refusedNotice(kind, thing, refused)}${body}${history && historyLink(call, history)}`,
			status: refused && 400,
			...kind.extras?.(thing, call),
		});
	};
	const page = get(path, right, async (call) => show(await thingOf(kind, call), call));
	return [page, ...actionPages(kind, show)];
}
