// Reads AIR, the Amadeus Interface Records (formats §3). Layout, rules and limits: docs/formats/air.md.

import { z } from 'zod';
import type { Format } from '../../src/engine/format.ts';
import { freeTextOptions } from '../scan/free-text.ts';
import { LineScanner } from '../scan/lines/lines.ts';
import { type AirOptions, AirReader } from './reader.ts';
import { isNeededTag } from './tags.ts';

const excludedTag = z
	.string()
	.regex(/^[A-Z0-9*/ -]{1,16}$/, 'capital letters, digits, blank, *, / and -, at most 16 characters')
	.refine((tag) => !isNeededTag(tag), 'AIR-BLK, END, ENDX, FP and MFP are always read');

const options = z.strictObject({
	...freeTextOptions,
	/** Lines that begin with one of these tags are not searched for cards. */
	excludedTags: z
		.array(excludedTag)
		.max(64)
		.default(() => []),
	/** True if numbers after `NUM-` are found too, as they appear on payment screens. */
	paymentScreen: z.boolean().default(false),
});

export const air: Format<AirOptions> = {
	filter: 'AIR',
	tokenCase: 'upper',
	hasNumberedLists: true,
	options,
	scanner: (chosen, direction) => new LineScanner(new AirReader(chosen), direction),
};
