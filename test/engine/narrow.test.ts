// Checks that a card number in a card field is swapped whatever people wrote beside it, in every format with fields.

import test from 'ava';
import { openVaultParts, swap } from '../helpers/vault-parts.ts';
import { all, FILES, NUMBERS, quoted } from './narrow.setup.ts';

test('a security code right behind a number and its expiry in a card field is that of the card', async (t) => {
	const parts = await openVaultParts(t);
	const engine = parts.engine(all);
	const without = (file: string) =>
		file.replace(/(?<=[,|\t:"]|CVV>)123(?!.*123)/s, (_, at) => (file[at - 1] === ':' ? '""' : ''));
	const value = `VISA ${NUMBERS[0]} 12/29 987`;
	// A code behind signs that are written as `\\u002f` is not looked for.
	for (const [filter, write] of FILES.filter((file) => !file[1](value).includes('\\u'))) {
		const bytes = Buffer.from(without(write(value)));
		const there = await swap(parts, engine, { filter, direction: 'tokenize', bytes });
		t.regex(there.bytes.toString(), /VISA [0-9a-f]{32} 12.{1,6}29 \*\*\*/, bytes.toString());
		const back = await swap(parts, engine, { filter, direction: 'detokenize', bytes: there.bytes });
		t.deepEqual(back.bytes, bytes);
		const both = await swap(parts, engine, { filter, direction: 'tokenize', bytes: Buffer.from(write(value)) });
		t.is(both.summary.otherCodes, 1, 'beside a CVV in a field of its own');
	}
});

test('digits before a token and its first digits are no number, in a card field and in a note', async (t) => {
	const parts = await openVaultParts(t);
	const engine = parts.engine(all);
	// With the digits of about one token in two thousand, the six digits look like a number of 15.
	const row = `"123456 ${NUMBERS[0]}",12/29,123,"123456 ${NUMBERS[1]}"\n`;
	const bytes = Buffer.from(`Card Number,Expiry Date,CVV,Note\n${row.repeat(10_000)}`);
	const request = { filter: 'CSV', direction: 'tokenize', options: { otherNumbers: 'tokenize' } } as const;
	const there = await swap(parts, engine, { ...request, bytes });
	t.is(there.summary.otherNumbers, 10_000);
	const again = await swap(parts, engine, { ...request, bytes: there.bytes });
	t.deepEqual(again.bytes, there.bytes);
	t.is(again.summary.otherNumbers, 0);
});

const csv = (...values: string[]) => `Card Number,Note\n${values.map((value) => `${quoted(value)},a\n`).join('')}`;

test('what stands beside a number tells its expiry and type, and a masked number beside it counts', async (t) => {
	const parts = await openVaultParts(t);
	const engine = parts.engine(all);
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
	} = await swap(parts, engine, { filter: 'CSV', direction: 'tokenize', options, bytes });
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
	const parts = await openVaultParts(t);
	const engine = parts.engine(all);
	const values = [
		'VISA 4111111111111112',
		'4111 1111 1111 1112 ?',
		'\u200b41111111\u200b',
		'DE89 3704 0044 0532 0130 00',
	];
	const text = `${csv(...values)}"VISA 4111 1111 1111 1111 exp 10/26",a\n`;
	const options = { onRefused: 'mask' };
	const out = await swap(parts, engine, { filter: 'CSV', direction: 'tokenize', options, bytes: Buffer.from(text) });
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

test('zeros behind a point are no group of a number in groups, though with them it would be a longer number', async (t) => {
	const parts = await openVaultParts(t);
	const engine = parts.engine(all);
	// With two zeros behind it a number of JCB has 18 digits and the right check digit, as longer ones of JCB have.
	for (const spelled of ['3530&nbsp;1113&nbsp;3330&nbsp;0000', '3530/1113/3330/0000', '3530%201113%203330%200000']) {
		for (const [filter, write] of FILES) {
			for (const zeros of ['.0', '.00', ',0', ',00']) {
				const bytes = Buffer.from(write(spelled + zeros));
				const { bytes: out } = await swap(parts, engine, { filter, direction: 'tokenize', bytes });
				t.regex(out.toString(), /[0-9a-f]{32}([.,]|\\u002[ec])00?\b/, bytes.toString());
			}
		}
	}
});

test('a bare JSON number with a sign or a fraction of zeros is the number, and comes back as it was spelled', async (t) => {
	const parts = await openVaultParts(t);
	const engine = parts.engine(all);
	const bytes = Buffer.from(
		`[{"cardNumber":${NUMBERS[0]}.0},{"cardNumber":-${NUMBERS[1]}},{"cards":[${NUMBERS[2]}.00]}]`,
	);
	const there = await swap(parts, engine, { filter: 'SIMPLEJSON', direction: 'tokenize', bytes });
	const token = '"[0-9a-f]{32}"';
	t.regex(
		there.bytes.toString(),
		new RegExp(`^\\[{"cardNumber":${token}},{"cardNumber":${token}},{"cards":\\[${token}\\]}\\]$`),
	);
	const back = await swap(parts, engine, { filter: 'SIMPLEJSON', direction: 'detokenize', bytes: there.bytes });
	t.is(back.bytes.toString(), bytes.toString());
	const refused = Buffer.from(`{"cardNumber":${NUMBERS[0]}.5}`);
	const stays = await swap(parts, engine, { filter: 'SIMPLEJSON', direction: 'tokenize', bytes: refused });
	t.deepEqual(stays.bytes, refused);
});

test('a comment inside a value is no part of it, and a number in the comment is one outside the card fields', async (t) => {
	const parts = await openVaultParts(t);
	const card = (value: string, cvv = '123') =>
		`<T><PaymentCard><CardNumber>${value}</CardNumber><CVV>${cvv}</CVV></PaymentCard></T>`;
	const [first, second] = NUMBERS;
	const T = '[0-9a-f]{32}';
	for (const [value, cvv, becomes, told] of [
		[`+4111111<!-- ${second} -->111111111`, '123', `\\+${T}`, 0],
		[`VISA ${first} <!-- old: ${second} -->`, '123', `VISA ${T} <!-- old: ${T} -->`, 1],
		[`VISA <?old ${second}?>${first}`, '123', `VISA <\\?old ${T}\\?>${T}`, 1],
		[`VISA <![CDATA[${first}]]>`, '123', `VISA <!\\[CDATA\\[${T}\\]\\]>`, 0],
		[`VISA 41<![CDATA[11111111111111]]> <!---->`, '123', `VISA ${T} <!---->`, 0],
		// A token in the place of these digits would leave one end of the CDATA without the other.
		[`<![CDATA[VISA 41111111]]>11111111`, '', `<!\\[CDATA\\[VISA 41111111\\]\\]>11111111`, 1],
		[`4.111<!-- ${second} -->11E+15`, '123', `4.111<!-- ${second} -->11E\\+15`, 1],
		[`${first.slice(0, 8)}<!-- ${second} -->1112`, 'ab', `41111111<!-- ${second} -->1112`, 1],
	] as const) {
		const bytes = Buffer.from(card(value, cvv));
		for (const options of [{ otherNumbers: 'tokenize' }, { otherNumbers: 'tokenize', onRefused: 'mask' }]) {
			const swaps = async (windowBytes: number) => {
				const engine = parts.engine(all, { windowBytes, maxRecordBytes: 1_048_576 });
				return swap(parts, engine, { filter: 'TADC', direction: 'tokenize', options, bytes });
			};
			const there = await swaps(65_536);
			const out = there.bytes.toString();
			// What is masked covers the comments in it.
			if (there.summary.refused > 0 && options.onRefused) t.regex(out, /<CardNumber>[* -]+<\/CardNumber>/);
			else {
				t.regex(out, new RegExp(`<CardNumber>${becomes}</CardNumber>`));
				t.is(there.summary.otherNumbers, told, value);
			}
			t.deepEqual((await swaps(7)).entries, there.entries);
			const request = { filter: 'TADC', options, bytes: there.bytes };
			const again = await swap(parts, parts.engine(all), { ...request, direction: 'tokenize' });
			t.is(again.bytes.toString(), out);
			if (options.onRefused) continue;
			const back = await swap(parts, parts.engine(all), { ...request, direction: 'detokenize' });
			t.is(back.bytes.toString(), bytes.toString());
		}
	}
});

test('a code that a word announces in a card field is told, and starred where numbers are hidden', async (t) => {
	const parts = await openVaultParts(t);
	const engine = parts.engine(all);
	const values = ['@ CID 123', '@ 12/29 SECURITY CODE: 123', '@ CVV 123', '@ PIN 1234'];
	const bytes = Buffer.from(csv(...values).replaceAll('@', NUMBERS[0]));
	const swaps = (otherNumbers: string) =>
		swap(parts, engine, { filter: 'CSV', direction: 'tokenize', options: { otherNumbers }, bytes });
	const told = await swaps('report');
	t.deepEqual(
		told.entries.map(({ line, outcome }) => [line, outcome]),
		[2, 3, 4, 5].map((line) => [line, 'otherCode']),
	);
	const there = (await swaps('tokenize')).bytes.toString().replaceAll(/[0-9a-f]{32}/g, '@');
	t.is(there, csv('@ CID ***', '@ 12/29 SECURITY CODE: ***', '@ CVV ***', '@ PIN 1234'));
});

test('a masked number that glued digits made too long shows no digits that begin another one', async (t) => {
	const parts = await openVaultParts(t);
	const engine = parts.engine(all);
	const head = 'AIR-BLK207;7A;;233;0000000000;1A1200000;001001\nAMD 1\nGW1\nMUC1A 1\n';
	const bytes = Buffer.from(`${head}FPCASH+CVV41111111111111114111 1111 1111 1111\nENDX\n`);
	for (const otherNumbers of ['report', 'mask', 'tokenize']) {
		const request = { filter: 'AIR', direction: 'tokenize', options: { otherNumbers, onRefused: 'mask' } } as const;
		const there = await swap(parts, engine, { ...request, bytes });
		t.regex(there.bytes.toString(), /\+CVV411111\*{14} 1111 1111 1111\n/);
		const again = await swap(parts, engine, { ...request, bytes: there.bytes });
		t.is(again.bytes.toString(), there.bytes.toString());
	}
});
