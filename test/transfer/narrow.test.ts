// Checks that a card number in a card field is swapped whatever people wrote beside it, in every format with fields.

import test from 'ava';
import fc from 'fast-check';
import { formats } from '../../formats/index.ts';
import type { Format } from '../../src/engine/format.ts';
import { runs } from '../helpers/runs.ts';
import { openVaultRooms, swap } from '../helpers/vault-rooms.ts';

const all = [...formats.values()] as unknown as Format<never>[];

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
const NUMBERS = ['4111111111111111', '5555555555554444', '6011111111111117', '3530111333300000'];

const quoted = (text: string, quote = '"') => `${quote}${text.replaceAll(quote, quote + quote)}${quote}`;
const escaped = (text: string) =>
	[...text]
		.map((one) => (one === '&' ? '&amp;' : /[<"\ufeff\u200b]/.test(one) ? `&#${one.codePointAt(0)};` : one))
		.join('');
const unicode = (text: string) =>
	text.replace(/[^\w %&;]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
const cdata = (text: string) => `<![CDATA[${text}]]>`;

/** Writes a value into the card field of a file. */
const FILES: readonly (readonly [filter: string, write: (value: string) => string])[] = [
	['CSV', (value) => `Card Number,Expiry Date,CVV,Note\n${quoted(value)},12/29,123,a\n5555555555554444,12/29,,b\n`],
	['CSV', (value) => `Note|Card Number|CVV\r\na|${/[|"\r\n]/.test(value) ? quoted(value) : value}|123`],
	['GBT', (value) => `Card Type,Card Number,Expiry Date,CID,Cardholder Name\n,${quoted(value)},12/29,123,"A ""B"""\n`],
	['SIMPLECSV', (value) => `CardNumber\tExpirationDate\tCVV\n${quoted(value)}\t12/29\t123\n`],
	['SIMPLEJSON', (value) => `[{"cardNumber":${JSON.stringify(value)},"expirationDate":"12/29","cvv":"123"}]\n`],
	['SIMPLEJSON', (value) => `{"cvv":123,"card":"${unicode(value)}","expirationDate":"12/29"}`],
	[
		'SIMPLEJSON',
		(value) => `{"card":{"number":${JSON.stringify(value).replaceAll('/', '\\/')},"name":"A \\"B\\"","cvv":"123"}}`,
	],
	['TADC', (value) => `<T><PaymentCard><CardNumber>${escaped(value)}</CardNumber><CVV>123</CVV></PaymentCard></T>`],
	['TADC', (value) => `<T><PaymentCard CardNumber="${escaped(value)}" CVV="123" ExpireDate="1229"/></T>`],
	[
		'TADC',
		(value) => `<T><Card><Number>${cdata(value)}</Number><ExpireDate>1229</ExpireDate><CVV>123</CVV></Card></T>`,
	],
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
	const rooms = await openVaultRooms(t);
	const engine = rooms.engine(all);
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
			const tokenize = (bytes: Buffer) => swap(rooms, engine, { ...request, direction: 'tokenize', options, bytes });
			const there = await tokenize(Buffer.from(text, encoding));
			t.regex(there.bytes.toString(encoding), outputOf(write(value.replace(/@/g, 'NUMBER'))), text);
			t.is(there.summary.refused + there.summary.otherNumbers, 0, text);
			const back = await swap(rooms, engine, { ...request, direction: 'detokenize', bytes: there.bytes });
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

test('a security code right behind a number and its expiry in a card field is that of the card', async (t) => {
	const rooms = await openVaultRooms(t);
	const engine = rooms.engine(all);
	const without = (file: string) =>
		file.replace(/(?<=[,|\t:"]|CVV>)123(?!.*123)/s, (_, at) => (file[at - 1] === ':' ? '""' : ''));
	const value = `VISA ${NUMBERS[0]} 12/29 987`;
	// A code behind signs that are written as `\\u002f` is not looked for.
	for (const [filter, write] of FILES.filter((file) => !file[1](value).includes('\\u'))) {
		const bytes = Buffer.from(without(write(value)));
		const there = await swap(rooms, engine, { filter, direction: 'tokenize', bytes });
		t.regex(there.bytes.toString(), /VISA [0-9a-f]{32} 12.{1,6}29 \*\*\*/, bytes.toString());
		const back = await swap(rooms, engine, { filter, direction: 'detokenize', bytes: there.bytes });
		t.deepEqual(back.bytes, bytes);
		const both = await swap(rooms, engine, { filter, direction: 'tokenize', bytes: Buffer.from(write(value)) });
		t.is(both.summary.otherCodes, 1, 'beside a CVV in a field of its own');
	}
});

const csv = (...values: string[]) => `Card Number,Note\n${values.map((value) => `${quoted(value)},a\n`).join('')}`;

test('what stands beside a number tells its expiry and type, and a masked number beside it counts', async (t) => {
	const rooms = await openVaultRooms(t);
	const engine = rooms.engine(all);
	const values = [
		'VISA @ exp 10/26',
		'@ / old XXXXXXXXXXXX4444',
		'(Master Card) @, 12/29',
		'Mastercard: @ 12/29 CVV 123',
	];
	const bytes = Buffer.from(csv(...values).replace(/@/g, NUMBERS[0]));
	const options = { report: { cards: 'all' }, otherNumbers: 'mask' };
	const {
		entries,
		summary,
		bytes: out,
	} = await swap(rooms, engine, { filter: 'CSV', direction: 'tokenize', options, bytes });
	t.deepEqual(
		entries.map(({ line, outcome, reason, warnings }) => [line, outcome, reason ?? warnings]),
		[
			[2, 'refused', 'Expired card'],
			[3, 'tokenized', undefined],
			[4, 'tokenized', ['Card type validation message']],
			[5, 'tokenized', ['Card type validation message']],
			[
				5,
				'otherCode',
				'A security code seems to stand outside the card fields of this format and was replaced by stars',
			],
		],
	);
	t.deepEqual([summary.masked, summary.cards, summary.refused], [1, 3, 1]);
	t.regex(out.toString(), /"VISA 4111111111111111 exp 10\/26"/);
});

test('what has no valid number in it is refused as before, and a refused number is masked without what stands beside it', async (t) => {
	const rooms = await openVaultRooms(t);
	const engine = rooms.engine(all);
	const values = [
		'VISA 4111111111111112',
		'4111 1111 1111 1112 ?',
		'\u200b41111111\u200b',
		'DE89 3704 0044 0532 0130 00',
	];
	const text = `${csv(...values)}"VISA 4111 1111 1111 1111 exp 10/26",a\n`;
	const options = { onRefused: 'mask' };
	const out = await swap(rooms, engine, { filter: 'CSV', direction: 'tokenize', options, bytes: Buffer.from(text) });
	t.deepEqual(
		out.entries.map(({ reason }) => reason),
		[
			'Luhn (Mod10) error',
			'Luhn (Mod10) error',
			'Number has less than 12 digits',
			'Luhn (Mod10) error',
			'Expired card',
		],
	);
	t.regex(out.bytes.toString(), /"VISA 4111 11\*\* \*\*\*\* 1111 exp 10\/26",a\n$/);
});

test('a bare JSON number with a sign or a fraction of zeros is the number, and comes back as it was spelled', async (t) => {
	const rooms = await openVaultRooms(t);
	const engine = rooms.engine(all);
	const bytes = Buffer.from(
		`[{"cardNumber":${NUMBERS[0]}.0},{"cardNumber":-${NUMBERS[1]}},{"cards":[${NUMBERS[2]}.00]}]`,
	);
	const there = await swap(rooms, engine, { filter: 'SIMPLEJSON', direction: 'tokenize', bytes });
	const token = '"[0-9a-f]{32}"';
	t.regex(
		there.bytes.toString(),
		new RegExp(`^\\[{"cardNumber":${token}},{"cardNumber":${token}},{"cards":\\[${token}\\]}\\]$`),
	);
	const back = await swap(rooms, engine, { filter: 'SIMPLEJSON', direction: 'detokenize', bytes: there.bytes });
	t.is(back.bytes.toString(), bytes.toString());
	const refused = Buffer.from(`{"cardNumber":${NUMBERS[0]}.5}`);
	const stays = await swap(rooms, engine, { filter: 'SIMPLEJSON', direction: 'tokenize', bytes: refused });
	t.deepEqual(stays.bytes, refused);
});
