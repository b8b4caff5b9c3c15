import { z } from 'zod';
import { EXPIRY_FORMATS } from '../src/base/card/expiry.ts';
import { decodeMarkupText } from '../src/base/text/xml-text.ts';
import type { Format } from '../src/engine/format.ts';
import type { FieldReading } from './scan/held-card.ts';
import { trimDate } from './scan/markup/dates.ts';
import { MarkupScanner } from './scan/markup/markup.ts';
import { type MarkupSelectors, ownSelectors, selectorOption } from './scan/markup/selectors.ts';
import { usualSelectors } from './scan/markup/usual.ts';

const options = z.strictObject({
	/** The selectors say where cards are, in place of the usual names. */
	selectors: z.array(selectorOption).min(1).max(50).optional(),
	/** Tells how an expiry in one field is written. Without this option, the shape of the date decides. */
	expiryFormat: z.enum(EXPIRY_FORMATS).optional(),
});

export type TadcOptions = z.infer<typeof options>;

function selectorsOf(selectors: TadcOptions['selectors'], reading: FieldReading): MarkupSelectors {
	return selectors === undefined ? usualSelectors(reading) : ownSelectors(selectors, reading);
}

/**
 * This format reads travel agency data capture XML: the layout of American Express, and any other layout by the usual
 * names of its fields or by selectors.
 */
export const tadc: Format<TadcOptions> = {
	filter: 'TADC',
	tokenCase: 'lower',
	options,
	scanner: ({ selectors, expiryFormat }) =>
		new MarkupScanner(selectorsOf(selectors, { expiryFormat, decode: decodeMarkupText, trimDate })),
	escapes: 'markup',
	decode: decodeMarkupText,
};
