// Checks what becomes, there and back, of card numbers outside the card fields that are written with escapes, and of
// numbers that can only be reported, however the file is cut.

import test from 'ava';
import fc from 'fast-check';
import { formats } from '../../formats/index.ts';
import type { Format } from '../../src/engine/format.ts';
import { runs } from '../helpers/runs.ts';
import { openVaultParts, swap } from '../helpers/vault-parts.ts';

const all = [...formats.values()] as unknown as Format<never>[];
const FILES: Record<string, (text: string) => string> = {
	SIMPLEJSON: (text) => `{"cardNumber":"5555555555554444","expirationDate":"12/29","remark":"${text}"}\n`,
	TADC: (text) => `<a><Card CardNumber="5555555555554444" ExpireDate="1229"/><Remark>${text}</Remark></a>`,
	SIMPLECSV: (text) => `CardNumber,ExpirationDate,Remark\n5555555555554444,12/29,"${text}"\n`,
	AIR: (text) =>
		`AIR-BLK207;7A;;233;0000000000;1A1200000;001001\nAMD 1\nGW1\nMUC1A 1\nFPCCCA5555555555554444/1229\nRM ${text}\nENDX\n`,
};

/** Returns every way to write a character in JSON. */
function jsonSpellings(character: string): string[] {
	const units = Array.from({ length: character.length }, (_, i) =>
		character.charCodeAt(i).toString(16).padStart(4, '0'),
	);
	const short: Record<string, string> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '/': '\\/' };
	const ways = [units.map((unit) => `\\u${unit}`).join(''), units.map((unit) => `\\u${unit.toUpperCase()}`).join('')];
	if (short[character]) ways.push(short[character]);
	if (character >= ' ') ways.push(character);
	return ways;
}

/** Returns some of the ways to write a character in XML, which allows any number of leading zeros. */
function xmlSpellings(character: string): string[] {
	const code = character.codePointAt(0)!;
	const hex = code.toString(16);
	const ways = [`&#${code};`, `&#000${code};`, `&#x${hex};`, `&#x00${hex.toUpperCase()};`];
	if (character >= ' ') ways.push(character);
	return ways;
}

const SEPARATORS = [
	'\u00a0',
	'\u202f',
	'\u2013',
	'\u200b',
	'\u2011',
	'\u2009',
	' ',
	'-',
	'.',
	'/',
	'\t',
	'\n',
	'\u2212',
];
const ZEROS = [0x30, 0xff10, 0x660, 0x1d7ce];
const OTHERS = ['é', 'я', '漢', '🂡', ' ', 'x'];

test('a number with any of its characters as escapes is found in JSON and XML, hidden, and restored as it was spelled', async (t) => {
	const parts = await openVaultParts(t);
	const whole = parts.engine(all);
	const tiny = parts.engine(all, { windowBytes: 7, maxRecordBytes: 1_048_576 });
	const choices = fc.infiniteStream(fc.nat(11));
	await fc.assert(
		fc.asyncProperty(
			fc.constantFrom('SIMPLEJSON', 'TADC'),
			fc.constantFrom('4111 1111 1111 1111', '3782 822463 10005'),
			fc.constantFrom(...SEPARATORS),
			fc.constantFrom(...ZEROS),
			fc.array(fc.constantFrom(...OTHERS), { maxLength: 5 }),
			choices,
			fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 }),
			async (filter, number, separator, zero, around, stream, chunkSizes) => {
				// These separators are recognised between groups of ASCII digits only.
				const first = '/\t\n\u2212'.includes(separator) ? 0x30 : zero;
				const spellings = filter === 'TADC' ? xmlSpellings : jsonSpellings;
				const spell = (text: string) =>
					[...text].map((character) => {
						const ways = spellings(character);
						return ways[stream.next().value! % ways.length];
					});
				const digits = [...number].map((c) => (c === ' ' ? separator : String.fromCodePoint(first + Number(c))));
				// The number will stand in brackets, apart from the text around it.
				const spelled = spell(digits.join('')).join('');
				const [before, after] = [spell(around.join('')).join(''), spell(around.reverse().join('')).join('')];
				const isRaw = filter === 'TADC' && /[\t\n]/.test(spelled);
				if (isRaw) return;
				const input = FILES[filter](`${before}(${spelled})${after}`);
				const request = {
					filter,
					direction: 'tokenize' as const,
					options: { otherNumbers: 'tokenize', eliminateCardDuplication: true },
				};
				const there = await swap(parts, whole, { ...request, bytes: Buffer.from(input) });
				t.is(there.summary.otherNumbers, 1, input);
				const [entry] = there.entries.filter(({ outcome }) => outcome === 'otherNumber');
				t.is(entry.offset, Buffer.from(input.slice(0, input.indexOf('(') + 1)).length, input);
				t.regex(entry.number!, /^(411111\*{6}1111|378282\*{5}0005)$/);
				if (!'\t\n'.includes(separator)) t.false(there.bytes.toString().includes(spelled), input);
				const cut = await swap(parts, tiny, { ...request, bytes: Buffer.from(input), chunkSizes });
				t.is(cut.bytes.toString(), there.bytes.toString());
				t.deepEqual(cut.entries, there.entries);
				const back = await swap(parts, tiny, { filter, direction: 'detokenize', bytes: there.bytes, chunkSizes });
				t.is(back.bytes.toString(), input);
				const masked = await swap(parts, whole, {
					...request,
					options: { otherNumbers: 'mask' },
					bytes: Buffer.from(input),
				});
				t.is(masked.summary.otherNumbers, 1);
				// The card of the card field became a token, which is 16 characters longer.
				t.is(masked.bytes.length, Buffer.byteLength(input) + 16);
			},
		),
		{ numRuns: runs(1000) },
	);
});

test('a backslash that is itself escaped begins no escape', async (t) => {
	const parts = await openVaultParts(t);
	const bytes = Buffer.from(FILES.SIMPLEJSON('C:\\\\u0034111111111111111'));
	const options = { otherNumbers: 'tokenize' };
	const there = await swap(parts, parts.engine(all), { filter: 'SIMPLEJSON', direction: 'tokenize', options, bytes });
	t.is(there.summary.otherNumbers, 0);
});

const told = test.macro({
	async exec(t, filter: string, text: string, number: string) {
		const parts = await openVaultParts(t);
		const input = FILES[filter](text);
		for (const otherNumbers of ['report', 'mask', 'tokenize']) {
			const there = await swap(parts, parts.engine(all), {
				...{ filter, direction: 'tokenize' as const, options: { otherNumbers } },
				bytes: Buffer.from(input),
			});
			t.true(there.bytes.includes(text), otherNumbers);
			t.is(there.summary.otherNumbers, 1, otherNumbers);
			const [entry] = there.entries.filter(({ outcome }) => outcome === 'otherNumber');
			t.is(entry.number, number);
			t.regex(entry.reason!, /stays in clear$/);
			t.regex(there.summary.notices[0], /^1 card number stands outside the card fields of this format, in clear/);
		}
	},
	title: (_, filter, text) =>
		`${filter}: a number that nothing can replace is told and stays, whatever the option: ${text}`,
});
test(told, 'SIMPLECSV', '4,111,111,111,111,111', '411111******1111');
test(told, 'SIMPLECSV', '4111;1111;1111;1111', '411111******1111');
test(told, 'AIR', '4.111111111111111E15', '411111******1111');
test(told, 'SIMPLEJSON', '3.78282246310005e+14', '378282*****0005');
test(told, 'AIR', 'FPCC/AX/3782822463100051229', '378282*****0005');
test(told, 'TADC', 'VISA 41111111111111111229123', '411111******1111');

test('a bare floating-point number of JSON is told', async (t) => {
	const parts = await openVaultParts(t);
	const bytes = Buffer.from('{"cardNumber":"","a":[4.111111111111111E15,4111,1111,1111,1112]}');
	const there = await swap(parts, parts.engine(all), { filter: 'SIMPLEJSON', direction: 'tokenize', bytes });
	t.is(there.summary.otherNumbers, 1);
});

test('numbers with signs, zeros and list items come back byte for byte, however the file is cut', async (t) => {
	const parts = await openVaultParts(t);
	const whole = parts.engine(all);
	const tiny = parts.engine(all, { windowBytes: 7, maxRecordBytes: 1_048_576 });
	const part = fc.constantFrom(
		...['4111111111111111', '4111/1111/1111/1111', '3782*822463*10005', '4,111,111,111,111,111', '0004111111111111111'],
		...['VISA ', 'AX/', '3782822463100051229', '4.111111111111111E15', '1.', '4111 / 1111 / 1111 / 1111', '4111'],
		...['a', 'F', '12', '0', ' ', '-', '.', ',', '/', '    ', '\u00b7', '\u2212', 'é', '漢', '000'],
	);
	await fc.assert(
		fc.asyncProperty(
			fc.constantFrom(...Object.keys(FILES)),
			fc.constantFrom('mask', 'tokenize'),
			fc.array(part, { maxLength: 20 }),
			fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 }),
			async (filter, otherNumbers, pieces, chunkSizes) => {
				const bytes = Buffer.from(FILES[filter](pieces.join('')));
				const options = { otherNumbers, expectCards: false, eliminateCardDuplication: true };
				const request = { filter, options, direction: 'tokenize' as const };
				const there = await swap(parts, whole, { ...request, bytes });
				const cut = await swap(parts, tiny, { ...request, bytes, chunkSizes });
				t.deepEqual(cut.entries, there.entries);
				t.deepEqual(cut.summary, there.summary);
				if (otherNumbers === 'mask') {
					t.is(cut.bytes.toString(), there.bytes.toString());
					return;
				}
				const again = await swap(parts, whole, { ...request, bytes: there.bytes });
				t.is(again.bytes.toString(), there.bytes.toString());
				const back = await swap(parts, tiny, { filter, direction: 'detokenize', bytes: there.bytes, chunkSizes });
				t.is(back.bytes.toString(), bytes.toString());
			},
		),
		{ numRuns: runs(1000) },
	);
});
