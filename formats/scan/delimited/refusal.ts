// Composes the error for a file in whose first rows no header was found.

import { nearestNumberName } from '../../../src/base/card/names/nearest-name.ts';
import { FileError } from '../../../src/engine/format.ts';
import type { Resolution } from './header/columns.ts';
import { type HeaderName, listNames } from './header/name.ts';

/** Describes a row that was examined as a header. */
export interface SeenRow {
	readonly offset: number;
	readonly line: number;
	readonly record: number;
	readonly names: readonly HeaderName[];
	/** True if a cell has enough digits for a card number. */
	readonly hasNumber: boolean;
	readonly resolution?: Resolution;
	/** The error that occurred while the row was read, if any. */
	readonly error?: FileError;
}

/** At most this many suggestions are listed. */
const MAX_NEAR = 3;

/**
 * Returns the error for rows of which none is a header. It describes the row that looks most like a header, lists its
 * names and suggests the names of the vocabulary that are closest. It never shows what may be card data.
 */
export function refusalOf(seen: readonly SeenRow[], advice: string): FileError {
	const unreadable = seen.find(({ error }) => error !== undefined);
	if (unreadable?.error !== undefined) return unreadable.error;
	const firstOfData = seen.findIndex(({ hasNumber }) => hasNumber);
	const above = firstOfData < 0 ? seen : seen.slice(0, firstOfData);
	const row = likeliest(above, firstOfData < 0 ? undefined : seen[firstOfData]);
	if (row === undefined) return missingHeader(seen[Math.max(0, firstOfData)], firstOfData === 0, advice);
	const { resolution, names, offset, line, record } = row;
	const isProblem = resolution !== undefined && 'problem' in resolution;
	const problem = isProblem ? resolution.problem : 'no column is surely named as a card number';
	const where = seen.length > 1 ? `none of the first ${seen.length} rows is a header: ` : '';
	const field = isProblem ? resolution.field : undefined;
	const listed = field === undefined && !(isProblem && resolution.isCertain);
	const text = listed ? `${where}${problem}; line ${line} holds ${listNames(names)}${nearNames(names)}` : problem;
	return new FileError(text, { offset, line, record, field }, { code: 'header-unclear' });
}

function missingHeader({ offset, line, record }: SeenRow, isFirst: boolean, advice: string): FileError {
	const which = isFirst ? 'its first row holds' : `line ${line} holds`;
	const text = `the file has no header row: ${which} numbers where names are expected; ${advice}`;
	return new FileError(text, { offset, line, record }, { code: 'header-missing' });
}

/**
 * Returns the row above the data that has most of the requested columns, or most names. A title above the data is
 * ignored.
 */
function likeliest(rows: readonly SeenRow[], data: SeenRow | undefined): SeenRow | undefined {
	const fewest = data === undefined ? 1 : Math.min(2, data.names.length);
	let best: SeenRow | undefined;
	for (const row of rows) {
		const count = namesIn(row);
		if (data !== undefined && count < fewest) continue;
		if (best === undefined || matchedIn(row) - matchedIn(best) > 0) best = row;
		else if (matchedIn(row) === matchedIn(best) && count > namesIn(best)) best = row;
	}
	return best;
}

function namesIn({ names }: SeenRow): number {
	return names.filter(({ isNameLike }) => isNameLike).length;
}

function matchedIn({ resolution }: SeenRow): number {
	return resolution !== undefined && 'problem' in resolution ? (resolution.matched ?? 0) : 0;
}

function nearNames(names: readonly HeaderName[]): string {
	const near = names
		.filter(({ isNameLike }) => isNameLike)
		.flatMap((name) => {
			const known = nearestNumberName(name.text);
			return known === undefined ? [] : [`"${name.shown}" is nearly "${known}"`];
		});
	return near.length === 0 ? '' : `; ${near.slice(0, MAX_NEAR).join(', ')}`;
}
