import { z } from 'zod';
import { isCheapPattern } from './pattern.ts';

/** How cells and rows are told apart. Bytes; -1 where there is none. */
export interface Dialect {
	/** -1: the one of `, ; tab |` that occurs most in the header row. */
	readonly delimiter: number;
	readonly quote: number;
	/** Inside quotes a quote is escaped by a backslash instead of being doubled. */
	readonly hasBackslashEscapes: boolean;
	/** Blanks between a delimiter and an opening quote do not keep the quote from opening. */
	readonly trim: boolean;
	/** Lines before the first row that are not looked at. */
	readonly skipLines: number;
	/** A row that starts so is passed over; empty for none. */
	readonly comment: Buffer;
	/** Rows whose beginning matches are passed over. */
	readonly skipRowsMatching?: RegExp;
}

const AUTO_DELIMITER = 'auto';

export const delimiterOption = z
	.string()
	.refine((text) => text === AUTO_DELIMITER || isDelimiter(text), {
		message: 'must be "auto" or a single byte other than a line end, quote, backslash, letter or digit',
	})
	.default(AUTO_DELIMITER);

/** The options of a dialect, as one writes them. */
export const dialectOptions = {
	delimiter: delimiterOption,
	quote: z.enum(['"', "'", 'none']).default('"'),
	escape: z.enum(['double', 'backslash']).default('double'),
	trim: z.boolean().default(true),
	skipLines: z.int().min(0).max(1_000_000).default(0),
	comment: z
		.string()
		.regex(/^[\x21-\x7e]{1,16}$/, 'must be 1 to 16 visible ASCII characters')
		.optional(),
	skipRowsMatching: z
		.string()
		.max(200)
		.refine(isCheapPattern, {
			message:
				'must be a regular expression without repeated groups or back references, and with few repetitions and choices',
		})
		.optional(),
};

export type DialectOptions = z.infer<z.ZodObject<typeof dialectOptions>>;

export const RFC_4180: DialectOptions = {
	delimiter: AUTO_DELIMITER,
	quote: '"',
	escape: 'double',
	trim: true,
	skipLines: 0,
};

/** The dialect that checked options mean. */
export function dialectOf(options: DialectOptions): Dialect {
	return {
		delimiter: options.delimiter === AUTO_DELIMITER ? -1 : options.delimiter.charCodeAt(0),
		quote: options.quote === 'none' ? -1 : options.quote.charCodeAt(0),
		hasBackslashEscapes: options.escape === 'backslash',
		trim: options.trim,
		skipLines: options.skipLines,
		comment: Buffer.from(options.comment ?? '', 'latin1'),
		skipRowsMatching: options.skipRowsMatching === undefined ? undefined : new RegExp(options.skipRowsMatching),
	};
}

function isDelimiter(text: string): boolean {
	return text.length === 1 && text.charCodeAt(0) <= 0xff && !/[\0\r\n"'\\0-9A-Za-z]/.test(text);
}
