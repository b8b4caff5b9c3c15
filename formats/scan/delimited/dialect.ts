import { z } from 'zod';
import { isCheapPattern } from './pattern.ts';

/** Tells how cells and rows are separated. The values are bytes, and -1 means none. */
export interface Dialect {
	/** The byte between two cells; -1 chooses the one of `, ; tab |` that occurs most in the header row. */
	readonly delimiter: number;
	readonly quote: number;
	/** True if a quote inside quotes is escaped by a backslash instead of being doubled. */
	readonly hasBackslashEscapes: boolean;
	/** True if blanks between a delimiter and a quote are ignored, so that the quote still opens the cell. */
	readonly trim: boolean;
	/** This many lines before the first row are not read. */
	readonly skipLines: number;
	/** A row that begins with these bytes is skipped; if empty, no row is skipped. */
	readonly comment: Buffer;
	/** Rows whose beginning matches this pattern are skipped. */
	readonly skipRowsMatching?: RegExp;
}

const AUTO_DELIMITER = 'auto';

export const delimiterOption = z
	.string()
	.refine((text) => text === AUTO_DELIMITER || isDelimiter(text), {
		message: 'must be "auto" or a single byte other than a line end, quote, backslash, letter or digit',
	})
	.default(AUTO_DELIMITER);

/** Lists the options of a dialect as a user writes them. */
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

/** Converts checked options to a dialect. */
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
