// A page with a form: it shows the form, and again with what is wrong if the form was refused. And a page that asks before
// something is removed for good, and removes it when the answer is yes.

import { type Html, type HtmlValue, html } from '../../../../base/pages/html.ts';
import { form } from '../pieces.ts';
import { get, type PortalAnswer, type PortalCall, type PortalPage, post } from '../portal-page.ts';
import { type Refusal, refusalOf } from '../refusals.ts';
import { type Action, answered, filled } from './actions.ts';
import { formPart, type Hidden, refusalNotice } from './form-part.ts';
import { type PageAbout, type PageGroup, type PortalPath, pageOf, type Said, saidBy, thingOf } from './group.ts';

export interface FormPageKind<Thing>
	extends PageAbout<Thing>,
		Pick<Action<Thing>, 'fields' | 'more' | 'submit' | 'shows' | 'act'> {
	/** The path to which the form is sent; `path` unless given. */
	readonly sentTo?: PortalPath;
	hidden?(thing: Thing, call: PortalCall): Hidden;
	above?(thing: Thing, call: PortalCall): Html;
	below?(thing: Thing, call: PortalCall): Html;
	/** The page to which a form leads that was carried out with a message; `path` unless given. */
	readonly back?: PortalPath;
}

export function formPages<Thing>(group: PageGroup, kind: FormPageKind<Thing>): PortalPage[] {
	const { path, sentTo = path, right, shows = 'input', back = path } = kind;
	const show = (thing: Thing, call: PortalCall, refusal?: Refusal): PortalAnswer => {
		const placed = { action: filled(sentTo, call), hidden: kind.hidden?.(thing, call), refusal };
		const body = html`${group.top?.(call)}${refusal && refusalNotice(kind, thing, refusal)}${kind.above?.(thing, call)}${formPart(call, kind, thing, placed)}${kind.below?.(thing, call)}`;
		return pageOf(group, { title: saidBy(call, kind.title, thing, call), body, status: refusal && 400 });
	};
	const send = async (call: PortalCall): Promise<PortalAnswer> => {
		const thing = await thingOf(kind, call);
		try {
			return answered(call, await kind.act(thing, call), filled(back, call));
		} catch (error) {
			return show(thing, call, refusalOf(error, shows, call));
		}
	};
	return [get(path, right, async (call) => show(await thingOf(kind, call), call)), post(sentTo, right, send)];
}

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
	const { path, right } = kind;
	const ask = (thing: Thing, call: PortalCall): PortalAnswer => {
		const submit = saidBy(call, kind.submit, thing, call);
		const button = form(call, { action: call.request.url, body: '', submit, tone: 'danger' });
		const body = html`${kind.says(thing, call)}${(kind.isPossible?.(thing) ?? true) && button}<p><a href="${kind.back(thing, call)}">${call.say('frame.back')}</a></p>`;
		return pageOf(group, { title: saidBy(call, kind.title, thing, call), body });
	};
	return [
		get(path, right, async (call) => ask(await thingOf(kind, call), call)),
		post(path, right, async (call) => kind.act(await thingOf(kind, call), call)),
	];
}
