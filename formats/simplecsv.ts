import { z } from 'zod';
import type { Format } from '../src/transfer/format.ts';
import { delimitedScanner } from './scan/delimited.ts';
import { type Aliases, aliasesOption, aliasRule, withAliases } from './scan/delimited-aliases.ts';
import { decodeCell } from './scan/delimited-cell.ts';
import { delimiterOption, dialectOf, RFC_4180 } from './scan/delimited-dialect.ts';

/** What a SIMPLECSV header calls its columns (formats §7). */
export const SIMPLECSV_ALIASES: Aliases = {
	cardNumber: ['CardNumber'],
	expiry: ['ExpirationDate'],
	expirationMonth: ['ExpirationMonth'],
	expirationYear: ['ExpirationYear'],
	cvv: ['CVV'],
	cardType: ['CardType'],
	nameOnCard: ['NameOnCard'],
	reference: ['Reference'],
};

const options = z.strictObject({ delimiter: delimiterOption, aliases: aliasesOption });

export type SimpleCsvOptions = z.infer<typeof options>;

/** One card a row under a header row of known names. */
export const simplecsv: Format<SimpleCsvOptions> = {
	filter: 'SIMPLECSV',
	tokenCase: 'lower',
	options,
	scanner: ({ delimiter, aliases }) =>
		delimitedScanner({
			dialect: dialectOf({ ...RFC_4180, delimiter }),
			header: aliasRule(withAliases(SIMPLECSV_ALIASES, aliases), 1),
			hasControlRows: false,
		}),
	decode: decodeCell,
};
