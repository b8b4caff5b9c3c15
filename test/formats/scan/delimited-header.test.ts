import test from 'ava';
import { csv } from '../../../formats/csv.ts';
import { gbt } from '../../../formats/gbt.ts';
import { simplecsv } from '../../../formats/simplecsv.ts';
import { FileError, type Format } from '../../../src/engine/format.ts';
import { scanAll } from '../../helpers/scan.ts';
import { openVaultParts, swap } from '../../helpers/vault-parts.ts';

const VISA = '4111111111111111';
const MASTERCARD = '5555555555554444';
const formats = [csv, gbt, simplecsv] as unknown as Format<never>[];

/** Checks the cards of a file, each written as `line: number expiry CVV`, in every format and for windows of any size. */
const read = test.macro({
	exec(t, lines: string[], expected: string[], options: object = {}) {
		const bytes = Buffer.from(lines.join('\n'));
		const ofOptions = Object.keys(options).length > 0 ? [csv as unknown as Format<never>] : formats;
		for (const format of ofOptions) {
			for (const windowSizes of [undefined, [1], [7, 30]]) {
				const found = scanAll(format, format.options.parse(options), bytes, { windowSizes });
				const cards = found.map(
					({ line, number, expiry, cvv }) => `${line}: ${number.raw} ${expiry} ${cvv?.raw ?? '-'}`,
				);
				t.deepEqual(cards, expected);
			}
		}
	},
	title: (what) => `the header is found: ${what}`,
});

const table = ['Invoice;Date;Card Number;Expiry;CVV', `4444333322221111;01.01.2026;${VISA};12/29;123`];

test(
	'below a title with a key and a masked number',
	read,
	['Card Number:;XXXXXXXXXXXX1111', 'Period:;01/2026', '', ...table],
	[`5: ${VISA} 202912 123`],
);
test(
	'below a title with a masked number and its expiry',
	read,
	['Card Number:;XXXXXXXXXXXX1111;Expiry:;12/29', 'Period:;01/2026', ...table],
	[`4: ${VISA} 202912 123`],
);
test(
	'below a title in one cell',
	read,
	['Credit Card Numbers', 'Guest,Card Number,Expiry,CVV', `DUPONT,${VISA},12/29,123`],
	[`3: ${VISA} 202912 123`],
);
test(
	'below a title with a value of the same name',
	read,
	['Report:,Card Number', 'Merchant:,123456789012', 'Guest,Card Number,Expiry,CVV', `DUPONT,${VISA},12/29,123`],
	[`4: ${VISA} 202912 123`],
);
test(
	'below a title, though it names the number less surely',
	read,
	['Card Number:;XXXXXXXXXXXX1111', 'Guest;Card;Expiry;CVV', `DUPONT;${VISA};12/29;123`],
	[`3: ${VISA} 202912 123`],
);
test(
	'below a title that names as many fields',
	read,
	['Card Number:;XXXXXXXXXXXX1111', 'Invoice;Date;Card Number', `1;01.01.2026;${VISA}`],
	[`3: ${VISA} 0 -`],
);
test(
	'below a title, if an option names the column',
	read,
	['Card Number:;XXXXXXXXXXXX1111', ...table],
	[`3: ${VISA} 0 -`],
	{ columns: { cardNumber: { name: 'Card Number' } } },
);
test(
	'in a file of one column',
	read,
	['Card Number', VISA, '', MASTERCARD],
	[`2: ${VISA} 0 -`, `4: ${MASTERCARD} 0 -`],
);
test(
	'in a file of two columns, the first rows of which have no valid number',
	read,
	['Guest,Card Number', 'A,', 'B,CASH', 'C,4111111111111112', `D,${VISA}`],
	['4: 4111111111111112 0 -', `5: ${VISA} 0 -`],
);
test('a row above data is the header, though a second table with more fields follows', (t) => {
	for (const row of ['A,4111111111111112,123', 'A,411111******1111,123']) {
		const text = `Guest,Card Number,CVV\n${row}\nGuest,Card Number,CVV,Card Expiry\nB,${VISA},123,12/29\n`;
		t.throws(() => scanAll(csv, csv.options.parse({}), Buffer.from(text)), { message: /^line 3 is the header of a/ });
	}
});

test('a title above a header with two CVV columns does not become the header', (t) => {
	const text = `Credit Card Numbers\nCard Number,CVV,CID\n${VISA},123,4567\n`;
	t.throws(() => scanAll(gbt, gbt.options.parse({}), Buffer.from(text)), { message: /are both named as the CVV/ });
});

const booking = ['Booking,Card Number,Expiry,CVV', `1,${VISA},12/29,123`, ''];

test('a second table with its cards in other columns is refused with its line', (t) => {
	const second = [
		['Booking,Ticket Number,Issued,Void,Card Number,CVV', `2,5260012345679,,,${MASTERCARD},456`],
		['Booking,Card Number,CVV,Expiry', `2,${MASTERCARD},456,12/29`],
		['"Booking","Room","Card Number"', `2,101,${MASTERCARD}`],
	];
	for (const lines of second) {
		const bytes = Buffer.from([...booking, ...lines].join('\n'));
		for (const format of formats) {
			const scan = () => scanAll(format, format.options.parse({}), bytes);
			const error = t.throws(scan, {
				instanceOf: FileError,
				message:
					'line 4 is the header of a second table, which has its cards in other columns; send the tables as separate files',
			});
			t.like(error.at, { line: 4, record: 3 });
		}
	}
});

test('a second table is refused too where options name the columns', (t) => {
	const text = `${booking.join('\n')}\nBooking,Ticket,Card Number,CVV\n2,3,${MASTERCARD},456\n`;
	for (const columns of [
		{ cardNumber: { name: 'Card Number' }, cvv: { name: 'CVV' } },
		{ cardNumber: { index: 1 }, cvv: { index: 3 } },
	]) {
		t.throws(() => scanAll(csv, csv.options.parse({ columns }), Buffer.from(text)), {
			message: /^line 4 is the header/,
		});
	}
});

test(
	'equal headers may be repeated',
	read,
	[...booking, booking[0], `2,${MASTERCARD},12/29,456`, 'BOOKING,card number,expiry,cvv,Note', `3,${VISA},12/29,123`],
	[`2: ${VISA} 202912 123`, `5: ${MASTERCARD} 202912 456`, `7: ${VISA} 202912 123`],
);
test(
	'a remark with the name of a card number is no second header',
	read,
	[...booking, 'DUPONT,CASH,,Card Number', 'Booking,CASH,,', `3,${VISA},12/29,123`],
	[`2: ${VISA} 202912 123`, `6: ${VISA} 202912 123`],
);

test('a file with a second table, tokenized before, is detokenized as it was', (t) => {
	const bytes = Buffer.from([...booking, 'Booking,Ticket,Card Number', `2,${MASTERCARD},3`].join('\n'));
	t.is(scanAll(csv, csv.options.parse({}), bytes, { direction: 'detokenize' }).length, 2);
});

test('the header is the same on the way back', async (t) => {
	const parts = await openVaultParts(t);
	const engine = parts.engine(formats);
	const request = { filter: 'CSV', options: {} } as const;
	const bytes = Buffer.from(['Card Number:;XXXXXXXXXXXX1111', 'Period:;01/2026', '', ...table].join('\n'));
	const once = await swap(parts, engine, { ...request, direction: 'tokenize', bytes });
	t.regex(once.bytes.toString(), /;[0-9a-f]{32};12\/29;\*\*\*$/);
	const back = await swap(parts, engine, { ...request, direction: 'detokenize', bytes: once.bytes });
	t.is(back.bytes.toString().replace('***', '123'), bytes.toString());
});
