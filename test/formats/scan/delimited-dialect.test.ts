import test from 'ava';
import { csv } from '../../../formats/csv.ts';
import { gbt } from '../../../formats/gbt.ts';
import { simplecsv } from '../../../formats/simplecsv.ts';
import { scanAll } from '../../helpers/scan.ts';

const columns = { cardNumber: { index: 0 } };

test('no options at all are the defaults', (t) => {
	t.deepEqual(csv.options.parse({}), {
		delimiter: 'auto',
		quote: '"',
		escape: 'double',
		trim: true,
		skipLines: 0,
		header: true,
	});
	t.deepEqual(simplecsv.options.parse({}), { delimiter: 'auto', aliases: {} });
	t.deepEqual(gbt.options.parse({}), { delimiter: 'auto', aliases: {} });
});

const refused = test.macro({
	exec: (t, options: Record<string, unknown>) => t.false(csv.options.safeParse(options).success),
	title: (what) => `CSV options are refused: ${what}`,
});

test('an unknown key', refused, { colunms: columns });
test('an unknown key of a column', refused, { columns: { cardNumber: { index: 0, name: 'Card' } } });
test('a mapping without the card number', refused, { columns: { cvv: { index: 0 } } });
test('a negative index', refused, { columns: { cardNumber: { index: -1 } } });
test('a format nobody knows', refused, { columns: { ...columns, expiry: { index: 1, format: 'YY' } } });
test('a month without a year', refused, { columns: { ...columns, expirationMonth: { index: 1 } } });
test('two ways to give the expiry', refused, {
	columns: { ...columns, expiry: { index: 1 }, expirationMonth: { index: 1 }, expirationYear: { index: 2 } },
});
test('a delimiter of two bytes', refused, { delimiter: '||' });
test('a delimiter beyond one byte', refused, { delimiter: '€' });
test('a line end as delimiter', refused, { delimiter: '\n' });
test('a digit as delimiter', refused, { delimiter: '4' });
test('a quote as delimiter', refused, { delimiter: '"' });
test('another quote', refused, { quote: '`' });
test('an escape without a quote', refused, { quote: 'none', escape: 'backslash' });
test('no header and no columns', refused, { header: false });
test('no header and a column by name', refused, { header: false, columns: { cardNumber: { name: 'Card' } } });
test('one index for number and CVV', refused, { columns: { ...columns, cvv: { index: 0 } } });
test('one index for the numbers of two groups', refused, { header: false, columns, groups: [columns] });
test('a broken pattern', refused, { skipRowsMatching: '^(' });
test('a pattern that can take exponential time', refused, { skipRowsMatching: '^(a+)+$' });
test('a pattern with a back reference', refused, { skipRowsMatching: '(.)x\\1' });
test('a pattern with three repetitions', refused, { skipRowsMatching: 'a*b*c*' });

test('a pattern with many optional characters', refused, { skipRowsMatching: `${'a?'.repeat(20)}b` });
test('a pattern with many alternatives in a row', refused, { skipRowsMatching: `${'(a|a)'.repeat(20)}b` });
test('a pattern with bounded repetitions', refused, { skipRowsMatching: 'a{0,9}a{0,9}a{0,9}b' });

test('a pattern that is tried everywhere, with two repetitions', refused, { skipRowsMatching: 'a*a*b' });
test('a pattern that may match anywhere, with optional characters', refused, {
	skipRowsMatching: `${'a?'.repeat(9)}b`,
});
test('a pattern with as many optional characters as took a tenth of a second a row', refused, {
	skipRowsMatching: `${'a?'.repeat(16)}b`,
});
test('a pattern of which one alternative may match anywhere', refused, { skipRowsMatching: '^x|a*a*b' });

test('a pattern of alternatives, classes and a repetition is fine', (t) => {
	for (const skipRowsMatching of [
		'^(H|T|"[*+]"),\\d+',
		'^[^,]*,[^,]*,(?:VOID|TEST)',
		`^(${'word|'.repeat(30)}x)`,
		'\\(x\\)*y{3}',
	]) {
		t.true(csv.options.safeParse({ skipRowsMatching }).success, skipRowsMatching);
	}
});

// A streamed file is searched in the thread of a listener, by windows of 32 KiB.
test('the costliest patterns let in search a window of a streamed file in tens of milliseconds', (t) => {
	for (const skipRowsMatching of [
		'^a*a*(a|a)b',
		'a*b',
		`^${'a?'.repeat(11)}b`,
		`${'a?'.repeat(5)}b`,
		`^${'(a|a)'.repeat(11)}b`,
	]) {
		const { success, data } = csv.options.safeParse({ header: false, skipRowsMatching, columns });
		if (!success || data === undefined) return t.fail(skipRowsMatching);
		const startedAt = performance.now();
		scanAll(csv, data, Buffer.from(`${'a'.repeat(127)}\n`.repeat(256)));
		const tookMs = performance.now() - startedAt;
		t.true(tookMs < 500, skipRowsMatching);
	}
});

test('GBT columns are designated by index only', (t) => {
	t.true(gbt.options.safeParse({ columns }).success);
	t.false(gbt.options.safeParse({ columns: { cardNumber: { name: 'Card' } } }).success);
});

const sniffed = test.macro({
	exec(t, header: string, row: string) {
		const [finding] = scanAll(simplecsv, simplecsv.options.parse({}), Buffer.from(`${header}\n${row}\n`));
		t.is(finding?.number.raw, '4111111111111111');
	},
	title: (what) => `the delimiter is found: ${what}`,
});

test('comma', sniffed, 'Id,CardNumber', 'a,4111111111111111');
test('semicolon', sniffed, 'Id;CardNumber', 'a;4111111111111111');
test('tab', sniffed, 'Id\tCardNumber', 'a\t4111111111111111');
test('pipe', sniffed, 'Id|CardNumber', 'a|4111111111111111');
test('what stands in quotes does not count', sniffed, '"a,b,c,d";CardNumber', 'x;4111111111111111');
test('doubled quotes in a quoted name', sniffed, '"a"",,,""b";CardNumber', 'x;4111111111111111');
test('a draw goes to the comma', sniffed, 'a;b,CardNumber', 'x,4111111111111111');
test('none at all', sniffed, 'CardNumber', '4111111111111111');
test('stated in the first line', sniffed, 'SEP=|\na,b,c|CardNumber', 'x|4111111111111111');
