// Reads the format of a file from the query.

import { Type } from '@sinclair/typebox';
import { badInput } from '../../../base/errors.ts';
import type { Format } from '../../../engine/format.ts';
import { noted } from '../input/schema-notes.ts';

/**
 * Returns the schema of the query parameter `filter`. The schema does not list the formats, because callers may write
 * them in upper or lower case.
 */
export function filterParameter({ formats }: { formats: ReadonlyMap<string, Format> }) {
	const description = 'Format of the file (spec §2.8): TADC, GBT, SIMPLECSV, SIMPLEJSON, AIR, IUR or CSV';
	return noted(Type.String({ description }), { ...filterShown({ formats }), example: 'SIMPLECSV' });
}

/** Because of this note on `filter`, the OpenAPI document lists all formats, which the schema does not. */
export function filterShown({ formats }: { formats: ReadonlyMap<string, Format> }) {
	return { shownAs: { type: 'string', enum: [...formats.keys()] } };
}

/**
 * Returns the format in capitals.
 * @throws ServiceError if there is no such format
 */
export function checkFilter({ formats }: { formats: ReadonlyMap<string, Format> }, given: string): string {
	const filter = given.toUpperCase();
	if (formats.has(filter)) return filter;
	throw badInput('filter', `expected one of ${[...formats.keys()].join(', ')}`);
}
