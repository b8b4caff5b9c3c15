import test from 'ava';
import fc from 'fast-check';
import { csv } from '../../../formats/csv.ts';
import { gbt } from '../../../formats/gbt.ts';
import { simplecsv } from '../../../formats/simplecsv.ts';
import { type Direction, Findings, type Format, type Scanner } from '../../../src/engine/format.ts';
import { fixtureCases } from '../../helpers/fixture-cases.ts';

const N = '4111111111111111';
const AMEX = '378282246310005';

/** Returns the notices that the scanner gives for a file in windows of `windowBytes`. */
function noticesOf(
	text: string | Buffer,
	{
		format = simplecsv as Format<never>,
		options = {},
		direction = 'tokenize' as Direction,
		windowBytes = 1_000_000,
	} = {},
): string[] {
	const bytes = typeof text === 'string' ? Buffer.from(text) : text;
	const found = new Findings();
	const scanner: Scanner = format.scanner(format.options.parse(options), direction);
	let settled = 0;
	for (let to = Math.min(windowBytes, bytes.length); ; to = Math.min(to + windowBytes, bytes.length)) {
		found.truncate(0);
		settled = scanner.scan(bytes, settled, to, to === bytes.length, found);
		if (to === bytes.length) return [...found.notices];
	}
}

const rows = (count: number, row: (i: number) => string) => Array.from({ length: count }, (_, i) => row(i)).join('\n');
const own = { format: csv as unknown as Format<never> };

test('an ordinary file has no notice', (t) => {
	const text = `CardNumber,ExpirationDate,CVV,Amount,Nights\n${rows(50, (i) => `${N},12/29,123,${100 + i},3`)}\n`;
	t.deepEqual(noticesOf(text), []);
});

test('a second expiry and a CVV that options leave out are told by name', (t) => {
	t.deepEqual(noticesOf(`Card Number,Card Expiry,Valid Thru\n${N},12/29,01/30\n`), [
		'By name "Valid Thru" looks like an expiry date and was not used: what stands there passes as it is',
		'By content "Valid Thru" looks like an expiry date and was not used: what stands there passes as it is',
	]);
	const options = { columns: { cardNumber: { name: 'Card Number' } } };
	t.deepEqual(noticesOf(`Card Number,CVC,Security Code\n${N},x,y\n`, { ...own, options }), [
		'By name "CVC", "Security Code" look like a security code and were not used: what stands there passes as it is',
	]);
	t.deepEqual(noticesOf(`CardNumber;Karte\n${N};${N}\n`, { options: { aliases: { cardNumber: ['Karte'] } } }), [
		'By name "CardNumber" looks like a card number and was not used: what stands there passes as it is',
	]);
});

test('a mistyped number below a name that may mean a card number is told by content', (t) => {
	const options = { columns: { cardNumber: { name: 'Card Number' } } };
	const told =
		'By content "Credit Card 2" looks like a card number and was not used: what stands there passes as it is';
	const of = (value: string) => noticesOf(`Card Number,Credit Card 2\n${N},${value}\n`, { ...own, options });
	for (const value of ['4111111111111113', '4111 1111 1111 1113', ' 3782-822463-10006'])
		t.deepEqual(of(value), [told], value);
	for (const value of ['Visa', '', '411111******1111', '2026112900017']) t.deepEqual(of(value), [], value);
});

test('a column of codes in which a few belong to another card of the row is told by content', (t) => {
	const codes = ['666', '984', '186', '0405', '022', '431', '710', '208'];
	const text = `Card Number,Secret\n${rows(codes.length, (i) => `${N},${codes[i]}`)}\n`;
	t.deepEqual(noticesOf(text), [
		'By content "Secret" looks like a security code and was not used: what stands there passes as it is',
	]);
});

test('a column of codes of cards in a column that is not designated is told by content', (t) => {
	const text = rows(4, (i) => `${N},${AMEX},${i}123`);
	t.deepEqual(noticesOf(`Card Number,Other,Secret\n${text}\n`), [
		'By content "Secret" looks like a security code and was not used: what stands there passes as it is',
	]);
});

test('a column of three digits, of four for American Express, is told by content', (t) => {
	const told = 'By content "Secret" looks like a security code and was not used: what stands there passes as it is';
	const text = (amex: string) =>
		`Card Number,Secret,Text\n${rows(30, (i) => (i % 3 === 0 ? `${N},${100 + i},x` : `${AMEX},${amex}${10 + i},x`))}\n,,999\n`;
	t.deepEqual(noticesOf(text('12')), [told]);
	t.deepEqual(noticesOf(text('1')), []);
	t.deepEqual(noticesOf(`Card Number,Secret\n${N},123\n`), [told]);
	t.deepEqual(noticesOf(`Card Number,Secret\n${rows(3, () => `${N},123.0`)}\n`), [told]);
});

test('a type column that holds codes is told, one of card codes is used, one value all the way down is neither', (t) => {
	t.deepEqual(noticesOf(`Card Number,Card Type\n${rows(5, (i) => `${N},12${i}`)}\n`), [
		'By content "Card Type" looks like a security code and was not used: what stands there passes as it is',
	]);
	t.deepEqual(noticesOf(`Card Number,Card Code\n${rows(5, (i) => `${N},12${i}`)}\n`), []);
	t.deepEqual(noticesOf(`Card Number,Shop\n${rows(30, () => `${N},978`)}\n`), []);
});

test('a column of months and years is told by content, dates and fractions are not', (t) => {
	const text = `Card Number,A,B,C,D\n${rows(9, (i) => `${N},0${i + 1}/29,0${i + 1}.29,0${i + 1}/12/2029,12${i}9`)}\n`;
	t.deepEqual(noticesOf(text), [
		'By content "A" looks like an expiry date and was not used: what stands there passes as it is',
	]);
});

test('a column without a header is told by its place', (t) => {
	const options = { header: false, delimiter: ',', columns: { cardNumber: { index: 0 } } };
	t.deepEqual(noticesOf(`${rows(5, (i) => `${N},12${i}`)}\n`, { ...own, options }), [
		'By content "column 2" looks like a security code and was not used: what stands there passes as it is',
	]);
});

test('words in a number column are counted and not refused one by one', (t) => {
	const text = `Card Number,Expiry\n${rows(40, () => 'VISA,')}\n${N},12/29\n-,\n0,\n`;
	t.deepEqual(noticesOf(text), [
		'In a card number column 40 cells hold words and no number: no card was looked for there',
	]);
});

test('notices never show content, and name a column with digits in it by its place', (t) => {
	const options = { columns: { cardNumber: { index: 0 } } };
	t.deepEqual(noticesOf(`Card,CVV 4567\n${N},123\n`, { ...own, options }), [
		'By name "column 2" looks like a security code and was not used: what stands there passes as it is',
		'By content "column 2" looks like a security code and was not used: what stands there passes as it is',
	]);
});

test('of two columns with one name, the notice says which is not used', (t) => {
	t.deepEqual(noticesOf(`Passport No,Expiry Date,Card Number,Expiry Date\n12AB,01/31,${N},12/29\n`), [
		'By name "Expiry Date" (column 2) looks like an expiry date and was not used: what stands there passes as it is',
		'By content "Expiry Date" (column 2) looks like an expiry date and was not used: what stands there passes as it is',
	]);
});

test('a column beyond the names of the header is told by its place', (t) => {
	t.deepEqual(noticesOf(`Card Number;Card Holder;Exp\n${N};X;12/29;123\n`), [
		'By content "column 4" looks like a security code and was not used: what stands there passes as it is',
	]);
});

test('windows change no notice', (t) => {
	const cases = [csv, gbt, simplecsv].flatMap((format) =>
		fixtureCases(format.filter)
			.filter(({ error, bytes }) => error === undefined && bytes.length > 0)
			.map((fixture) => ({ format: format as unknown as Format<never>, fixture })),
	);
	fc.assert(
		fc.property(fc.constantFrom(...cases), fc.integer({ min: 1, max: 200 }), ({ format, fixture }, windowBytes) => {
			const of = (bytes: number) =>
				noticesOf(fixture.bytes, { format, options: fixture.config, windowBytes: bytes }).join('\n');
			if (of(1_000_000) !== of(windowBytes)) throw new Error(`${fixture.filter}/${fixture.name} differs`);
		}),
		{ numRuns: 200 },
	);
	t.pass();
});

const onLines = (from: number, to: number) =>
	`A card number seems to be wrapped from line ${from} onto line ${to}: it was left as it is`;

const wraps = test.macro({
	exec(t, cell: string, expected: readonly string[]) {
		const text = `CardNumber,ExpirationDate,Note,CardType\n\n${AMEX},12/29,"${cell}",AX\n${AMEX},12/29,x,AX\n`;
		for (const windowBytes of [1, 50, 1_000_000]) t.deepEqual(noticesOf(text, { windowBytes }), expected);
		t.deepEqual(noticesOf(text, { direction: 'detokenize' }), []);
	},
	title: (_, cell) => `a cell of several lines: ${JSON.stringify(cell)}`,
});
test(wraps, '4111 1111\n1111 1111', [onLines(3, 4)]);
test(wraps, 'x 411111111111\r\n1111', [onLines(3, 4)]);
test(wraps, 'a\n12 4111-1111 \r  1111-1111 1229', [onLines(4, 5)]);
test(wraps, '\n4111\n1111\n1111\n1111\n', [onLines(4, 7)]);
test(wraps, 'Visa: 411111\n111111\n1111.', [onLines(3, 5)]);
test(wraps, '4111 1111\n1111 1112', []);
test(wraps, '4111 1111\nx 1111 1111', []);
test(wraps, '4111\n1111\n1111\n1111\n2222', []);
test(wraps, '4111111111111111\n110\n', []);
test(wraps, '+49 4111 111\n2026-11-22\n1111', []);

test('a number of a card column that a line end breaks is that card, and not told as one that was left', (t) => {
	const text =
		'CardNumber,ExpirationDate,CardType\n"4111 1111\n1111 1111",12/29,VI\n"4111\n1111\n1111\n1111",12/29,VI\n';
	t.deepEqual(noticesOf(text), []);
	t.deepEqual(noticesOf(`CardNumber,ExpirationDate,CardType\n4111 1111,12/29,VI\n1111 1111,12/29,VI\n`), []);
});
