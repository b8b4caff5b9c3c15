// A list of things: what it shows, how it is asked for, and how its pages follow each other, in one declaration.

import { pipeline } from 'node:stream/promises';
import { holdsCardNumber } from '../../../../base/card/spelling/spelled-number.ts';
import { csvStream } from '../../../../base/csv.ts';
import { type Html, type HtmlValue, html } from '../../../../base/pages/html.ts';
import type { Right } from '../../../../people/portal-users/rights.ts';
import { findSearchText } from '../../input/query-values.ts';
import { pathAsSent } from '../../server/path-as-sent.ts';
import { type LivePart, livePart } from '../live/live-part.ts';
import { choiceField, type FieldParts, field, pager, searchForm, typedSearchForm } from '../pieces.ts';
import { get, type PortalAnswer, type PortalCall, type PortalPage, post } from '../portal-page.ts';
import type { SessionCheck } from '../session-check.ts';
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

export interface SearchKind {
	readonly filters: readonly Filter[];
	/** The label of its button, if that is not the one of most searches. */
	readonly submit?: TextKey;
	/**
	 * Given if texts are typed into it. Such a search is posted, and gets into the address only if no text in it may hold a
	 * card number, because browsers remember addresses, and proxies write them into their logs. This message is then shown.
	 */
	readonly noNumber?: TextKey;
}

export interface Asked {
	/** The values of its filters, without those that were left empty. */
	readonly values: Readonly<Record<string, string | undefined>>;
	/** Where this page begins; undefined for the first one. */
	readonly after: string | undefined;
	/** Where this page ends, if it was reached from the one behind it. */
	readonly before: string | undefined;
	/** True if this is not the beginning of the whole list. */
	readonly isNarrowed: boolean;
}

export interface Found<Row> {
	readonly rows: readonly Row[];
	/** Where the next page begins; undefined if this is the last one. */
	readonly next?: string;
	/** Where the page before this one ends; undefined if there is none, or if the list only goes forward. */
	readonly previous?: string;
	/** Messages before and after the table. */
	readonly before?: HtmlValue;
	readonly after?: HtmlValue;
}

export interface ListKind<Row> extends PagePlace, Pick<TableKind<Row>, 'caption'> {
	readonly right: Right;
	/** The columns; some may have buttons, which they place. */
	readonly columns: readonly Column<Row>[] | ((place: Place) => readonly Column<Row>[]);
	readonly title: Said<[call: PortalCall]>;
	/** What stands in place of an empty list. Of a list that is narrowed, a text would say what may be wrong of the whole. */
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
	/** Given if all that was asked for can be had as a file, whose address is that of the list and `/csv`. */
	readonly exported?: ExportKind;
}

export interface ExportKind {
	readonly columns: readonly string[];
	/** Yields all rows that fit, not only those of a page. It calls `check` again and again, which throws when they may not go on. */
	rows(call: PortalCall, asked: Asked, check: SessionCheck): AsyncGenerator<object>;
}

export function listPages<Row>(group: PageGroup, kind: ListKind<Row>): PortalPage[] {
	const { path, right, search, adds } = kind;
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
	const { exported } = kind;
	const pages = [get(path, right, (call) => show(call))];
	if (exported) {
		const csv = get(`${path}/csv`, right, async (call) => {
			const { asked, problems } = await readAsked(call, search);
			if (Object.keys(problems).length > 0) return show(call);
			return sendCsv(exported.columns, exported.rows(call, asked, call.checkSession(right)));
		});
		pages.push(csv);
	}
	if (search?.noNumber !== undefined) pages.push(post(path, right, (call) => takeSearch(call, search, show)));
	return [...pages, ...actionPages(acting, (_, call, refused) => show(call, refused))];
}

/** Sends rows as a file. What fails before the first row is an error page. */
async function sendCsv(columns: readonly string[], rows: AsyncGenerator<object>): Promise<PortalAnswer> {
	const first = await rows.next();
	const all = async function* () {
		if (!first.done) yield first.value;
		yield* rows;
	};
	return {
		send(reply) {
			const stream = csvStream({ columns, header: true, lineEnd: 'windows' });
			// A file that breaks off is one that the browser reports as such.
			pipeline(all, stream).catch(() => {});
			return reply
				.type('text/csv; charset=utf-8')
				.header('cache-control', 'no-store')
				.header('content-disposition', 'attachment; filename="list.csv"')
				.send(stream);
		},
	};
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
	const before = call.query.before || undefined;
	const isNarrowed = after !== undefined || before !== undefined || Object.keys(values).length > 0;
	return { asked: { values, after, before, isNarrowed }, problems };
}

/** On a narrow window, a list with more filters than this shows only the first of them at once. */
const MOST_FILTERS = 3;
const FIRST_FILTERS = 2;

interface Search {
	readonly action: string;
	readonly asked: Asked;
	readonly problems: Problems;
}

function searchPart(call: PortalCall, { filters, submit = 'words.show', noNumber }: SearchKind, search: Search): Html {
	const { action, asked, problems } = search;
	const fieldOf = ({ label, hint, choices, check: _, ...parts }: Filter) => {
		const { name } = parts;
		const shown = {
			...parts,
			label: call.say(label),
			hint: hint && call.say(hint),
			value: asked.values[name] ?? '',
			problem: problems[name],
		};
		return choices ? choiceField({ ...shown, options: choices(call) }) : field(shown);
	};
	const isShort = filters.length <= MOST_FILTERS;
	const [first, others] = isShort ? [filters, []] : [filters.slice(0, FIRST_FILTERS), filters.slice(FIRST_FILTERS)];
	const isOpen = others.some(({ name }) => asked.values[name] !== undefined || problems[name] !== undefined);
	const more =
		others.length > 0 &&
		html`<details class="filters"${isOpen && html` open`}><summary>${call.say('frame.moreFilters')}</summary>
${others.map(fieldOf)}</details>
`;
	const form = { action, submit: call.say(submit), body: [first.map(fieldOf), more] };
	return noNumber === undefined ? searchForm(form) : typedSearchForm(call, form);
}

async function listPart<Row>(call: PortalCall, kind: ListKind<Row>, asked: Asked, place: Place): Promise<Html> {
	const { live, caption, columns, none } = kind;
	const { rows, before, after, ...ends } = await kind.find(call, asked);
	const shown = {
		caption,
		isCaptionUnseen: caption === kind.title,
		columns: typeof columns === 'function' ? columns(place) : columns,
		none: typeof none === 'function' ? () => none(call, asked) : asked.isNarrowed ? ('frame.noneFits' as const) : none,
	};
	const table = tableOf(call, shown, rows);
	const path = filled(kind.path, call);
	const query = new URLSearchParams(asked.values as Record<string, string>);
	const narrowed = query.size > 0 ? `?${query}` : '';
	const file =
		kind.exported &&
		rows.length > 0 &&
		html`<p class="export"><a href="${path}/csv${narrowed}" data-whole>${call.say('frame.export')}</a></p>
`;
	const { values, after: begin, before: end } = asked;
	const list = html`${before}${table}${after}${pager(call, path, { ...values, after: begin, before: end }, ends)}${file}`;
	if (!live) return list;
	return livePart(live, { path: path + narrowed, isMoving: begin === undefined && end === undefined, body: list });
}

/** Reads where a page begins, if that is a number. */
export function numberOf(after: string | undefined): number | undefined {
	return after !== undefined && /^\d{1,15}$/.test(after) ? Number(after) : undefined;
}
