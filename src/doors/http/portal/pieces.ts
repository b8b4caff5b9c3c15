// Writes the pieces of HTML of which the portal's pages are made.

import { type Html, type HtmlValue, html } from '../../../base/pages/html.ts';
import { csrfField } from './csrf.ts';
import { icon } from './look/icons.ts';
import type { OpenCall } from './portal-page.ts';

export type Tone = 'good' | 'bad' | 'busy' | 'plain';

export interface TableParts {
	/** Says what the table shows, for people who cannot see it. */
	readonly caption: string;
	readonly head: readonly string[];
	/** The rows of the table. The first cell of each row is the heading of the row. */
	readonly rows: readonly (readonly HtmlValue[])[];
	readonly id?: string;
	/** The columns whose cells are numbers, which stand beneath each other. */
	readonly figures?: ReadonlySet<number>;
	/** True if a heading of the page says the same as the caption. */
	readonly isCaptionUnseen?: boolean;
}

/** Returns a table. On a phone each row becomes a block, in which every cell has the heading of its column. */
export function table({ caption, head, rows, id, figures = new Set(), isCaptionUnseen = false }: TableParts): Html {
	const isWide = head.length > MOST_COLUMNS;
	const cell = (value: HtmlValue, index: number) => {
		const look = classOf(figures.has(index) ? 'figure' : lookOf(value, isWide ? SHORT : ONE_LINE));
		return index === 0
			? html`<th scope="row" data-head="${head[0]}"${look}>${value}</th>`
			: html`<td data-head="${head[index]}"${look}>${value}</td>`;
	};
	return html`<table${id !== undefined && html` id="${id}"`}${classOf(isWide && 'wide')}>
<caption${classOf(isCaptionUnseen && 'unseen')}>${caption}</caption>
<thead><tr>${head.map((text, index) => html`<th scope="col"${classOf(figures.has(index) && 'figure')}>${text}</th>`)}</tr></thead>
<tbody>
${rows.map((row) => html`<tr>${row.map(cell)}</tr>\n`)}</tbody>
</table>
`;
}

function classOf(look: string | false | undefined): HtmlValue {
	return look ? html` class="${look}"` : undefined;
}

/** With more columns than this, texts take more lines so that all columns fit. */
const MOST_COLUMNS = 6;
/** A text of up to this many characters always stands on one line of its cell. */
const SHORT = 14;
/** A text of up to this many does so on a wide window. */
const ONE_LINE = 24;

/** Returns how the text of a cell is broken: not at all, at blanks, or where it must be if a word is longer than `longest`. */
function lookOf(value: HtmlValue, longest: number): string | undefined {
	const markup = html`${value}`.toString();
	if (markup.includes('<time')) return 'when';
	const text = markup.replace(/<[^>]*>/g, '');
	if (text.length <= SHORT) return 'short';
	if (text.split(/[\s-]/).some((word) => word.length > longest)) return 'long';
	return text.length <= ONE_LINE ? 'whole' : undefined;
}

/** Returns texts about a form as one. */
export function joined(texts: readonly HtmlValue[]): Html {
	return html`${texts.map((text, nth) => html`${nth > 0 && '; '}${text}`)}`;
}

export interface FieldParts {
	readonly name: string;
	readonly label: string;
	readonly value?: string;
	readonly type?: 'text' | 'email' | 'password' | 'number' | 'date' | 'search' | 'file' | 'tel' | 'url';
	readonly hint?: string;
	/** The error message about the typed value; absent if there is no error. */
	readonly problem?: string | Html;
	readonly isRequired?: boolean;
	readonly autocomplete?: string;
	readonly maxLength?: number;
}

export function field(parts: FieldParts): Html {
	const { name, type = 'text', value, autocomplete, maxLength } = parts;
	return labelled(
		parts,
		html`<input id="${name}" name="${name}" type="${type}"${value !== undefined && html` value="${value}"`}${autocomplete !== undefined && html` autocomplete="${autocomplete}"`}${maxLength !== undefined && html` maxlength="${maxLength}"`}${stateOf(parts)}>`,
	);
}

export function textField(parts: FieldParts & { readonly rows?: number }): Html {
	const { name, value = '', rows = 8 } = parts;
	// The value begins on a new line, because a browser drops one line break at the start of the field.
	return labelled(
		parts,
		html`<textarea id="${name}" name="${name}" rows="${rows}" spellcheck="false"${stateOf(parts)}>
${value}</textarea>`,
	);
}

export interface ChoiceParts extends FieldParts {
	/** The values that can be chosen, each with its label. */
	readonly options: readonly (readonly [value: string, label: string])[];
}

export function choiceField(parts: ChoiceParts): Html {
	const options = parts.options.map(
		([value, label]) => html`<option value="${value}"${value === parts.value && html` selected`}>${label}</option>`,
	);
	return labelled(parts, html`<select id="${parts.name}" name="${parts.name}"${stateOf(parts)}>${options}</select>`);
}

export function tickField({ name, label, value = 'yes', hint }: FieldParts, isTicked: boolean): Html {
	return html`<div class="field tick"><input id="${name}" name="${name}" type="checkbox" value="${value}"${isTicked && html` checked`}${hint !== undefined && html` aria-describedby="${name}-hint"`}>
<label for="${name}">${label}</label>${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}</div>
`;
}

function labelled({ name, label, hint, problem }: FieldParts, control: Html): Html {
	return html`<div class="field"><label for="${name}">${label}</label>
${control}
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}${problem !== undefined && html`<p class="problem" id="${name}-problem" role="alert">${problem}</p>`}</div>
`;
}

function stateOf({ name, hint, problem, isRequired }: FieldParts): Html {
	const described = [hint !== undefined && `${name}-hint`, problem !== undefined && `${name}-problem`].filter(Boolean);
	return html`${isRequired && html` required`}${problem !== undefined && html` aria-invalid="true"`}${described.length > 0 && html` aria-describedby="${described.join(' ')}"`}`;
}

export interface FormParts {
	readonly action: string;
	readonly body: HtmlValue;
	readonly submit: string;
	readonly tone?: 'plain' | 'danger';
	readonly id?: string;
}

/** Returns a form that changes data, so it is posted with a CSRF token. */
export function form(call: Pick<OpenCall, 'viewer'>, { action, body, submit, tone, id }: FormParts): Html {
	return html`<form method="post" action="${action}"${id !== undefined && html` id="${id}"`}>${csrfField(call)}
${body}<button${tone !== undefined && html` class="${tone}"`}>${submit}</button></form>
`;
}

/**
 * Returns a form that searches by text that people type. It is posted, so that a card number that somebody types does not
 * get into the address (typed-search.ts).
 */
export function typedSearchForm(call: Pick<OpenCall, 'viewer'>, parts: FormParts): Html {
	return search('post', { ...parts, body: html`${csrfField(call)}${parts.body}` });
}

/** Returns a form that only chooses what a page lists: its fields become query parameters of the page. */
export function searchForm(parts: FormParts): Html {
	return search('get', parts);
}

function search(method: 'get' | 'post', { action, body, submit }: FormParts): Html {
	return html`<form method="${method}" action="${action}" class="search" role="search">${body}<button class="plain">${submit}</button></form>
`;
}

/** The pages before and after one of a list: where they end and begin. */
export interface Neighbours {
	/** The value of `before` in the address of the page before; undefined if none is known. */
	readonly previous?: string;
	/** The value of `after` in the address of the next page; undefined if this is the last one. */
	readonly next?: string;
}

/** Returns the links to the first, the previous and the next page of a list. Other query parameters stay as they are. */
export function pager(
	{ say }: Pick<OpenCall, 'say'>,
	path: string,
	query: Readonly<Record<string, string | undefined>>,
	{ previous, next }: Neighbours,
): Html {
	const link = (values: typeof query, label: string) => {
		const given = Object.entries(values).filter((pair): pair is [string, string] => !!pair[1]);
		const text = new URLSearchParams(given).toString();
		return html`<a href="${path}${text && `?${text}`}">${label}</a> `;
	};
	const isFirst = !query.after && !query.before;
	if (isFirst && next === undefined) return html``;
	return html`<p class="pager">${!isFirst && link({ ...query, after: undefined, before: undefined }, say('frame.first'))}${previous !== undefined && link({ ...query, after: undefined, before: previous }, say('frame.previous'))}${next !== undefined && link({ ...query, after: next, before: undefined }, say('frame.next'))}</p>
`;
}

/** Returns the text that a page shows in place of an empty list, with a hint how to begin. */
export function emptyState(text: string, more?: HtmlValue): Html {
	return html`<div class="empty">${icon('empty')}<p>${text}</p>${more}</div>
`;
}

/** Returns a message that a page shows at its top. */
export function notice(tone: 'good' | 'bad' | 'plain', text: HtmlValue): Html {
	return html`<p class="notice ${tone}" role="${tone === 'bad' ? 'alert' : 'status'}">${text}</p>
`;
}

export function badge(tone: Tone, text: string): Html {
	return html`<span class="badge ${tone}">${text}</span>`;
}

export function definitions(rows: readonly (readonly [name: string, value: HtmlValue])[]): Html {
	return html`<dl>
${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}</dl>
`;
}

/** Returns a time in UTC, in the format of a language. */
export function time(value: Date | number | string, language: string): Html {
	const date = new Date(value);
	const shape = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' } as const;
	const format = kept(times, language, () => new Intl.DateTimeFormat(language, shape));
	return html`<time datetime="${date.toISOString()}">${format.format(date)} UTC</time>`;
}

/** A number with its unit, or one that is a link, in a column of numbers. */
export class Figure {
	readonly shown: HtmlValue;

	constructor(shown: HtmlValue) {
		this.shown = shown;
	}
}

export function count(value: number, language: string): string {
	return kept(counts, language, () => new Intl.NumberFormat(language)).format(value);
}

/**
 * Formatters are kept, because creating one takes longer than using it a hundred times, and pages have hundreds of
 * cells.
 */
const times = new Map<string, Intl.DateTimeFormat>();
const counts = new Map<string, Intl.NumberFormat>();

function kept<Format>(formats: Map<string, Format>, language: string, make: () => Format): Format {
	let format = formats.get(language);
	if (!format) formats.set(language, (format = make()));
	return format;
}
