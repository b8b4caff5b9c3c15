// What the kinds of pages share: texts that a declaration names by key or works out, and the answer with a page.

import type { Html } from '../../../../base/pages/html.ts';
import type { Right } from '../../../../people/portal-users/rights.ts';
import type { OpenCall, PortalAnswer, PortalCall, ShownPage } from '../portal-page.ts';
import { notThere } from '../refusals.ts';
import type { Section } from '../sections.ts';
import type { TextKey } from '../texts.ts';

export interface PageGroup {
	/** The section that the navigation marks; absent for pages that belong to none. */
	readonly section?: Section;
	/** The path of the documentation of the pages, such as `/docs/portal#files`. */
	readonly help: string;
	/** Returns a style sheet besides that of the portal. */
	readonly style?: () => string;
	/** Returns what stands above the body of each page. */
	readonly top?: (call: PortalCall) => Html;
}

export type PortalPath = `/portal${string}`;

export interface PagePlace {
	readonly path: PortalPath;
	readonly right: Right | 'signed-in';
}

export interface PageAbout<Thing> extends PagePlace {
	/** Finds the thing; undefined if there is none, or if it belongs to somebody else. */
	find(call: PortalCall): Promise<Thing | undefined>;
	readonly title: Said<[thing: Thing, call: PortalCall]>;
}

/** Returns the thing that a page is about. @throws ServiceError if there is none */
export async function thingOf<Thing>(kind: Pick<PageAbout<Thing>, 'find'>, call: PortalCall): Promise<Thing> {
	const thing = await kind.find(call);
	if (thing === undefined) throw notThere();
	return thing;
}

/** A text of a declaration: its key, or a function for a text that depends on what is shown. */
export type Said<Args extends readonly unknown[]> = TextKey | ((...args: Args) => string);

/** Returns a text of a declaration in the language of the call. */
export function saidBy<Args extends readonly unknown[]>(
	{ say }: Pick<OpenCall, 'say'>,
	text: Said<Args>,
	...args: Args
): string {
	return typeof text === 'function' ? text(...args) : say(text);
}

/** What a page brings besides its markup. */
export type Extras = Pick<ShownPage, 'scripts' | 'data' | 'style'>;

export interface Shown extends Extras {
	readonly title: string;
	readonly body: Html;
	/** 200 unless given. */
	readonly status?: number;
}

export function pageOf({ section, help, style }: PageGroup, { status, ...shown }: Shown): PortalAnswer {
	return { page: { section, help, style: style?.(), ...shown }, status };
}
