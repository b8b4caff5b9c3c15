// A page that asks before something is removed for good, and removes it when the answer is yes.

import { type HtmlValue, html } from '../../../../base/pages/html.ts';
import { form } from '../pieces.ts';
import type { PortalAnswer, PortalCall, PortalPage } from '../portal-page.ts';
import { type PageAbout, type PageGroup, pageOf, type Said, saidBy, thingOf } from './group.ts';

export interface QuestionKind<Thing> extends PageAbout<Thing> {
	/** What would be gone. */
	says(thing: Thing, call: PortalCall): HtmlValue;
	readonly submit: Said<[thing: Thing, call: PortalCall]>;
	/** Tells whether there is something to remove; there is unless given. */
	isPossible?(thing: Thing): boolean;
	/** The page to which whoever does not want it goes back. */
	back(thing: Thing, call: PortalCall): string;
	act(thing: Thing, call: PortalCall): Promise<PortalAnswer>;
}

export function questionPages<Thing>(group: PageGroup, kind: QuestionKind<Thing>): PortalPage[] {
	const { path, right, needsProof } = kind;
	const place = { path, right, needsProof };
	const ask = (thing: Thing, call: PortalCall): PortalAnswer => {
		const submit = saidBy(call, kind.submit, thing, call);
		const button = form(call, { action: call.request.url, body: '', submit, tone: 'danger' });
		const body = html`${kind.says(thing, call)}${(kind.isPossible?.(thing) ?? true) && button}<p><a href="${kind.back(thing, call)}">${call.say('frame.back')}</a></p>`;
		return pageOf(group, { title: saidBy(call, kind.title, thing, call), body });
	};
	return [
		{ ...place, method: 'GET', handle: async (call) => ask(await thingOf(kind, call), call) },
		{ ...place, method: 'POST', handle: async (call) => kind.act(await thingOf(kind, call), call) },
	];
}
