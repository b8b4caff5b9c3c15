import { z } from 'zod';
import type { Format } from '../src/engine/format.ts';
import { decodeCell } from './scan/delimited/cell.ts';
import { type DelimitedLayout, DelimitedScanner } from './scan/delimited/delimited.ts';
import { delimiterOption, dialectOf, RFC_4180 } from './scan/delimited/dialect.ts';
import { aliasesOption, namingRule } from './scan/delimited/header/aliases.ts';
import {
	HEADER_WITHIN,
	hasNamedColumns,
	mappingOptions,
	mappingRule,
	mappingsOf,
	refuseClashes,
} from './scan/delimited/header/mapping.ts';

const options = z
	.strictObject({
		delimiter: delimiterOption,
		/** The number of the header line, counted from 1. If it is absent, the scanner looks for the header. */
		headerLine: z.int().min(1).max(10_000).optional(),
		aliases: aliasesOption,
		...mappingOptions,
	})
	.refine((given) => !hasNamedColumns(mappingsOf(given)), {
		message: 'columns and groups are for files without a header row, so they take an index; for names use aliases',
	})
	.superRefine(refuseClashes);

export type GbtOptions = z.infer<typeof options>;

/**
 * This format reads business travel bookings: a control row, a header row, rows with several account numbers each, and
 * a trailer with totals.
 */
export const gbt: Format<GbtOptions> = {
	filter: 'GBT',
	tokenCase: 'lower',
	options,
	scanner: (given, direction) => new DelimitedScanner(layoutOf(given), direction),
	decode: decodeCell,
};

function layoutOf({ delimiter, headerLine, aliases, ...mapping }: GbtOptions): DelimitedLayout {
	const mappings = mappingsOf(mapping);
	const skipLines = headerLine === undefined ? 0 : headerLine - 1;
	const within = headerLine === undefined ? HEADER_WITHIN : 1;
	return {
		dialect: dialectOf({ ...RFC_4180, delimiter, skipLines }),
		header: mappings.length > 0 ? mappingRule(mappings, false) : namingRule({ own: aliases, within }),
		hasControlRows: true,
		advice: 'designate the columns by index (options columns or groups)',
	};
}
