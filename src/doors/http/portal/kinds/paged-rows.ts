// Lists with pages in either direction, how many rows fit, and all of them as a file, of one declaration.

import type { ListPage } from '../../../../base/database/list-page.ts';
import { isUlid } from '../../../../base/database/ulid.ts';
import { type HtmlValue, html } from '../../../../base/pages/html.ts';
import { count } from '../pieces.ts';
import type { PortalCall } from '../portal-page.ts';
import type { Asked, Found, ListKind } from './list.ts';

/** Rows beyond this number are not counted. */
export const MOST_COUNTED = 10_000;
/** So many rows of a file are read at a time. */
const BATCH_LENGTH = 500;

/** Everything that fits one question. */
export interface Fitting<Row, Key> {
	/** Returns a page of it, in the order of the list. */
	list(page: ListPage<Key>): Promise<readonly Row[]>;
	count(most: number): Promise<number>;
}

export interface PagedRows<Row, Key extends string | number = string> {
	/** The most rows of a page. */
	readonly length: number;
	/** Asks for what fits values that the checks of the filters have passed. */
	ask(call: PortalCall, values: Asked['values']): Fitting<Row, Key> | Promise<Fitting<Row, Key>>;
	keyOf(row: Row): Key;
	/** Reads a key in the address of a page; undefined if it is none. */
	readKey(text: string): Key | undefined;
}

/** Reads the key of rows whose key is a ULID. */
export const ulidOf = (text: string) => (isUlid(text) ? text : undefined);

/** Returns a page of rows, with how many fit above them. */
export async function findPage<Row, Key extends string | number>(
	rows: PagedRows<Row, Key>,
	call: PortalCall,
	asked: Asked,
): Promise<Found<Row>> {
	const { length, keyOf } = rows;
	const fitting = await rows.ask(call, asked.values);
	const keyIn = (text: string | undefined) => (text === undefined ? undefined : rows.readKey(text));
	const [after, before] = [keyIn(asked.after), keyIn(asked.before)];
	const [found, counted] = await Promise.all([
		fitting.list({ after, before, limit: length + 1 }),
		fitting.count(MOST_COUNTED + 1),
	]);
	const isMore = found.length > length;
	// Read backwards, the row beyond the page is the first.
	const shown = before !== undefined && isMore ? found.slice(1) : found.slice(0, length);
	const [first, last] = [shown[0], shown.at(-1)];
	const hasPrevious = before === undefined ? after !== undefined : isMore;
	const hasNext = before !== undefined || isMore;
	return {
		rows: shown,
		next: hasNext && last !== undefined ? String(keyOf(last)) : undefined,
		previous: hasPrevious && first !== undefined ? String(keyOf(first)) : undefined,
		before: countPart(call, counted),
	};
}

/** Says how many rows fit, of which one more than `MOST_COUNTED` are counted at most. */
export function countPart({ say, language }: PortalCall, counted: number): HtmlValue {
	if (counted === 0) return false;
	const text =
		counted <= MOST_COUNTED
			? say('frame.found', { count: counted })
			: say('frame.foundMore', { count: count(MOST_COUNTED, language) });
	return html`<p class="count">${text}</p>
`;
}

/** What a file has of a row: a member by its name, or a value by what it is called there. */
type Cell<Row> = (keyof Row & string) | readonly [name: string, value: (row: Row) => unknown];

/** Declares the columns of a file with rows. Times are written as ISO texts. */
export function fileOf<Row>(...given: readonly Cell<Row>[]) {
	const cells = given.map((cell) =>
		typeof cell === 'string' ? ([cell, (row: Row): unknown => row[cell]] as const) : cell,
	);
	const written = (value: unknown) => (value instanceof Date ? value.toISOString() : value);
	return {
		columns: cells.map(([name]) => name),
		cellsOf: (row: Row) => Object.fromEntries(cells.map(([name, value]) => [name, written(value(row))])),
	};
}

/** Returns what a list has of such rows and of the file with all that fit. */
export function paged<Row, Key extends string | number>(
	rows: PagedRows<Row, Key>,
	{ columns, cellsOf }: ReturnType<typeof fileOf<Row>>,
): Pick<ListKind<Row>, 'find' | 'exported'> {
	return {
		find: (call, asked) => findPage(rows, call, asked),
		exported: {
			columns,
			async *rows(call, { values }, check) {
				const fitting = await rows.ask(call, values);
				let after: Key | undefined;
				for (;;) {
					await check();
					const found = await fitting.list({ after, limit: BATCH_LENGTH });
					for (const row of found) yield cellsOf(row);
					if (found.length < BATCH_LENGTH) return;
					after = rows.keyOf(found[found.length - 1]);
				}
			},
		},
	};
}
