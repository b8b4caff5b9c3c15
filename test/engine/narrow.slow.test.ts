// Those tests of narrow.test.ts that take long.

import test from 'ava';
import fc from 'fast-check';
import { runs } from '../helpers/runs.ts';
import { openVaultParts, swap } from '../helpers/vault-parts.ts';
import { all, FILES, NUMBERS } from './narrow.setup.ts';

/** A value in which every `@` stands for a card number. */
const VALUES = [
	...[
		'VISA @',
		'@ Visa',
		'MASTERCARD-@',
		'AMEX @',
		'Maxi: @',
		'Karte Nr. @',
		'VISA XXXX @',
		'American Express @ (new)',
	],
	...['#@', 'No. @', '(@)', '[@]', '<@>', '"@"', '""@""', "'@", '„@“', '*@*', '@*', '@.', '@,', '@ ?', '\\@'],
	...[
		'@ 12/29',
		'@ exp 12/29',
		'@ EXP. 12/2029 (Visa)',
		'@/1229',
		'@|12/29',
		'@ valid thru 12-29',
		'@,12/29',
		'@D1229',
	],
	...['@ / @', '@, @', '@;@', '@ @', '@\n@', '@\r\n@', 'old @ new @ and @', '@ & @'],
	...[
		'@\u200b',
		'\ufeff@',
		'\u202a@\u202c',
		'\u2066@\u2069',
		'\u200e@\u200f',
		'\u00ad@\u00ad',
		'\u2060@',
		' \u200b @ \u200b ',
		'\u00a0@',
	],
	...[
		'&nbsp;@',
		'@&nbsp;',
		'@%20',
		'@.0',
		'@.00',
		'XXXXXXXXXXXX1111 @',
		'@ (was 411111******1111)',
		'@ CVV',
		'Ж @',
		'é@é',
	],
];
const THOUSANDS = (sign: string) => (digits: string) => digits.replace(/\B(?=(?:\d{3})+$)/g, sign);
const FOURS = (sign: string) => (digits: string) => digits.replace(/\B(?=(?:\d{4})+$)/g, sign);
const SPELLINGS = [
	...[(digits: string) => digits, FOURS(' '), FOURS('-'), FOURS('\u00a0'), FOURS('/'), THOUSANDS(',')],
	...[THOUSANDS("'"), THOUSANDS('.'), THOUSANDS('\u2019'), FOURS('\u200b'), FOURS('%20'), FOURS('&nbsp;')],
];

const literal = (text: string) => text.replace(/[^\w\s]/g, '\\$&');

/** Returns what must come out of a file in which `NUMBER` stands for each number: tokens, and stars for the only CVV. */
function outputOf(marked: string): RegExp {
	const tokens = literal(marked).replace(/NUMBER|5555555555554444/g, '[0-9a-f]{32}');
	return new RegExp(`^${tokens.replace(/123(?!.*123)/s, '"?\\*\\*\\*"?')}$`);
}

/** Returns a text with stars, or quoted stars, in place of its CVV. */
const starred = (text: string) =>
	text.replace(/(?<=:)123|123(?!.*123)/s, (_, at) => (text[at - 1] === ':' ? '"***"' : '***'));

test('a valid number in a card field is swapped whatever stands beside it, and comes back byte for byte', async (t) => {
	const parts = await openVaultParts(t);
	const engine = parts.engine(all);
	const input = fc.record({
		value: fc.constantFrom(...VALUES),
		spelling: fc.constantFrom(...SPELLINGS),
		numbers: fc.shuffledSubarray(NUMBERS, { minLength: 3 }),
		file: fc.constantFrom(...FILES),
		chunkSizes: fc.constantFrom([65_536], [7]),
		isLatin: fc.boolean(),
		options: fc.record({
			eliminateCardDuplication: fc.boolean(),
			otherNumbers: fc.constantFrom('report', 'reject', 'tokenize', 'mask'),
		}),
		accountId: fc.constantFrom(1, 2),
	});
	await fc.assert(
		fc.asyncProperty(input, async ({ value, spelling, numbers, file: [filter, write], chunkSizes, ...more }) => {
			const { isLatin, options, accountId } = more;
			// Where only blanks or commas divide two numbers, those in groups are no longer told apart.
			const spell = /@.?@|@,|@D|\n/.test(value) ? SPELLINGS[0] : spelling;
			let nth = 0;
			const text = write(value.replace(/@/g, () => spell(numbers[nth++])));
			const encoding = isLatin && filter.endsWith('CSV') && /^[\0-\xff]*$/.test(text) ? 'latin1' : 'utf8';
			const request = { filter, accountId, chunkSizes };
			const tokenize = (bytes: Buffer) => swap(parts, engine, { ...request, direction: 'tokenize', options, bytes });
			const there = await tokenize(Buffer.from(text, encoding));
			t.regex(there.bytes.toString(encoding), outputOf(write(value.replace(/@/g, 'NUMBER'))), text);
			t.is(there.summary.refused + there.summary.otherNumbers, 0, text);
			const back = await swap(parts, engine, { ...request, direction: 'detokenize', bytes: there.bytes });
			// A CVV comes back if the account keeps it. That of a card with an earlier token is not kept.
			const starless = options.eliminateCardDuplication || accountId === 2 ? starred(text) : text;
			const restored = back.bytes.toString(encoding);
			t.is(restored, restored === text ? text : starless);
			const again = await tokenize(there.bytes);
			t.deepEqual(again.bytes, there.bytes, text);
			t.is(again.summary.refused + again.summary.otherNumbers, 0, text);
		}),
		{ numRuns: runs(4000) },
	);
});
