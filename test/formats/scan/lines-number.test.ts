import test from 'ava';
import fc from 'fast-check';
import { endOfNumber, endOfTokenBeforeExpiry, NumberSearch } from '../../../formats/scan/lines/number.ts';
import { runs } from '../../helpers/runs.ts';

const TOKEN = 'D1229A5511229CCAB00F1E2D3C4B5A69';
const NUMBER = '4111111111111111';

const ends = test.macro({
	exec(t, text: string, length: number) {
		const bytes = Buffer.from(`${text}9`, 'latin1');
		t.is(endOfNumber(bytes, 0, bytes.length - 1), length);
	},
	title: (_, text, length) => (length === -1 ? `no number begins ${text}` : `${length} characters begin ${text}`),
});

test(ends, NUMBER, 16);
test(ends, `${NUMBER}/1229`, 16);
test(ends, `${NUMBER}\xa51229`, 16);
test(ends, `${NUMBER}D1229*CV`, 16);
test(ends, `${NUMBER}N1229;`, 16);
test(ends, `${NUMBER}EXP1229`, 16);
test(ends, `${NUMBER}D12291`, -1);
test(ends, `${NUMBER}D1229A`, -1);
test(ends, `${NUMBER}D122`, -1);
test(ends, `${NUMBER}X`, -1);
test(ends, `${NUMBER}EXPXXXX`, 16);
test(ends, `${NUMBER}EXP 12 29`, 16);
test(ends, `${NUMBER}EX`, -1);
test(ends, '41111111111', -1);
test(ends, '411111111111', 12);
test(ends, '41111111111111111111111', 23);
test(ends, '12345678901234567890123456789012', 32);
test(ends, TOKEN, 32);
test(ends, `${TOKEN.toLowerCase()} `, 32);
test(ends, `${TOKEN}D1229`, 32);
test(ends, `${TOKEN}N1229`, 32);
test(ends, `${TOKEN}EXP1229`, 32);
test(ends, `${TOKEN}A`, -1);
test(ends, `${TOKEN}XP1229`, -1);
test(ends, TOKEN.slice(1), -1);

test('an expiry may be glued to a token: a real month, and no letter or digit behind it', (t) => {
	const ends = (text: string) => endOfTokenBeforeExpiry(Buffer.from(text), 0, text.length);
	t.is(ends(`${TOKEN}1229`), 32);
	t.is(ends(`${TOKEN}1229/N1`), 32);
	t.is(ends(`${TOKEN}1329`), -1);
	t.is(ends(`${TOKEN}12291`), -1);
	t.is(ends(`${TOKEN}1229A`), -1);
	t.is(ends(`${TOKEN}122`), -1);
	t.is(ends(TOKEN), -1);
});

/** Tells whether a text has a number or a token. The quick look may miss numbers with lone digits before the end. */
function hasNumber(text: string): boolean {
	const runs = text.match(/\d(?:[ .-]?\d)*/g) ?? [];
	return runs.some((run) => run.replace(/\D/g, '').length >= 12) || /[\dA-Fa-f]{32}/.test(text);
}

test('two separators beside each other join no digits to a number', (t) => {
	for (let blanks = 0; blanks < 12; blanks++) {
		const text = `${' '.repeat(blanks)}1..12345678901`;
		const bytes = Buffer.from(text);
		const search = new NumberSearch();
		search.begin();
		t.false(search.isIn(bytes, 0, bytes.length, bytes.length), JSON.stringify(text));
	}
});

test('the search of a window agrees with a regular expression on every line of it', (t) => {
	const line = fc.stringMatching(/^[0-9A-H ./-]{0,90}$/);
	const plant = fc.constantFrom(
		'',
		'123456789012',
		'12345678901',
		'1234-5678.9012',
		'1 2 3 4 5 6 7 8 9 0 1 2',
		'1.2.3.4.5.6.7.8.9.0.1',
		TOKEN,
		TOKEN.slice(1),
	);
	const planted = fc.tuple(line, plant, line).map((parts) => parts.join(''));
	fc.assert(
		fc.property(fc.array(planted, { minLength: 1, maxLength: 4 }), (lines) => {
			const text = lines.join('\n');
			const bytes = Buffer.from(`${text}999999999999999999999999999999999`);
			const search = new NumberSearch();
			search.begin();
			let start = 0;
			for (const each of lines) {
				const end = start + each.length;
				t.is(search.isIn(bytes, start, end, text.length), hasNumber(each), each);
				start = end + 1;
			}
		}),
		{ numRuns: runs(2000) },
	);
});
