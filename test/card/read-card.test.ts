import test from 'ava';
import fc from 'fast-check';
import { type CardParts, PART, type PartName } from '../../src/base/card/card-parts.ts';
import { CardReading, type CardRules, DOORS } from '../../src/base/card/read-card.ts';
import { holdsCardNumber } from '../../src/base/card/spelling/spelled-number.ts';
import { type Problem, WARNING_LINES, WARNINGS } from '../../src/base/card/verdict.ts';

const NOW = new Date('2026-11-15');
const VISA = '4111111111111111';
type Texts = Partial<Record<PartName, string | Buffer>>;
const GOOD: Texts = { number: VISA, month: '04', year: '2030', cvv: '306', type: 'Visa' };

function read(rules: CardRules, texts: Texts): { outcome: string; reading: CardReading } {
	const reading = new CardReading(rules, NOW);
	put(reading.parts, texts);
	return { outcome: reading.read(), reading };
}

function put(parts: CardParts, texts: Texts): void {
	parts.begin();
	for (const [part, text] of Object.entries(texts)) parts.put(PART[part as PartName], text);
}

/** Says what comes of a card at each door: its first fault, or its warnings. */
function said(texts: Texts): Record<string, string> {
	return Object.fromEntries(
		Object.entries(DOORS).map(([door, rules]) => {
			const { outcome, reading } = read(rules, texts);
			if (outcome === 'refused') return [door, reading.faults()[0].join(': ')];
			return [door, outcome === 'none' ? 'none' : WARNING_LINES[reading.warnings]];
		}),
	);
}

const everywhere = (text: string) => ({ found: text, call: text, row: text, form: text });

const cases: Record<string, [texts: Texts, verdicts: Record<string, string>]> = {
	'a good card': [GOOD, everywhere('')],
	'a number with blanks and hyphens': [{ ...GOOD, number: '4111-1111 1111-1111' }, everywhere('')],
	'a hyphen at the end': [
		{ ...GOOD, number: `${VISA}-` },
		{ ...everywhere(''), found: 'number: luhn' },
	],
	'23 characters with 16 digits': [
		{ ...GOOD, number: '4111 - 1111 - 1111 - 11' },
		{ found: 'number: luhn', call: 'number: too-long', row: 'number: too-long', form: 'number: luhn' },
	],
	'full-width digits are 16 characters': [{ ...GOOD, number: `４${'１'.repeat(15)}` }, everywhere('')],
	'a masked number': [
		{ ...GOOD, number: '411111XXXXXX1111' },
		{ ...everywhere('number: too-short'), found: 'none' },
	],
	'a token': [
		{ ...GOOD, number: 'ab'.repeat(16) },
		{ ...everywhere('number: too-short'), found: 'none', call: 'number: too-long', row: 'number: too-long' },
	],
	'no number': [
		{ ...GOOD, number: '' },
		{ ...everywhere('number: required'), found: 'none' },
	],
	'a number of a spreadsheet': [
		{ ...GOOD, number: '4.11111E+15' },
		{ ...everywhere('number: too-short'), found: 'number: spreadsheet', row: 'number: spreadsheet' },
	],
	'no expiry': [
		{ ...GOOD, month: '', year: '' },
		{ found: WARNINGS['expiry-missing'], call: 'month: required', row: 'expiry: required', form: 'expiry: required' },
	],
	'a month of one digit': [
		{ ...GOOD, month: '4' },
		{ ...everywhere(''), call: 'month: month' },
	],
	'a year of two digits': [
		{ ...GOOD, year: '30' },
		{ ...everywhere(''), call: 'year: year' },
	],
	'a year out of range': [
		{ ...GOOD, year: '3999' },
		{ ...everywhere('expiry: expiry'), call: 'year: range' },
	],
	'a year that programs write for none': [
		{ ...GOOD, year: '9999' },
		{ ...everywhere('expiry: expiry'), call: 'year: range', found: WARNINGS['expiry-missing'] },
	],
	'a placeholder for month and year': [
		{ ...GOOD, month: 'N/A', year: '--' },
		{ ...everywhere('expiry: expiry'), call: 'month: month', found: WARNINGS['expiry-missing'] },
	],
	'a placeholder for a CVV': [
		{ ...GOOD, cvv: 'n.a.' },
		{ ...everywhere('cvv: cvv'), found: '' },
	],
	'a CVV that has lost a zero': [
		{ ...GOOD, cvv: '12' },
		{ ...everywhere('cvv: cvv'), found: '' },
	],
	'a card of last month': [{ ...GOOD, month: '10', year: '2026' }, everywhere('expiry: expired')],
	'a CVV of stars': [
		{ ...GOOD, cvv: '***' },
		{ ...everywhere(''), call: 'cvv: cvv', form: 'cvv: cvv' },
	],
	'a CVV with a blank': [
		{ ...GOOD, cvv: ' 306' },
		{ ...everywhere(''), call: 'cvv: cvv', form: 'cvv: cvv' },
	],
	'a CVV of five digits': [{ ...GOOD, cvv: '30612' }, everywhere('cvv: cvv')],
	'a CVV of four digits of a Visa card': [
		{ ...GOOD, cvv: '3061' },
		{ ...everywhere(''), form: 'cvv: cvv' },
	],
	'another type': [{ ...GOOD, type: 'AMEX' }, everywhere(WARNINGS['type-mismatch'])],
	'an unknown type': [{ ...GOOD, type: 'Elf' }, everywhere(WARNINGS['type-missing'])],
	'no type': [{ ...GOOD, type: '' }, everywhere(WARNINGS['type-missing'])],
	'a NUL in a reference': [
		{ ...GOOD, reference: 'a\0b' },
		{ ...everywhere('reference: nul'), found: WARNINGS['reference-unusable'] },
	],
};
for (const [name, [texts, verdicts]] of Object.entries(cases)) {
	test(`${name} is judged by the rules of each door`, (t) => t.deepEqual(said(texts), verdicts));
}

const NUMBERS = [
	...[VISA, '4111-1111-1111-1111', 'b 4111.1111.1111.1111', '4111_1111_1111_1111', '3782/822463/10005'],
	...[
		'4111\u00a01111\u00a01111\u00a01111',
		'４１１１１１１１１１１１１１１１',
		'４１１１　１１１１－１１１１　１１１１',
		'٤١١١١١١١١١١١١١١١',
	],
	...['𝟒𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏', '५१०५१०५१०५१०५१००', '4.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1', '4a1b1c1d1e1f1g1h1i1j1k1l1m1n1o1p'],
	'4111\u200b1111\u200b1111\u200b1111',
];
for (const part of ['name', 'issueNumber', 'owner', 'reference'] as const) {
	test(`a ${part} that is a card number or too long is refused by strict doors and left out by the others`, (t) => {
		for (const text of [...NUMBERS, 'ü'.repeat(256), `x${'ü'.repeat(600)}`]) {
			const problem: Problem = text.length > 255 ? 'long' : 'number';
			const { call, row, form } = said({ ...GOOD, [part]: text });
			t.deepEqual([call, row, form], Array(3).fill(`${part}: ${problem}`), text);
			const { outcome, reading } = read(DOORS.found, { ...GOOD, [part]: text });
			t.deepEqual([outcome, reading.text(PART[part])], ['accepted', null], text);
		}
		for (const text of [
			'192.168.100.200',
			'2026.11.21 18.34.55',
			'PNR/2026/1121/0001',
			'予約２０２６',
			'ü'.repeat(255),
		]) {
			const { reading } = read(DOORS.found, { ...GOOD, [part]: text });
			t.deepEqual([reading.text(PART[part])?.toString(), reading.warnings], [text, 0]);
			t.deepEqual(said({ ...GOOD, [part]: text }), everywhere(''));
		}
	});
}

test('a card is told once that its name, and once that its reference, is not kept', (t) => {
	const { reading } = read(DOORS.found, { ...GOOD, name: VISA, reference: VISA });
	t.is(WARNING_LINES[reading.warnings], `${WARNINGS['reference-unusable']}, ${WARNINGS['name-unusable']}`);
});

test('a text in Windows-1252 is kept as UTF-8', (t) => {
	const { reading } = read(DOORS.found, { ...GOOD, name: Buffer.from('M\xfcller \x80', 'latin1') });
	t.is(reading.text(PART.name)?.toString(), 'Müller €');
});

test('any text beside a card is kept exactly if it may be, whatever its bytes', (t) => {
	const digitsWithin = fc.array(fc.constantFrom('4', '1', ' ', '-', 'a', '１', 'ü', '\u200b', '\0'), { maxLength: 40 });
	const text = fc.oneof(
		fc.string({ unit: 'binary', maxLength: 300 }),
		digitsWithin.map((each) => each.join('')),
	);
	fc.assert(
		fc.property(text, (name) => {
			const { reading } = read(DOORS.found, { ...GOOD, name });
			const plain = Buffer.from(name).toString();
			const mayBeKept = plain !== '' && plain.length <= 255 && !plain.includes('\0') && !holdsCardNumber(plain);
			t.is(reading.text(PART.name)?.toString(), mayBeKept ? plain : undefined);
		}),
	);
});

test('what one card leaves behind does not change the verdict on the next one', (t) => {
	const any = fc.record(
		Object.fromEntries(
			Object.keys(PART).map((part) => [
				part,
				fc.oneof(fc.constantFrom('', VISA, '04', '2030', '12/29', '306', 'Visa'), fc.string()),
			]),
		),
	);
	const state = ({ number, expiry, cvv, type, brand, warnings, problems }: CardReading, outcome: string) => [
		...[outcome, number.kind, number.count, expiry, cvv, type, brand, warnings, [...problems]],
	];
	fc.assert(
		fc.property(fc.constantFrom(...Object.values(DOORS)), any, any, (rules, first, second) => {
			const used = new CardReading(rules, NOW);
			put(used.parts, first);
			used.read();
			put(used.parts, second);
			const outcome = used.read();
			const fresh = read(rules, second);
			t.deepEqual(state(used, outcome), state(fresh.reading, fresh.outcome));
		}),
	);
});

test('an expiry that a scanner has read is taken as it is', (t) => {
	const reading = new CardReading(DOORS.found, NOW);
	put(reading.parts, { number: VISA, type: 'Visa' });
	t.is(reading.read(203004), 'accepted');
	t.is(reading.expiry, 203004);
	t.is(reading.read(-1), 'refused');
	t.is(reading.refusal, 'expiry');
});

test('nothing is left of a card after it was wiped', (t) => {
	const { reading } = read(DOORS.call, GOOD);
	const { bytes } = reading.parts;
	reading.wipe();
	t.true(bytes.every((byte) => byte === 0));
	t.true(reading.number.digits.every((byte) => byte === 0));
});
