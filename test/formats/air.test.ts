import test from 'ava';
import { air } from '../../formats/air/air.ts';
import { DEFAULT_KEYWORDS } from '../../formats/scan/free-text.ts';
import { Findings } from '../../src/engine/format.ts';
import { fixtureCases } from '../helpers/fixture-cases.ts';
import { checkFixture } from '../helpers/line-fixtures.ts';
import { scanAll } from '../helpers/scan.ts';

const HEADER = [
	'AIR-BLK207;7A;;233;0000000000;1A1200000;001001',
	'AMD 0100000001;1/1;',
	'1A1200000',
	'MUC1A ABCDEF003',
];

function airOf(...lines: string[]): Buffer {
	return Buffer.from([...HEADER, ...lines, 'ENDX', ''].join('\r\n'), 'latin1');
}

/** A whole AIR without cards, longer than the head that the scanner waits for. */
const PADDING = airOf(...Array.from({ length: 200 }, (_, i) => `RM ${String(i).padStart(40, '. ')}`));

for (const fixture of fixtureCases('AIR')) {
	test(`fixture ${fixture.name}: ${fixture.note}`, (t) => checkFixture(t, air, fixture, PADDING));
}

test('the defaults are the keywords of the vocabulary, free text on, nothing excluded besides, no payment screens', (t) => {
	t.deepEqual(air.options.parse({}), {
		freeText: true,
		keywords: [...DEFAULT_KEYWORDS],
		excludedTags: [],
		paymentScreen: false,
	});
});

const refused = test.macro({
	exec(t, options: object) {
		t.false(air.options.safeParse(options).success);
	},
	title: (name) => `options are refused: ${name}`,
});
test('an unknown name', refused, { freetext: true });
test('a keyword that a token could hold', refused, { keywords: ['FACE'] });
test('a keyword with digits first', refused, { keywords: ['1A'] });
test('no keyword at all', refused, { keywords: [] });
test('an excluded tag that would hide payments', refused, { excludedTags: ['FPCC'] });
test('an excluded tag that would hide every line with F', refused, { excludedTags: ['F'] });
test('an excluded tag that would hide the end', refused, { excludedTags: ['ENDX'] });

test('an AIR names its tokens in upper case', (t) => {
	t.is(air.filter, 'AIR');
	t.is(air.tokenCase, 'upper');
});

test('records are counted by AIR-BLK, lines by line ends', (t) => {
	const payment = 'FPCCVI4111111111111111/1229';
	const file = Buffer.concat([airOf(payment), airOf('RM', payment)]);
	t.deepEqual(
		scanAll(air, air.options.parse({}), file).map(({ record, line }) => [record, line]),
		[
			[1, 5],
			[2, 12],
		],
	);
});

test('every beginning of an AIR file is refused, or is a whole shorter file', (t) => {
	const payment = 'FPCCVI4111111111111111/1229';
	const one = airOf(payment);
	const file = Buffer.concat([one, one]);
	const options = air.options.parse({});
	// A cut file is whole if it ends with END or ENDX of one of its two AIRs, with or without the line end.
	const whole = new Set([one.length, file.length].flatMap((length) => [length - 3, length - 2, length - 1, length]));
	for (let length = 1; length <= file.length; length++) {
		const cut = file.subarray(0, length);
		if (whole.has(length)) t.true(scanAll(air, options, cut).length > 0, `${length} bytes`);
		else t.throws(() => scanAll(air, options, cut), { name: 'FileError' }, `${length} bytes`);
	}
});

test('behind CC, two letters that are no known code stand for a brand that has none, such as Mir', (t) => {
	const numbersIn = (line: string) => scanAll(air, air.options.parse({}), airOf(line)).map(({ number }) => number.raw);
	t.deepEqual(numbersIn('RM CCMI2201382000000013/1229*CV123'), ['2201382000000013']);
	t.deepEqual(numbersIn('RIUCC/RU6521500000000006/1229'), ['6521500000000006']);
	t.deepEqual(numbersIn('RM CCMI 2200 7702 3956 9504'), ['2200 7702 3956 9504']);
	t.deepEqual(numbersIn('RM CCMI0123456789ABCDEF0123456789ABCDEF/1229'), ['0123456789ABCDEF0123456789ABCDEF']);
	// The check digit is wrong, the brand has a code of its own, the letters are none of a code, or a word ends before them.
	for (const line of [
		'RM CCMI2201382000000014/1229',
		'RM CCZZ4111111111111111/1229',
		'RM CCRA2201382000000013/1229',
		'RM ACCMI2201382000000013/1229',
		'RM MI2201382000000013/1229',
	]) {
		t.deepEqual(numbersIn(line), [], line);
	}
});

const marked = test.macro({
	exec(t, line: string, expected: (string | undefined)[]) {
		const findings = scanAll(air, air.options.parse({}), airOf(line));
		t.deepEqual(
			findings.map(({ cvv }) => cvv?.raw),
			expected,
		);
	},
	title: (what) => `CVVs: ${what}`,
});
test('a star before one hides none', marked, 'RM CARD 4111111111111111 CVV *123', ['123']);
test('two stars before one hide none', marked, 'RM CARD 4111111111111111 CVV**123', ['123']);
test('stars that were one stay one', marked, 'RM CARD 4111111111111111 CVV*** 123', ['***']);
test('an expiry may be glued to one', marked, 'RM CARD 4111111111111111 CVV123EXP1229', ['123']);
test('another letter may not', marked, 'RM CARD 4111111111111111 CVV123A', [undefined]);
test('stars with an expiry glued to them', marked, 'RM CARD 4111111111111111 CVC ***D1229', ['***']);
test('a token that begins like one is none', marked, 'RM CARD 4111111111111111 CVC 123D1229AB45C2E9CCAB00F1E2D3C4B5', [
	undefined,
]);
test('five stars are none', marked, 'RM CARD 4111111111111111 CVV *****', [undefined]);

for (const text of [
	...['/CVV CODE 123', '/CVC NO. 123', ' CVV NUMBER 123', ' SECURITY NO 123', ' CV2 123', ' CV2:123', '/CV-123'],
	...[
		'*CV 123',
		'/CV2123',
		'*CV1123',
		'*CV2123',
		'*CV123',
		'/SC123',
		'*SC123',
		' SC123',
		'/CV2-123',
		'/EUR1234.56/A123456*CV123',
	],
]) {
	test(`behind the expiry: ${text}`, marked, `FPCCVI4111111111111111/1229${text}`, ['123']);
	const stars = text.replace(/123$/, '***');
	const token = 'D1229A5511229CCAB00F1E2D3C4B5A69';
	test(`its stars too: ${stars}`, marked, `FPCCVI${token}/1229${stars}`, ['***']);
}
const AMEX = 'FPCCAX378282246310005/1229';
test('CV1 and CV2 are no labels if all four digits are the CVV of an American Express', marked, `${AMEX}*CV1234`, [
	'1234',
]);
test('they are if five digits follow CV', marked, `${AMEX}*CV21234`, ['1234']);
test('SC and the four digits of an American Express', marked, `${AMEX}*SC1234`, ['1234']);
for (const label of [
	'CCV',
	'CCV2:',
	'SECURITY DIGITS',
	'VERIFICATION CODE',
	'PRUEFZIFFER',
	'CRYPTOGRAMME',
	'CODE DE SECURITE',
]) {
	test(`a code behind ${label}`, marked, `RM VI4111111111111111/1229 ${label} 123`, ['123']);
}
test('a form of payment with a masked number is none', marked, 'RM VI4111111111111111/1229 CCVI 4111 XXXX XXXX 1111', [
	undefined,
]);
test('a flight of SC is none', marked, 'RM PAID VI4111111111111111 FOR SC1234 12MAR', [undefined]);
test('nor a flight with three digits', marked, 'RM PAID VI4111111111111111/1229 FOR SC123 12MAR', [undefined]);
test('nor a flight behind the expiry', marked, 'RM VI4111111111111111/1229 SC1234 12MAR', [undefined]);
test('nor a flight of CV behind a blank', marked, 'RM VI4111111111111111/1229 CV 123', [undefined]);
test('CV far behind a card is none without its star', marked, `${AMEX}/EUR1234.56/A123456/CV1234`, [undefined]);
test('a social security number is none', marked, 'RM VI4111111111111111/1229 SECURITY NO 123-45-6789', [undefined]);
test('SC right behind a card without expiry', marked, 'RM CARD 4111111111111111 SC123', ['123']);
test('SC behind a labelled expiry in text', marked, 'RM CARD 4111111111111111 EXP 12/29 SC123', ['123']);

const expires = test.macro({
	exec(t, line: string, expected: number) {
		t.deepEqual(
			scanAll(air, air.options.parse({}), airOf(line)).map(({ expiry }) => expiry),
			[expected],
		);
	},
	title: (_, line, expected) => `the expiry is ${expected}: ${line}`,
});
for (const word of [
	'EXPIRY',
	'EXPIRES',
	'EXP DATE',
	'EXPIRY DATE:',
	'VALID',
	'VALID THRU',
	'EXP. DATE',
	'/EXPIRATION',
]) {
	test(expires, `RM VI4111111111111111 ${word} 12/20`, 202012);
}
test(expires, 'RM VI4111111111111111EXPIRES 1229', 202912);
test(expires, 'RM F.VI4111111111111111/D1229*A12345', 202912);
test(expires, 'RM F.VI4111111111111111*D1229*A12345', 202912);
test(expires, 'RM F.VI4111111111111111/D1500', 0);
test(expires, 'RM F.VI4111111111111111/D12291', 0);
test(expires, 'FPCCVI4111111111111111/D', 0);
test(expires, 'RM VI4111111111111111 VALID 12-15 MAR', 0);
test(expires, 'RM VI4111111111111111 VALID 31/12/2029', 0);
test(expires, 'RM VI4111111111111111 EXPIRES SOON', 0);
test(expires, 'RM VI4111111111111111 EXPXXXX', 0);

const mistyped = test.macro({
	exec(t, line: string, expected: readonly string[]) {
		t.deepEqual(
			scanAll(air, air.options.parse({}), airOf(line)).map(({ number }) => number.raw),
			expected,
		);
	},
	title: (_, line, expected: readonly string[]) => `${line}: ${expected.length === 0 ? 'no' : 'a'} card, good or bad`,
});
for (const code of ['CC-VI', 'CC/VI/', 'CC/VI', 'VI/', 'VI-', ' VI ', 'CCVI ']) {
	test(mistyped, `FP${code}4111111111111112/1229`, ['4111111111111112']);
}
test(mistyped, 'FPCASH+CC-VI4111111111111112/1229', ['4111111111111112']);
test(mistyped, 'FPCA 9991234567890', []);
test(mistyped, 'FPCA/99912345678901', []);
test(mistyped, 'RM CC 5086069930786', []);
test(mistyped, 'RM CARD 4222222222222', ['4222222222222']);

test('a line with more CVVs than cards is told of', (t) => {
	const noticesOf = (line: string) => {
		const found = new Findings();
		const bytes = airOf(line);
		air.scanner(air.options.parse({}), 'tokenize').scan(bytes, 0, bytes.length, true, found);
		return [...found.notices];
	};
	const card = 'RM CARD 4111111111111111 CVV 123';
	t.deepEqual(noticesOf(card), []);
	t.deepEqual(noticesOf(`${card} CVC2 ***`), []);
	t.deepEqual(noticesOf('H-001;CARD 4111111111111112 SEC CODE 123'), [
		'A line holds a CVV and no card that this format finds: it was left as it is',
	]);
	t.deepEqual(noticesOf('H-001;CARD 4111111111111112 SEC CODE ***'), []);
	for (const label of ['cVV 123', 'CID 123', 'CV2 123']) {
		t.is(noticesOf(`H-001;CARD 4111111111111112 ${label}`).length, 1, label);
		// The engine finds this number, and tells of its code.
		t.is(noticesOf(`H-001;CARD 4111111111111111 ${label}`).length, 0, label);
	}
	// The scanner gives no notice of these labels, because the engine looks for them everywhere.
	for (const label of ['CVV 123', 'CVV CODE 123', 'CVC2 NR 1234', 'CVD-NO-123']) {
		t.deepEqual(noticesOf(`H-001;CARD 4111111111111112 ${label}`), [], label);
	}
	t.deepEqual(noticesOf(`${card} CVC2 123`), ['A line holds more CVVs than cards: those beyond were left as they are']);
});

test('a CVV behind a label within another goes to one card alone', (t) => {
	const found = scanAll(air, air.options.parse({}), airOf('PPI;CC-CVV 123 VI4111111111111111*VI4111111111111111'));
	t.deepEqual(
		found.map(({ cvv }) => cvv?.raw),
		['123', undefined],
	);
});

test('a token behind its code is found where letters behind CC may be a code that is not known', (t) => {
	for (const [before, token, behind] of [
		['CCCMC', 'AAD50280D3291E6A66DCF79C94AD9C4D', '1229;'],
		['PPI;CC-INCCCB', 'A2486F15E6531E99B6C5EF0890BD1111', '/1329'],
		['CCRU', 'AAD50280D3291E6A66DCF79C94AD9C4D', '1229;'],
	]) {
		const found = scanAll(air, air.options.parse({}), airOf(before + token + behind), { direction: 'detokenize' });
		t.deepEqual(
			found.map(({ number }) => number.raw),
			[token],
			before,
		);
	}
});

test('a number beyond the end of a cut window is not read', (t) => {
	// If it were read, the number would be longer, because the helper fills what lies around the window with nines.
	const file = airOf('FPCCVI41111111111111');
	const findings = scanAll(air, air.options.parse({}), file, { windowSizes: [3] });
	t.deepEqual(
		findings.map(({ number }) => number.raw),
		['41111111111111'],
	);
});

test('a place is called by the tag of its line, and by nothing where no known tag stands', (t) => {
	const bytes = airOf('RIFVI 1', 'Z-FOP-INCASH 2', 'FPCASH 3', 'U-007;4', '4111111111111111 5', 'JOHN 6');
	const scanner = air.scanner(air.options.parse({}), 'tokenize');
	t.false(scanner.hasCardPlace);
	scanner.scan(bytes, 0, bytes.length, true, new Findings());
	t.true(scanner.hasCardPlace);
	const fieldOf = (text: string) => scanner.fieldAt?.(bytes, 0, bytes.indexOf(text) + text.length - 1);
	t.deepEqual(['RIFVI 1', 'INCASH 2', 'FPCASH 3', 'U-007;4', '1111 5', 'JOHN 6', 'AIR-BLK2'].map(fieldOf), [
		'RIF',
		'Z-FOP',
		'FP',
		'U-',
		undefined,
		undefined,
		'AIR-BLK',
	]);
});
