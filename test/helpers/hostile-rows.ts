// Generates delimited files as careful and careless programs write them.

import fc from 'fast-check';
import {
	cardType,
	cvv,
	expiry,
	type GeneratedFile,
	latin1,
	lineEnds,
	month,
	name,
	number,
	otherText,
	reference,
	year,
} from './hostile-values.ts';

interface Writing {
	readonly delimiter: string;
	readonly quote: string;
	readonly escape: 'double' | 'backslash';
}

/** Returns a cell as some program may write it. `style` chooses between careful and careless ways. */
function writeCell(value: string, style: number, writing: Writing): string {
	const { delimiter, quote } = writing;
	const isDoubled = writing.escape === 'double';
	const needsQuotes = value.includes(delimiter) || /[\r\n]/.test(value) || value.trimStart().startsWith(quote);
	const sign = isDoubled ? quote : '\\';
	const inside = isDoubled ? value : value.replaceAll('\\', '\\\\');
	const quoted = quote + inside.replaceAll(quote, sign + quote) + quote;
	if (style === 0) return quoted;
	if (style === 1) return ` ${quoted}  `;
	if (needsQuotes) return quoted;
	if (style === 2) return `="${value}"`.includes(delimiter) || quote === "'" ? quoted : `="${value}"`;
	if (style === 3 && quote !== "'") return `'${value}`;
	if (style === 4) return ` ${value} `;
	return value;
}

const FIELD_CELLS: Record<string, fc.Arbitrary<string>> = {
	number,
	expiry,
	month,
	year,
	cvv,
	type: cardType,
	name,
	reference,
	other: otherText,
};

/** Generates a spelling of a header's name: case, blanks, hyphens and dots do not count. */
const spelled = (names: readonly string[]) =>
	fc
		.tuple(fc.constantFrom(...names), fc.nat(4))
		.map(([text, way]) =>
			way === 0
				? text.toUpperCase()
				: way === 1
					? text.replace(/(?<=[a-z])(?=[A-Z])/g, '_')
					: way === 2
						? ` ${text.toLowerCase()} `
						: way === 3
							? text.replaceAll(' ', '-.')
							: text,
		);

interface Column {
	readonly field: string;
	readonly name: string;
}

type Names = Readonly<Record<string, readonly string[]>>;

const columnsOf = (names: Names): fc.Arbitrary<Column[]> => {
	const column = (field: string) => spelled(names[field]).map((text) => ({ field, name: text }));
	const optional = fc.subarray(Object.keys(names).filter((field) => field !== 'number'));
	const others = fc.array(
		fc.constantFrom('TicketNo', 'Amount', 'X', '').map((text) => ({ field: 'other', name: text })),
		{ maxLength: 3 },
	);
	return fc
		.tuple(column('number'), fc.option(column('number'), { nil: undefined }), optional, others)
		.chain(([first, second, fields, rest]) =>
			fc.tuple(...fields.map(column)).chain((found) => {
				const all = [first, ...(second ? [second] : []), ...found, ...rest];
				return fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length });
			}),
		);
};

interface Delimited {
	readonly names: Names;
	readonly writing: fc.Arbitrary<Writing>;
	readonly controls: readonly string[];
	optionsOf(writing: Writing, columns: readonly Column[]): object | undefined;
}

function delimited({ names, writing, controls, optionsOf }: Delimited): fc.Arbitrary<GeneratedFile> {
	return fc
		.tuple(columnsOf(names), writing)
		.chain(([columns, chosen]) => {
			const cells = columns.map(({ field }) =>
				fc.tuple(FIELD_CELLS[field], fc.nat(9)).map(([value, style]) => writeCell(value, style, chosen)),
			);
			const row = fc.oneof(
				{ weight: 8, arbitrary: fc.tuple(...cells).map((found) => found.join(chosen.delimiter)) },
				{ weight: 1, arbitrary: fc.tuple(...cells.slice(0, 1)).map((found) => found.join(chosen.delimiter)) },
				{
					weight: 1,
					arbitrary: fc.tuple(...cells).map((found) => found.join(chosen.delimiter) + chosen.delimiter.repeat(2)),
				},
				{
					weight: 1,
					arbitrary: fc.constantFrom('', ' ', ...controls.map((text) => text.replaceAll(',', chosen.delimiter))),
				},
			);
			return fc.record({
				rows: fc.array(row, { maxLength: 8 }),
				ends: lineEnds,
				hasLastEnd: fc.boolean(),
				hasBom: fc.boolean(),
				header: fc.constant(columns.map((column) => writeCell(column.name, 9, chosen)).join(chosen.delimiter)),
				before: fc.array(fc.constantFrom('', ...controls.map((text) => text.replaceAll(',', chosen.delimiter))), {
					maxLength: controls.length > 0 ? 2 : 0,
				}),
				options: fc.constant(optionsOf(chosen, columns)),
			});
		})
		.filter(({ options }) => options !== undefined)
		.map(({ rows, ends, hasLastEnd, hasBom, header, before, options }) => {
			const lines = [...before, header, ...rows];
			const text = lines
				.map((line, i) => (i === lines.length - 1 && !hasLastEnd ? line : line + ends[i % ends.length]))
				.join('');
			return { bytes: latin1((hasBom ? '\u00ef\u00bb\u00bf' : '') + text), options: options! };
		});
}

const rfc4180 = fc.constantFrom(',', ';', '\t', '|').map(
	(delimiter): Writing => ({
		delimiter,
		quote: '"',
		escape: 'double',
	}),
);
const anyWriting = fc.record<Writing>({
	delimiter: fc.constantFrom(',', ';', '\t', '|', ' ', '~', '\u00a7'),
	quote: fc.constantFrom('"', "'"),
	escape: fc.constantFrom('double', 'backslash'),
});

export const simplecsv = delimited({
	names: {
		number: ['CardNumber'],
		expiry: ['ExpirationDate'],
		month: ['ExpirationMonth'],
		year: ['ExpirationYear'],
		cvv: ['CVV'],
		type: ['CardType'],
		name: ['NameOnCard'],
		reference: ['Reference'],
	},
	writing: rfc4180,
	controls: [],
	optionsOf: ({ delimiter }) => ({ delimiter }),
});

export const gbt = delimited({
	names: {
		number: ['Card Number', 'BTA Account Number', 'Billing Account Number', 'FOP Number'],
		expiry: ['Card Expiry Date', 'Billing Expiry Date', 'Expiration Date'],
		month: ['Expiry Month'],
		year: ['Expiry Year'],
		cvv: ['CVV', 'CID'],
		type: ['Card Type', 'Card Code'],
		name: ['Cardholder Name'],
	},
	writing: rfc4180,
	controls: ['H,GBT,20200001', 'T,000001,538.02', 'T,4111111111111111,1'],
	optionsOf: ({ delimiter }) => ({ delimiter }),
});

export const csv = delimited({
	names: {
		number: ['KartenNr'],
		expiry: ['G\u00fcltig'],
		cvv: ['Pr\u00fcfziffer'],
		type: ['Marke'],
		name: ['Inhaber'],
		reference: ['Buchung'],
	},
	writing: anyWriting,
	controls: [],
	optionsOf: (writing, columns) => {
		const keys = { number: 'cardNumber', type: 'cardType', name: 'nameOnCard' } as Record<string, string>;
		const numbers = columns.flatMap(({ field }, index) => (field === 'number' ? [index] : []));
		const others = columns.flatMap(({ field }, index) =>
			field === 'number' || field === 'other' ? [] : [[keys[field] ?? field, { index }] as const],
		);
		const [first, ...rest] = numbers.map((index) => ({ cardNumber: { index } }));
		if (writing.delimiter === writing.quote) return undefined;
		return { ...writing, columns: { ...first, ...Object.fromEntries(others) }, groups: rest };
	},
});
