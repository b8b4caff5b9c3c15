// A list of things: what it shows, how it is asked for, and how its pages follow each other, in one declaration.

import { holdsCardNumber } from '../../../../base/card/spelling/spelled-number.ts';
import { type Html, type HtmlValue, html } from '../../../../base/pages/html.ts';
import type { Right } from '../../../../people/portal-users/rights.ts';
import { findSearchText } from '../../input/query-values.ts';
import { pathAsSent } from '../../server/path-as-sent.ts';
import { type LivePart, livePart } from '../live/live-part.ts';
import { choiceField, type FieldParts, field, pager, searchForm, typedSearchForm } from '../pieces.ts';
import type { PortalAnswer, PortalCall, PortalPage } from '../portal-page.ts';
import type { TextKey } from '../texts.ts';
import { type Actions, actionPages, filled, type Place, placer, type Refused, refusedNotice } from './actions.ts';
import { type Column, type TableKind, tableOf } from './columns.ts';
import type { Choices } from './form-part.ts';
import { type Extras, type PageGroup, type PagePlace, pageOf, type Said, saidBy } from './group.ts';

/** A field by which a list is narrowed. Its value is a part of the address of the list. */
export interface Filter extends Pick<FieldParts, 'name' | 'type' | 'maxLength' | 'autocomplete'> {
	readonly label: TextKey;
	readonly hint?: TextKey;
	/** The values that can be chosen. Any other value counts as none. */
	readonly choices?: (call: PortalCall) => Choices;
	/** Returns what is wrong with a text that was typed; undefined if nothing is. */
	check?(text: string, call: PortalCall): string | undefined | Promise<string | undefined>;
}

/** The form by which a list is narrowed. */
export interface SearchKind {
	readonly filters: readonly Filter[];
	/** The label of its button. */
	readonly submit: TextKey;
	/**
	 * Given if texts are typed into it. Such a search is posted, and gets into the address only if no text in it may hold a
	 * card number, because browsers remember addresses, and proxies write them into their logs. This message is then shown.
	 */
	readonly noNumber?: TextKey;
}

/** What is asked of a list. */
export interface Asked {
	/** The values of its filters, without those that were left empty. */
	readonly values: Readonly<Record<string, string | undefined>>;
	/** Where this page begins; undefined for the first one. */
	readonly after: string | undefined;
	/** True if this is not the beginning of the whole list. */
	readonly isNarrowed: boolean;
}

/** A page of a list. */
export interface Found<Row> {
	readonly rows: readonly Row[];
	/** Where the next page begins; undefined if this is the last one. */
	readonly next?: string;
	/** Messages before and after the table. */
	readonly before?: HtmlValue;
	readonly after?: HtmlValue;
}

export interface ListKind<Row> extends PagePlace, Pick<TableKind<Row>, 'caption'> {
	/** The columns; some may have buttons, which they place. */
	readonly columns: readonly Column<Row>[] | ((place: Place) => readonly Column<Row>[]);
	readonly title: Said<[call: PortalCall]>;
	readonly none: TextKey | ((call: PortalCall, asked: Asked) => Html);
	readonly search?: SearchKind;
	find(call: PortalCall, asked: Asked): Promise<Found<Row>>;
	/** The page that makes another of these things, for those who may. */
	readonly adds?: { readonly path: string; readonly label: TextKey; readonly right: Right };
	readonly actions?: Actions<null>;
	above?(call: PortalCall, asked: Asked): HtmlValue | Promise<HtmlValue>;
	below?(call: PortalCall, place: Place): HtmlValue;
	/** Given if the first page of the list fetches itself again when something of these kinds has changed. */
	readonly live?: LivePart;
	extras?(call: PortalCall): Extras;
}

export function listPages<Row>(group: PageGroup, kind: ListKind<Row>): PortalPage[] {
	const { path, right, needsProof, search, adds } = kind;
	const place = { path, right, needsProof };
	const acting = { ...kind, find: async () => null };
	const show = async (call: PortalCall, refused?: Refused): Promise<PortalAnswer> => {
		const { asked, problems } = await readAsked(call, search);
		// A search with something wrong in it finds nothing, because it would find what nobody asked for.
		const isWrong = Object.keys(problems).length > 0;
		const placed = placer(acting, null, call, refused);
		const list = isWrong ? html`` : await listPart(call, kind, asked, placed);
		if (kind.live && call.isPart) return { fragment: list };
		const adding =
			adds &&
			call.viewer.has(adds.right) &&
			html`<p class="actions"><a class="button" href="${adds.path}">${call.say(adds.label)}</a></p>`;
		const form = search && searchPart(call, search, { action: filled(path, call), asked, problems });
		return pageOf(group, {
			title: saidBy(call, kind.title, call),
			body: html`${group.top?.(call)}${refusedNotice(acting, null, refused)}${await kind.above?.(call, asked)}${adding}${form}${list}${kind.below?.(call, placed)}`,
			status: refused || (isWrong && call.request.method === 'POST') ? 400 : 200,
			...kind.extras?.(call),
		});
	};
	return [
		{ ...place, method: 'GET', handle: (call) => show(call) },
		...(search?.noNumber === undefined
			? []
			: [{ ...place, method: 'POST', handle: (call: PortalCall) => takeSearch(call, search, show) } as const]),
		...actionPages(acting, (_, call, refused) => show(call, refused)),
	];
}

/** Leads from a search that was typed to the list with the search in its address. */
async function takeSearch(
	call: PortalCall,
	{ filters }: SearchKind,
	show: (call: PortalCall) => Promise<PortalAnswer>,
): Promise<PortalAnswer> {
	const typed = filters.flatMap(({ name }) => (call.form[name] ? [[name, call.form[name]] as [string, string]] : []));
	if (typed.some(([, text]) => holdsCardNumber(text))) return show({ ...call, query: Object.fromEntries(typed) });
	const path = pathAsSent(call.request.url);
	const query = new URLSearchParams(typed).toString();
	return { redirectTo: query === '' ? path : `${path}?${query}` };
}

type Problems = Readonly<Record<string, string>>;

async function readAsked(
	call: PortalCall,
	{ filters, noNumber }: Pick<SearchKind, 'filters' | 'noNumber'> = { filters: [] },
): Promise<{ readonly asked: Asked; readonly problems: Problems }> {
	const values: Record<string, string> = {};
	const problems: Record<string, string> = {};
	for (const { name, choices, check } of filters) {
		const text = findSearchText(call.query[name]?.trim());
		if (text === undefined) continue;
		if (choices) {
			if (choices(call).some(([value]) => value === text)) values[name] = text;
			continue;
		}
		// A card number is never written back into the page.
		if (noNumber !== undefined && holdsCardNumber(text)) problems[name] = call.say(noNumber);
		else values[name] = text;
		const problem = name in problems ? undefined : await check?.(text, call);
		if (problem !== undefined) problems[name] = problem;
	}
	const after = call.query.after || undefined;
	const isNarrowed = after !== undefined || Object.keys(values).length > 0;
	return { asked: { values, after, isNarrowed }, problems };
}

interface Search {
	readonly action: string;
	readonly asked: Asked;
	readonly problems: Problems;
}

function searchPart(call: PortalCall, { filters, submit, noNumber }: SearchKind, search: Search): Html {
	const { action, asked, problems } = search;
	const fields = filters.map(({ label, hint, choices, check: _, ...parts }) => {
		const { name } = parts;
		const shown = {
			...parts,
			label: call.say(label),
			hint: hint && call.say(hint),
			value: asked.values[name] ?? '',
			problem: problems[name],
		};
		return choices ? choiceField({ ...shown, options: choices(call) }) : field(shown);
	});
	const form = { action, submit: call.say(submit), body: fields };
	return noNumber === undefined ? searchForm(form) : typedSearchForm(call, form);
}

async function listPart<Row>(call: PortalCall, kind: ListKind<Row>, asked: Asked, place: Place): Promise<Html> {
	const { live, caption, columns, none } = kind;
	const { rows, next, before, after } = await kind.find(call, asked);
	const shown = {
		caption,
		columns: typeof columns === 'function' ? columns(place) : columns,
		none: typeof none === 'function' ? () => none(call, asked) : none,
	};
	const table = tableOf(call, shown, rows);
	const path = filled(kind.path, call);
	const list = html`${before}${table}${after}${pager(call, path, { ...asked.values, after: asked.after }, next)}`;
	if (!live) return list;
	const query = new URLSearchParams(asked.values as Record<string, string>);
	const again = query.size > 0 ? `${path}?${query}` : path;
	return livePart(live, { path: again, isMoving: asked.after === undefined, body: list });
}

/**
 * Returns a page of at most `length` rows. The caller has read one row more: if that row is there, there is a next page,
 * which begins after the last row of this one.
 */
export function pageUpTo<Row>(
	length: number,
	found: readonly Row[],
	placeOf: (row: Row) => string | number,
): Found<Row> {
	const rows = found.slice(0, length);
	return { rows, next: found.length > length ? String(placeOf(rows[length - 1])) : undefined };
}

/** Reads where a page begins, if that is a number. */
export function numberOf(after: string | undefined): number | undefined {
	return after !== undefined && /^\d{1,15}$/.test(after) ? Number(after) : undefined;
}
