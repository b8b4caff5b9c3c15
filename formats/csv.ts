import { z } from 'zod';
import type { Format } from '../src/engine/format.ts';
import { decodeCell } from './scan/delimited/cell.ts';
import { type DelimitedLayout, DelimitedScanner } from './scan/delimited/delimited.ts';
import { dialectOf, dialectOptions } from './scan/delimited/dialect.ts';
import { namingRule } from './scan/delimited/header/aliases.ts';
import {
	HEADER_WITHIN,
	hasNamedColumns,
	mappingOptions,
	mappingRule,
	mappingsOf,
	refuseClashes,
} from './scan/delimited/header/mapping.ts';

const options = z
	.strictObject({ ...dialectOptions, header: z.boolean().default(true), ...mappingOptions })
	.refine((given) => given.quote !== 'none' || given.escape === 'double', {
		message: 'escape has no meaning without a quote',
	})
	.refine((given) => given.header || mappingsOf(given).length > 0, {
		message: 'without a header row, columns or groups must say by index where the cards stand',
	})
	.refine((given) => given.header || !hasNamedColumns(mappingsOf(given)), {
		message: 'without a header row, columns are designated by index',
	})
	.superRefine(refuseClashes);

export type CsvOptions = z.infer<typeof options>;

/** This format reads any delimited file; an account or a folder says which columns hold cards (formats §8). */
export const csv: Format<CsvOptions> = {
	filter: 'CSV',
	tokenCase: 'lower',
	options,
	scanner: (given, direction) => new DelimitedScanner(layoutOf(given), direction),
	decode: decodeCell,
};

function layoutOf(given: CsvOptions): DelimitedLayout {
	const mappings = mappingsOf(given);
	return {
		dialect: dialectOf(given),
		header:
			mappings.length > 0
				? mappingRule(mappings, given.header)
				: namingRule({ hasReference: true, within: HEADER_WITHIN }),
		hasControlRows: false,
		advice: 'set the option header to false and designate the columns by index (options columns or groups)',
	};
}
