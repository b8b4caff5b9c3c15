// Declares what can be done on a page: a button or form there, and the route that carries it out and leads back.

import { type Html, html } from '../../../../base/pages/html.ts';
import type { Right } from '../../../../people/portal-users/rights.ts';
import { type PortalAnswer, type PortalCall, type PortalPage, post } from '../portal-page.ts';
import { type Refusal, refusalOf, type Shows } from '../refusals.ts';
import type { TextKey } from '../texts.ts';
import { type FormKind, formPart, type Hidden, refusalNotice } from './form-part.ts';
import { type PageAbout, type PagePlace, type PortalPath, thingOf } from './group.ts';

export interface Action<Thing> extends FormKind<Thing> {
	/** The right that it needs; that of the page unless given. */
	readonly right?: Right;
	readonly needsProof?: boolean;
	/** Tells whether the page offers it for a thing, to those who have the right. */
	readonly isOffered?: (thing: Thing, call: PortalCall) => boolean;
	/** The errors that the page shows at the form; those about its input unless given. */
	readonly shows?: Shows;
	/** Carries it out. A key is the message at the top of the page, to which the answer then leads back. */
	act(thing: Thing, call: PortalCall): Promise<TextKey | PortalAnswer>;
}

/** The actions of a page by what follows its path in theirs: `cancel` is at `/portal/requests/:id/cancel`. */
export type Actions<Thing> = Readonly<Record<string, Action<Thing>>>;

/** An action that was refused, on the page that is shown again for it. */
export interface Refused {
	readonly name: string;
	readonly refusal: Refusal;
}

/** Writes the form of an action for those who may carry it out, with more values that it sends. */
export type Place = (name: string, hidden?: Hidden) => Html;

interface Acting<Thing> extends PagePlace, Pick<PageAbout<Thing>, 'find'> {
	readonly actions?: Actions<Thing>;
}

/** Returns the routes of the actions of a page. `show` shows it again for an action that was refused. */
export function actionPages<Thing>(
	kind: Acting<Thing>,
	show: (thing: Thing, call: PortalCall, refused: Refused) => Promise<PortalAnswer>,
): PortalPage[] {
	return Object.entries(kind.actions ?? {}).map(([name, action]) => {
		const { right = kind.right, needsProof, shows = 'input' } = action;
		return post(pathOf(kind.path, name), { right, needsProof }, async (call) => {
			const thing = await thingOf(kind, call);
			try {
				return answered(call, await action.act(thing, call), filled(kind.path, call));
			} catch (error) {
				return show(thing, call, { name, refusal: refusalOf(error, shows, call) });
			}
		});
	});
}

/** Returns the answer of what was done: its own, or a redirect to a page with a message. */
export function answered({ say }: PortalCall, done: TextKey | PortalAnswer, back: PortalPath): PortalAnswer {
	return typeof done === 'string' ? { redirectTo: back, notice: say(done) } : done;
}

/** Returns what is wrong with an action that was refused but with none of its fields. */
export function refusedNotice<Thing>(kind: Acting<Thing>, thing: Thing, refused: Refused | undefined) {
	return refused && refusalNotice(kind.actions![refused.name], thing, refused.refusal);
}

export function placer<Thing>(kind: Acting<Thing>, thing: Thing, call: PortalCall, refused?: Refused): Place {
	return (name, hidden) => {
		const action = kind.actions?.[name];
		if (!action) throw new Error(`internal error: ${kind.path} has no action ${name}`);
		const right = action.right ?? kind.right;
		const isAllowed = right === 'signed-in' || call.viewer.has(right);
		if (!isAllowed || !(action.isOffered?.(thing, call) ?? true)) return html``;
		const refusal = refused?.name === name ? refused.refusal : undefined;
		return formPart(call, action, thing, { action: filled(pathOf(kind.path, name), call), hidden, refusal });
	};
}

function pathOf(path: PortalPath, name: string): PortalPath {
	return name === '' ? path : `${path}/${name}`;
}

export function filled(path: PortalPath, { params }: Pick<PortalCall, 'params'>): PortalPath {
	return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? '')) as PortalPath;
}
