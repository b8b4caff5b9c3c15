import { z } from 'zod';
import type { Format } from '../src/engine/format.ts';
import { decodeCell } from './scan/delimited/cell.ts';
import { DelimitedScanner } from './scan/delimited/delimited.ts';
import { delimiterOption, dialectOf, RFC_4180 } from './scan/delimited/dialect.ts';
import { aliasesOption, namingRule } from './scan/delimited/header/aliases.ts';
import { HEADER_WITHIN } from './scan/delimited/header/mapping.ts';

const options = z.strictObject({ delimiter: delimiterOption, aliases: aliasesOption });

export type SimpleCsvOptions = z.infer<typeof options>;

/** This format reads one card a row, under a header row of known names (docs/formats/names.md). */
export const simplecsv: Format<SimpleCsvOptions> = {
	filter: 'SIMPLECSV',
	tokenCase: 'lower',
	options,
	scanner: ({ delimiter, aliases }, direction) =>
		new DelimitedScanner(
			{
				dialect: dialectOf({ ...RFC_4180, delimiter }),
				header: namingRule({ own: aliases, hasReference: true, within: HEADER_WITHIN }),
				hasControlRows: false,
				advice: 'the filter CSV takes such files, with header false and columns designated by index',
			},
			direction,
		),
	decode: decodeCell,
};
