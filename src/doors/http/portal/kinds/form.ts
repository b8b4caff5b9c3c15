// A page with a form: it shows the form, and again with what is wrong if the form was refused.

import { type Html, html } from '../../../../base/pages/html.ts';
import type { PortalAnswer, PortalCall, PortalPage } from '../portal-page.ts';
import { type Refusal, refusalOf } from '../refusals.ts';
import { type Action, answered, filled } from './actions.ts';
import { formPart, type Hidden, refusalNotice } from './form-part.ts';
import { type PageAbout, type PageGroup, type PortalPath, pageOf, saidBy, thingOf } from './group.ts';

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
	const { path, sentTo = path, right, needsProof, shows = 'input', back = path } = kind;
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
	return [
		{ path, method: 'GET', right, needsProof, handle: async (call) => show(await thingOf(kind, call), call) },
		{ path: sentTo, method: 'POST', right, needsProof, handle: send },
	];
}
