// The format of a file, as a query parameter.

import { Type } from '@sinclair/typebox';
import { ServiceError } from '../../errors.ts';
import { noted } from '../input/schema-notes.ts';
import type { HttpRooms } from '../rooms.ts';

/** The parameter; callers may write a format in any case, so that the schema does not check it. */
export function filterParameter({ formats }: Pick<HttpRooms, 'formats'>) {
	const description = 'Format of the file (spec §2.8): TADC, GBT, SIMPLECSV, SIMPLEJSON, AIR, IUR or CSV';
	return noted(Type.String({ description }), { ...filterShown({ formats }), example: 'SIMPLECSV' });
}

/** What the document shows of it. */
export function filterShown({ formats }: Pick<HttpRooms, 'formats'>) {
	return { shownAs: { type: 'string', enum: [...formats.keys()] } };
}

/** Returns the format in capitals. @throws ServiceError */
export function checkFilter({ formats }: Pick<HttpRooms, 'formats'>, given: string): string {
	const filter = given.toUpperCase();
	if (formats.has(filter)) return filter;
	throw new ServiceError('bad-input-data', {
		field: 'filter',
		problem: `expected one of ${[...formats.keys()].join(', ')}`,
	});
}
