// Generates lines of AIR and IUR whose codes, numbers, expiries and tokens are easily confused with each other.

import fc from 'fast-check';

const TOKENS_A_FILE = 60;

const NUMBERS: Readonly<Record<string, readonly string[]>> = {
	VI: ['4111111111111111', '4222222222222', '4111 1111 1111 1111', '4912345678901234566', '4111-1111-1111-1111'],
	CA: ['5555555555554444', '5555.5555.5555.4444'],
	EC: ['5105105105105100'],
	MC: ['2223003122003222', '5555 5555 5555 4444'],
	MA: ['6304000000000000'],
	AX: ['378282246310005', '3782 822463 10005'],
	DC: ['36227206271667', '3622 720627 1667', '5555555555554444'],
	CB: ['36227206271667'],
	BC: ['4111111111111111', '36227206271667'],
	TP: ['192012345678901', '1354 12345 678911'],
	ZZ: ['4111111111111111', '4111111111111112', '411111111111'],
};
const code = fc.constantFrom(...Object.keys(NUMBERS));
const hex = fc.constantFrom(...'0123456789ABCDEF');

/** Tokens begin, and in `tailOfToken` end, with what looks like a code, an expiry, a security code or part of a number. */
const headOfToken = fc.constantFrom(
	...[
		'',
		'',
		'A',
		'B',
		'AB',
		'CA',
		'CCAB',
		'CCCA',
		'DCA',
		'12CA',
		'123CA',
		'12',
		'10',
		'123D1229',
		'5555555555',
		'CACACACA',
	],
	...['D1229', '1229', 'E', 'BC', 'CBC', 'DC', 'DCDC', 'EC', 'ABCDEF', '01', '0'],
);
const tailOfToken = fc.constantFrom(
	...[
		'',
		'',
		'D',
		'E',
		'1229',
		'D1229',
		'ED1229',
		'CA',
		'C',
		'DC',
		'CCCA',
		'CA5555',
		'CA555555555',
		'DC3622720',
		'12',
		'1',
		'122',
		'D12',
	],
	...['0', '1111', 'CACA', 'A1229', 'AB', 'DCA', 'CB'],
);
const token = fc
	.tuple(headOfToken, fc.array(hex, { minLength: 32, maxLength: 32 }), tailOfToken)
	.map(([head, middle, tail]) => head + middle.join('').slice(0, 32 - head.length - tail.length) + tail)
	.filter((text) => text.length === 32 && !/\d{12}/.test(text));
// Tokens are not made smaller after a failure, because that would show nothing new and take long.
export const tokens = fc.noShrink(fc.uniqueArray(token, { minLength: TOKENS_A_FILE, maxLength: TOKENS_A_FILE }));

const separator = fc.constantFrom(...['', '', '', ' ', '/', '-', '.', '*', '+', ':', ': ', ' - ', '    ']);
const before = fc.constantFrom(
	...[
		'',
		'',
		'',
		' ',
		'/',
		'+',
		';',
		'/CC',
		'CC',
		'C',
		'C',
		'CCC',
		'CX',
		'/CX',
		'IN',
		'INCC',
		'D',
		'DC',
		'VI',
		'VICC',
		'VI12',
		'VI1',
		'EC',
	],
	...[
		'CARD ',
		'CARD 12',
		'CARD 123',
		'VISA:',
		'NUM-',
		'NUM-123',
		'FOP*',
		';AC',
		'12',
		'123',
		'A',
		'B',
		'AB',
		'ABC',
		'CA',
		'MC',
		'XC',
		'CXC',
		'G',
		'*',
		'X',
	],
);
const behind = fc.constantFrom(
	...[
		'',
		'',
		' ',
		';',
		'/1229',
		'+1229',
		'1229',
		'1229',
		'1229/',
		'1229;',
		'D1229',
		'N1229',
		'EXP1229',
		'EXP 12 29',
		' EXP12/29',
		'/12/29',
	],
	...[
		'-EXP-1229',
		'\xa51229',
		'   /12/29/',
		'/1329',
		'D122',
		'29',
		'229',
		'12',
		'A',
		'D',
		'E',
		'X',
		'.',
		'-',
		' 1229',
		'/0119',
		';DA1229;',
	],
	...['*CV123', '/CV1234', ' CVV 123', ' SC123', ' CVC 12', '*CVX', ' CVV ***'],
);
const card = fc.tuple(before, code, separator, fc.nat(), behind).map(([head, letters, between, index, tail]) => {
	const list = NUMBERS[letters];
	return head + letters + between + list[index % list.length] + tail;
});
const bare = fc.tuple(before, fc.constantFrom(...Object.values(NUMBERS).flat()), behind).map((parts) => parts.join(''));
const hash = fc
	.tuple(before, fc.constantFrom('', 'CA', 'DC', 'CCCA', '12CA'), token, behind)
	.map((parts) => parts.join(''));
const junk = fc.constantFrom(
	...[
		' ',
		' ',
		'/',
		'CA',
		'C',
		'XXXXXXXXXXXX1111',
		'CCVIXXXXXXXXXXXX1111',
		'CAXXXXXXXXXXXX1111',
		'X',
		'XXXXXXXX',
		' TKN-',
		'TEXT ',
		'CVV 123 ',
		'\f',
	],
);
const text = fc
	.array(
		fc.oneof(
			{ weight: 6, arbitrary: card },
			{ weight: 2, arbitrary: bare },
			{ weight: 1, arbitrary: hash },
			{ weight: 2, arbitrary: junk },
		),
		{ minLength: 1, maxLength: 3 },
	)
	.map((parts) => parts.join(''));

const AIR_TAGS = [
	'',
	'RM ',
	'RM*',
	'RC',
	'RIU',
	'RIF',
	'RI',
	'SSR ',
	'FP',
	'FP ',
	'FP*',
	'MFP',
	'FPO/',
	'P-FP/',
	'Z-FOP-',
	'Z-FOP-INCC',
	'U-1;',
	'PPI;CC-',
	'T-K',
	'FE',
	'K',
	'M',
];
const airLine = fc.tuple(fc.constantFrom(...AIR_TAGS), text).map(([tag, rest]) => tag + rest);
const excludedTags = fc.subarray(['CA5', 'CAC', 'RM CA', 'RM CAC', 'DC1', 'RM VI4', 'RM', 'VI'], {
	maxLength: 3,
});
export const airFile = fc
	.tuple(fc.array(airLine, { minLength: 1, maxLength: 5 }), excludedTags, fc.boolean())
	.map(([lines, tags, paymentScreen]) => ({
		text: ['AIR-BLK207', 'AMD', '1A', 'MUC1A', ...lines, 'ENDX', ''].join('\n'),
		options: { excludedTags: tags, paymentScreen },
	}));

const m2 = fc
	.tuple(text, text, fc.constantFrom('', '*', 'CK TF0/', 'CC'))
	.map(([fixed, payment, head]) => [`M201ADT ${fixed}`, '01', '01', `${head}${payment}`, ...Array(8).fill('')]);
const IUR_NAMES = [
	'M301 ',
	'M401ADT',
	'M501  XX#1/ONE/CC',
	'M501  XX#1/ONE/',
	'M6ADT ',
	'M701',
	'M801',
	'M901',
	'MA01',
	'MB01',
	'MC01',
	'MD01',
	'MC',
	'MD',
	'MA',
	'ME01',
	'MF01FOP*',
	'MX01',
	'MG01',
	'MG ',
	'MGM GRAND ',
	'',
	'',
	'PY/CC/',
	'PY/CX/',
];
const iurLine = fc.tuple(fc.constantFrom(...IUR_NAMES), text).map(([name, rest]) => [name + rest]);
const mg = fc
	.tuple(
		fc.constantFrom('4111111111111111  ', '36227206271667', '4111111111111112', 'XXXXXXXXXXXX1111'),
		fc.constantFrom(' ', 'X', 'A'),
		text,
		text,
	)
	.map(([digits, spare, one, other]) => [
		`${`MG01 ${one}`.slice(0, 166).padEnd(166)}CCVI${spare}${digits.padEnd(22)}1229  ${other}`,
	]);
export const iurFile = fc
	.array(fc.oneof({ weight: 4, arbitrary: iurLine }, { weight: 1, arbitrary: m2 }, { weight: 1, arbitrary: mg }), {
		minLength: 1,
		maxLength: 5,
	})
	.map((sections) => ({
		text: ['AA20NOV0915M0117', ...sections.flat(), 'M999END', ''].join('\n'),
		options: {},
	}));
