// IUR: Sabre Interface User Records (formats §4). Layout, rules and limits: docs/formats/iur.md.

import { z } from 'zod';
import type { Format } from '../src/transfer/format.ts';
import { type IurOptions, IurReader } from './iur-reader.ts';
import { hasColumns } from './iur-sections.ts';
import { freeTextOptions } from './scan/free-text-options.ts';
import { LineScanner, startOfLine } from './scan/lines.ts';

const options = z.strictObject({
	...freeTextOptions,
	/**
	 * What happens where a token is longer than its columns (M0 to M4, MG): it is put behind the fixed line. Widening the field
	 * instead would shift every later column under its readers, so it is not offered.
	 */
	fixedOverflow: z.literal('tail').default('tail'),
});

export const iur: Format<IurOptions> = {
	filter: 'IUR',
	tokenCase: 'upper',
	options,
	scanner: (chosen) => new LineScanner(new IurReader(chosen)),
	// The columns of some lines must stay where they are, so that a plain token fits nowhere in them.
	shapeAt: (bytes, start, _end, from, to) =>
		hasColumns(bytes, startOfLine(bytes, from, start), to) ? 'columns' : 'plain',
};
