import test from 'ava';
import { decodeCell, ValueSpan } from '../../../formats/scan/delimited/cell.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');

const number = test.macro({
	exec(t, cell: Buffer, expected: string) {
		const { start, end } = new ValueSpan().number(cell, 0, cell.length);
		t.is(cell.toString('latin1', start, end), expected);
	},
	title: (what) => `the number in a cell: ${what}`,
});

test('nothing', number, latin1(''), '');
test('bare', number, latin1('4111'), '4111');
test('blanks and tabs around', number, latin1(' \t4111\r\n '), '4111');
test('Latin-1 non-breaking spaces around', number, latin1('\xa0\xa04111\xa0\xa0'), '4111');
test('UTF-8 non-breaking spaces around', number, Buffer.from('\u00a0 4111 \u00a0'), '4111');
test('a formula of text', number, latin1('="4111"'), '4111');
test('a formula of text with doubled quotes', number, latin1('=""4111""'), '4111');
test('a formula of a number', number, latin1('=4111'), '4111');
test('a leading apostrophe', number, latin1("'4111"), '4111');
test('apostrophes on both sides', number, latin1("'4111'"), '4111');
test('literal quotes after a blank', number, latin1(' " 4111 " '), '4111');
test('thin and wide blanks around', number, Buffer.from('\u2009\u30004111\u202f'), '4111');
test('the fraction of a column of numbers', number, latin1('4111.0'), '4111');
test('two digits of it, within a formula', number, latin1('="4111.00"'), '4111');
test('the fraction of a CVV that has become stars', number, latin1('***.0'), '***');
test('a year behind a point', number, latin1('12.2030'), '12.2030');
test('points in place of digits', number, latin1('4111....0'), '4111....0');
test('blanks only', number, latin1(' \xa0 '), '');
test('quotes only', number, latin1('=""""'), '');
test('spreadsheet notation as it is', number, latin1('4.11111E+15'), '4.11111E+15');
test('masked', number, latin1('****1111'), '****1111');

test('a name keeps a last letter whose UTF-8 ends in A0', (t) => {
	const cell = Buffer.from(' VOILà ');
	const { start, end } = new ValueSpan().text(cell, 0, cell.length);
	t.is(cell.toString('utf8', start, end), 'VOILà');
});

/** Checks how a span of a cell is decoded; `[…]` marks the span in the text. */
const decoded = test.macro({
	exec(t, text: string, expected: string) {
		const start = text.indexOf('[');
		const bytes = latin1(text.replace('[', '').replace(']', ''));
		t.is(decodeCell(bytes, start, text.indexOf(']') - 1).toString('latin1'), expected);
	},
	title: (_, text) => `decoding ${JSON.stringify(text)}`,
});

test(decoded, ',"[A ""B"" C]",', 'A "B" C');
test(decoded, ",'[O''NEIL ''''X]',", "O'NEIL ''X");
test(decoded, ',"[A \\"B\\" \\\\]",', 'A "B" \\');
test(decoded, ',"[\\"\\"]",', '""');
test(decoded, ',"[DOMAIN\\user]",', 'DOMAIN\\user');
test(decoded, ',"[\\""]",', '\\"');
test(decoded, ',[5"" pipe],', '5"" pipe');
test(decoded, ',[a\\\\b],', 'a\\\\b');
test(decoded, '"[""x""]"', '"x"');
test(decoded, ',[VOIL\xc3\xa0 \xa0x],', 'VOIL\xc3\xa0 \xa0x');
