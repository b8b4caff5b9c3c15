import { z } from 'zod';
import type { Format } from '../src/transfer/format.ts';
import { GBT_ALIASES } from './gbt.ts';
import { type DelimitedLayout, delimitedScanner } from './scan/delimited.ts';
import { aliasRule, unitedAliases } from './scan/delimited-aliases.ts';
import { decodeCell } from './scan/delimited-cell.ts';
import { dialectOf, dialectOptions } from './scan/delimited-dialect.ts';
import { hasNamedColumns, mappingOptions, mappingRule, mappingsOf, refuseClashes } from './scan/delimited-mapping.ts';
import { SIMPLECSV_ALIASES } from './simplecsv.ts';

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

/** Any delimited file, its columns designated by an account or a folder (formats §8). */
export const csv: Format<CsvOptions> = {
	filter: 'CSV',
	tokenCase: 'lower',
	options,
	scanner: (given) => delimitedScanner(layoutOf(given)),
	decode: decodeCell,
};

function layoutOf(given: CsvOptions): DelimitedLayout {
	const mappings = mappingsOf(given);
	return {
		dialect: dialectOf(given),
		header:
			mappings.length > 0
				? mappingRule(mappings, given.header)
				: aliasRule(unitedAliases(SIMPLECSV_ALIASES, GBT_ALIASES), 1),
		hasControlRows: false,
	};
}
