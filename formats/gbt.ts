import { z } from 'zod';
import type { Format } from '../src/transfer/format.ts';
import { type DelimitedLayout, delimitedScanner } from './scan/delimited.ts';
import { type Aliases, aliasesOption, aliasRule, withAliases } from './scan/delimited-aliases.ts';
import { decodeCell } from './scan/delimited-cell.ts';
import { delimiterOption, dialectOf, RFC_4180 } from './scan/delimited-dialect.ts';
import { hasNamedColumns, mappingOptions, mappingRule, mappingsOf, refuseClashes } from './scan/delimited-mapping.ts';

/** What a GBT header calls its columns (formats §6). */
export const GBT_ALIASES: Aliases = {
	cardNumber: [
		'Card Number',
		'Credit Card Number',
		'Card Account Number',
		'Cardmember Account Number',
		'Originating CM Account Number',
		'Billing Account Number',
		'BTA Account Number',
		'FOP Number',
	],
	expiry: ['Card Expiry Date', 'Expiry Date', 'Expiration Date'],
	expirationMonth: ['Expiry Month'],
	expirationYear: ['Expiry Year'],
	cvv: ['CVV', 'CID'],
	cardType: ['Card Type', 'Card Code'],
	nameOnCard: ['Cardholder Name'],
	reference: [],
};

/** The header row is among the first ten: a control row and blank or title rows may come before it. */
const HEADER_WITHIN = 10;

const options = z
	.strictObject({
		delimiter: delimiterOption,
		/** The line the header stands on, from 1; without it the header is looked for. */
		headerLine: z.int().min(1).max(10_000).optional(),
		aliases: aliasesOption,
		...mappingOptions,
	})
	.refine((given) => !hasNamedColumns(mappingsOf(given)), {
		message: 'columns and groups are for files without a header row, so they take an index; for names use aliases',
	})
	.superRefine(refuseClashes);

export type GbtOptions = z.infer<typeof options>;

/** Business travel bookings: a control row, a header row, several account numbers in a row, a trailer with totals. */
export const gbt: Format<GbtOptions> = {
	filter: 'GBT',
	tokenCase: 'lower',
	options,
	scanner: (given) => delimitedScanner(layoutOf(given)),
	decode: decodeCell,
};

function layoutOf({ delimiter, headerLine, aliases, ...mapping }: GbtOptions): DelimitedLayout {
	const mappings = mappingsOf(mapping);
	const skipLines = headerLine === undefined ? 0 : headerLine - 1;
	const within = headerLine === undefined ? HEADER_WITHIN : 1;
	return {
		dialect: dialectOf({ ...RFC_4180, delimiter, skipLines }),
		header: mappings.length > 0 ? mappingRule(mappings, false) : aliasRule(withAliases(GBT_ALIASES, aliases), within),
		hasControlRows: true,
	};
}
