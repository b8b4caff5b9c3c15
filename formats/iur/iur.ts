// Reads IUR, the Sabre Interface User Records (formats §4). Layout, rules and limits: docs/formats/iur.md.

import { z } from 'zod';
import type { Format } from '../../src/engine/format.ts';
import { freeTextOptions } from '../scan/free-text.ts';
import { LineScanner } from '../scan/lines/lines.ts';
import { type IurOptions, IurReader } from './reader.ts';

const options = z.strictObject({
	...freeTextOptions,
	/**
	 * A token that is longer than its columns (M0 to M4, MG) is appended after the fixed line. Widening the field would
	 * move every later column, which programs that read the file would not expect, so that is not offered.
	 */
	fixedOverflow: z.literal('tail').default('tail'),
});

export const iur: Format<IurOptions> = {
	filter: 'IUR',
	tokenCase: 'upper',
	hasNumberedLists: true,
	options,
	scanner: (chosen, direction) => new LineScanner(new IurReader(chosen), direction),
};
