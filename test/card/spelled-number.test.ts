// Fuzzes the rule for texts that stand in clear, with numbers spelled in every way that people and programs find.

import test from 'ava';
import fc from 'fast-check';
import { holdsCardNumber } from '../../src/base/card/spelling/spelled-number.ts';
import { maskCardNumbers } from '../../src/base/log/card-numbers.ts';
import { ORDINARY_NAMES } from '../helpers/ordinary-names.ts';
import { runs } from '../helpers/runs.ts';
import { Dice } from '../helpers/trade-numbers.ts';

/** Published test numbers of several brands and lengths (fixtures/README.md). */
const NUMBERS = [
	...['4111111111111111', '4012888888881881', '4242424242424242', '5555555555554444', '5105105105105100'],
	...['2223003122003222', '378282246310005', '371449635398431', '6011111111111117', '6011000990139424'],
	...['30569309025904', '38520000023237', '36227206271667', '3530111333300000', '3566002020360505'],
];

const number = fc.constantFrom(...NUMBERS);
const code = fc.stringMatching(/^\d{3,4}$/);
const two = (min: number, max: number) => fc.integer({ min, max }).map((value) => String(value).padStart(2, '0'));
const month = two(1, 12);
const year = two(20, 39);
const date = fc
	.tuple(year, month, two(1, 28))
	.chain(([y, m, d]) => fc.constantFrom(`20${y}${m}${d}`, `${d}${m}20${y}`, `${m}${d}20${y}`, `${y}${m}${d}`));
const time = fc.tuple(two(0, 23), two(0, 59), two(0, 59)).map((parts) => parts.join(''));
const expiry = fc.tuple(month, year).chain(([m, y]) => fc.constantFrom(m + y, y + m, `${m}20${y}`, `20${y}${m}`));
const glue = fc.oneof(
	code,
	expiry,
	date,
	fc.tuple(expiry, code).map((parts) => parts.join('')),
	fc.tuple(date, time).map((parts) => parts.join('')),
);
const blank = fc.constantFrom(...' .-_/,:;|\u00a0\u2009\u3000·–', ' - ', '. ', 'x', 'ab', 'Ü', '数');
const invisible = fc.constantFrom(
	'\u200b',
	'\u200c',
	'\u200d',
	'\u2060',
	'\ufeff',
	'\u00ad',
	'\u034f',
	'\u202e',
	'\ufe0f',
);

/** The zeros of ASCII, Arabic, Persian, Devanagari, Bengali, Thai, full-width and bold digits; 1 to 9 follow each. */
const ZEROS = [0x30, 0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0xff10, 0x1d7ce];
const inScript = (digits: string, zero: number) =>
	[...digits].map((digit) => String.fromCodePoint(zero + Number(digit))).join('');

const grouped = (digits: string, size: number, between: string) =>
	digits.replace(new RegExp(`(.{${size}})(?=.)`, 'gs'), `$1${between}`);

/** Divides the digits into groups as the brands print them. */
function printed(digits: string, between: string): string {
	const sizes = digits.length === 15 ? [4, 6, 5] : digits.length === 14 ? [4, 6, 4] : [4, 4, 4, 4];
	let at = 0;
	return sizes.map((size) => digits.slice(at, (at += size))).join(between);
}

const SPELLINGS: Record<string, fc.Arbitrary<string>> = {
	'as it is': number,
	'with a code, an expiry, a date or a time glued behind': fc.tuple(number, glue).map(([n, g]) => n + g),
	'with a code, an expiry, a date or a time glued before': fc.tuple(glue, number).map(([n, g]) => n + g),
	'with one of them glued before and one behind': fc.tuple(date, number, code).map((parts) => parts.join('')),
	'digit by digit': fc.tuple(number, blank).map(([n, b]) => grouped(n, 1, b)),
	'digit by digit, each time with something else between': fc
		.tuple(number, fc.array(blank, { minLength: 19, maxLength: 19 }))
		.map(([n, blanks]) => [...n].map((digit, i) => digit + blanks[i]).join('')),
	'in groups of one length': fc.tuple(number, fc.integer({ min: 1, max: 8 }), blank).chain(([n, size, b]) => {
		return fc.constant(grouped(n, n.length / size > 2 || n.length % size === 0 ? size : 2, b));
	}),
	'as it is printed': fc.tuple(number, blank).map(([n, b]) => printed(n, b)),
	'as it is printed, with a code or an expiry glued behind': fc
		.tuple(number, blank, glue)
		.map(([n, b, g]) => printed(n, b) + g),
	'as it is printed, with a date or a code glued before': fc
		.tuple(number, blank, glue)
		.map(([n, b, g]) => g + printed(n, b)),
	'with what nobody sees between': fc
		.tuple(number, fc.array(invisible, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 7 }))
		.map(([n, unseen, size]) => grouped(n, size, unseen.join(''))),
};

/** Words that stand before or behind a number and neither begin nor end with a digit. */
const word = fc.constantFrom('', 'x', 'booking ', '_', 'REF-', '.csv', ' für ', '数', ' 2026-11-22 ', ' 17 ');

/** Letters with which the digits of a number become a token. */
const letters = fc.array(fc.constantFrom(...'abcdef'), { minLength: 32, maxLength: 32 });

/** Matches a date and a time down to nanoseconds, which is no number: an expiry and a code before a number may look like one. */
const MOMENT = /^(?:19|20)\d{6}(?:[01]\d|2[0-3])(?:[0-5]\d){2}(?:\d{3}){1,3}$/;

for (const [title, spelling] of Object.entries(SPELLINGS)) {
	test(`a number ${title} is refused, in any script and with words around, and masked in the log`, (t) => {
		const property = fc.property(spelling, word, word, fc.constantFrom(...ZEROS), (spelled, before, after, zero) => {
			fc.pre(!MOMENT.test(spelled));
			const text = before + spelled.replace(/\d+/g, (digits) => inScript(digits, zero)) + after;
			t.true(holdsCardNumber(text), text);
			t.not(maskCardNumbers(text), text);
		});
		fc.assert(property, { numRuns: runs(500) });
		t.pass();
	});
}

test('the log masks every number that the rule finds, in any text', (t) => {
	const character = fc.oneof(
		{ weight: 8, arbitrary: fc.constantFrom(...'0123456789') },
		{ weight: 1, arbitrary: fc.oneof(blank, invisible) },
	);
	const text = fc.array(character, { maxLength: 60 }).map((characters) => characters.join(''));
	fc.assert(
		fc.property(text, (each) => {
			if (holdsCardNumber(each)) t.not(maskCardNumbers(each), each);
		}),
		{ numRuns: runs(3000) },
	);
	t.pass();
});

test('ordinary names and references are not refused, but for few', (t) => {
	const dice = new Dice(7);
	const kinds = Object.entries(ORDINARY_NAMES);
	let refused = 0;
	for (const [, make] of kinds) for (let i = 0; i < 2000; i++) if (holdsCardNumber(make(dice))) refused++;
	t.true(refused / (kinds.length * 2000) < 0.005, `${refused} refused`);
});

test('a bank account is none, unless its digits do not check', (t) => {
	t.false(holdsCardNumber('IBAN DE89370400440532013000'));
	t.false(holdsCardNumber('IBAN DE89 3704 0044 0532 0130 00, may'));
	t.true(holdsCardNumber('DE00 4111 1111 1111 1111 00'));
});

test('a token is none, whatever its digits spell, but a number beside it or as a part of another word is', (t) => {
	const ahead = fc.constantFrom('', 'token ', '/paycard/', '"', '-');
	const behind = fc.constantFrom('', ' für ', '/meta', '"', '-');
	const property = fc.property(number, letters, ahead, behind, (digits, drawn, before, after) => {
		const token = ([...digits].map((digit, i) => digit + drawn[i]).join('') + drawn.join('')).slice(0, 32);
		const [text, glued] = [before + token + after, `${token}a`];
		t.is(maskCardNumbers(text), text);
		t.false(holdsCardNumber(text), text);
		t.true(holdsCardNumber(glued), glued);
		t.true(holdsCardNumber(`${token} ${digits}`));
		t.true(maskCardNumbers(`${token} ${digits}`).startsWith(`${token} ${digits.slice(0, 6)}*`));
	});
	fc.assert(property, { numRuns: runs(500) });
	for (const token of ['c1b9b812da2368479319f3361496b41f', '2080642f5640feb2896d3552c0974c06']) {
		t.is(maskCardNumbers(`token ${token}`), `token ${token}`);
		t.false(holdsCardNumber(`/paycard/${token.toUpperCase()}/meta`));
	}
	t.true(holdsCardNumber('4111111111111111abcdefabcdefabcd'), 'no token has 12 digits in a row');
});

test('a UUID is none, unless it has no letter, no version or other letters around it', (t) => {
	const uuids = ['0882a049-f5e9-4bef-8f30-088203855076', 'b8247833-5565-40c7-b243-8ac3684f26b4'];
	for (const uuid of uuids)
		for (const text of [uuid, `export-${uuid.toUpperCase()}.csv`]) t.is(maskCardNumbers(text), text);
	fc.assert(
		fc.property(fc.uuid({ version: [1, 3, 4, 5, 7] }), fc.constantFrom('', 'offer_', '/', '"'), (uuid, before) => {
			if (!/[a-f]/.test(uuid)) return;
			t.is(maskCardNumbers(`${before}${uuid}`), `${before}${uuid}`);
			t.false(holdsCardNumber(`${before}${uuid}.csv`), uuid);
		}),
		{ numRuns: runs(2000) },
	);
	const grouped = '00000000-4111-1111-1111-111100000000';
	for (const text of [grouped, `${grouped.slice(0, -1)}a`, `aaaaaaaa${grouped.slice(8)}b`])
		t.not(maskCardNumbers(text), text);
});

test('a long text takes time in proportion to its length, and no stack', (t) => {
	const started = performance.now();
	for (const text of ['1 2 3 4 5 6 7 8 ', '4111', '4 1 1 1 ', '4111-1111-']) {
		holdsCardNumber(text.repeat(200_000 / text.length));
	}
	t.true(performance.now() - started < 2000);
});
