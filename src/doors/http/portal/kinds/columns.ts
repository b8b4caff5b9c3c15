// Declares what is shown of a thing: each column has a heading and the value of a thing. The same columns make a table of
// many things, or the facts of one.

import { type Html, type HtmlValue, html } from '../../../../base/pages/html.ts';
import { badge, count, definitions, emptyState, Figure, type Tone, table, time } from '../pieces.ts';
import type { OpenCall, PortalCall } from '../portal-page.ts';
import type { Say, TextKey } from '../texts.ts';
import { allOr } from './form-part.ts';
import { type Said, saidBy } from './group.ts';

export type CellValue = HtmlValue | Date | Figure;

export type Column<Row> = readonly [
	heading: Said<[call: PortalCall]>,
	/** The value in the cell. Times and numbers are written in the language of the page, and numbers are aligned. */
	value: (row: Row, call: PortalCall) => CellValue,
	/** Tells whether the viewer has the column; everybody has it unless given. */
	isShown?: (call: PortalCall) => boolean,
];

export interface TableKind<Row> {
	/** Says what the table shows, for people who cannot see it. */
	readonly caption: Said<[call: PortalCall]>;
	/** True if a heading of the page says the same as the caption. */
	readonly isCaptionUnseen?: boolean;
	/** The first column names the row. */
	readonly columns: readonly Column<Row>[];
	/** What stands in place of an empty table; nothing unless given. */
	readonly none?: TextKey | ((call: PortalCall) => Html);
}

/** Returns the table of some things, or what stands in its place if there are none. */
export function tableOf<Row>(
	call: PortalCall,
	{ caption, columns, none, isCaptionUnseen }: TableKind<Row>,
	rows: readonly Row[],
): Html {
	if (rows.length === 0) return typeof none === 'string' ? emptyState(call.say(none)) : (none?.(call) ?? html``);
	const shown = columns.filter(([, , isShown]) => isShown?.(call) ?? true);
	const cells = rows.map((row) => shown.map(([, value]) => value(row, call)));
	const isFigure = (index: number) =>
		cells.every((row) => typeof row[index] === 'number' || row[index] instanceof Figure);
	return table({
		caption: saidBy(call, caption, call),
		head: shown.map(([heading]) => saidBy(call, heading, call)),
		rows: cells.map((row) => row.map((value) => written(value, call))),
		isCaptionUnseen,
		figures: new Set(shown.keys().filter(isFigure)),
	});
}

/** Returns the facts of one thing. A fact whose value is undefined is left out. */
export function factsOf<Thing>(call: PortalCall, columns: readonly Column<Thing>[], thing: Thing): Html {
	const facts = columns.map(([heading, value]) => [saidBy(call, heading, call), value(thing, call)] as const);
	return definitions(
		facts.flatMap(([heading, value]) => (value === undefined ? [] : [[heading, written(value, call)] as const])),
	);
}

function written(value: CellValue, { language }: PortalCall): HtmlValue {
	if (value instanceof Figure) return value.shown;
	if (value instanceof Date) return time(value, language);
	return typeof value === 'number' ? count(value, language) : value;
}

/** The states of things, each with its colour. Their words have keys that begin with `prefix`. */
export function statesOf<Prefix extends string, State extends string>(
	prefix: Prefix & (`${Prefix}${State}` extends TextKey ? unknown : never),
	tones: Readonly<Record<State, Tone>>,
) {
	const wordOf = (say: Say, state: State) => say(`${prefix}${state}` as TextKey);
	return {
		badge: ({ say }: Pick<OpenCall, 'say'>, state: State) => badge(tones[state], wordOf(say, state)),
		/** Returns the choices of a filter: everything, for which `all` is the word, or one of the states. */
		choices:
			(all: TextKey) =>
			({ say }: PortalCall) =>
				allOr(say(all), Object.keys(tones) as State[], (state) => wordOf(say, state)),
	};
}

export function link(href: string, text: HtmlValue): Html {
	return html`<a href="${href}">${text}</a>`;
}
