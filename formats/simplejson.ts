import { z } from 'zod';
import { EXPIRY_FORMATS } from '../src/base/card/expiry.ts';
import { decodeJsonText } from '../src/base/text/json-text.ts';
import type { Format } from '../src/engine/format.ts';
import { JsonScanner } from './scan/json/json.ts';
import { jsonNames, keysOption } from './scan/json/names.ts';

const options = z.strictObject({
	keys: keysOption.optional(),
	/** Tells how an `expirationDate` is written. Without this option, the shape of the date decides. */
	expiryFormat: z.enum(EXPIRY_FORMATS).optional(),
});

export type SimpleJsonOptions = z.infer<typeof options>;

/** This format reads JSON with card objects: a value, an array, NDJSON or concatenated values (formats §7). */
export const simplejson: Format<SimpleJsonOptions> = {
	filter: 'SIMPLEJSON',
	tokenCase: 'lower',
	options,
	scanner: ({ keys, expiryFormat }) => new JsonScanner(jsonNames(keys), { expiryFormat, decode: decodeJsonText }),
	escapes: 'json',
	decode: decodeJsonText,
};
