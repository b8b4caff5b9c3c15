import test from 'ava';
import { endOfDigits } from '../../src/base/card/ascii.ts';
import {
	codeBehind,
	doubtfulCodeBehind,
	endOfStars,
	isAmexRange,
	labelledCodeBehind,
	wordedCodeBehind,
} from '../../src/base/card/spelling/code-behind.ts';

const NUMBER = '4111111111111111';
const findLabelled = (bytes: Buffer, numberEnd: number, end: number) => labelledCodeBehind(bytes, numberEnd, end);

/** Returns the code that `find` sees behind a number with `text` behind it. */
function codeIn(
	find: (bytes: Buffer, numberEnd: number, end: number, isAmex: boolean) => number,
	text: string,
	isAmex = false,
): string | undefined {
	const bytes = Buffer.from(NUMBER + text);
	const at = find(bytes, NUMBER.length, bytes.length, isAmex);
	if (at === -1) return undefined;
	return bytes.toString(
		'latin1',
		at,
		Math.max(endOfDigits(bytes, at, bytes.length), endOfStars(bytes, at, bytes.length)),
	);
}

const found = test.macro({
	exec(t, ...texts: string[]) {
		for (const text of texts) {
			t.is(codeIn(codeBehind, text), '123', text);
			t.is(codeIn(codeBehind, text.replace('123', '***')), '***', text);
		}
	},
	title: (_, ...texts) => `a code right behind an expiry: ${texts.join('   ')}`,
});
test(
	found,
	'/1229/123',
	'+1229+123',
	'-1229-123',
	'#1229#123',
	'@1229@123',
	'\u00a51229/123',
	'1229/123',
	' /1229/123',
);
test(
	found,
	' 12/29 123',
	' 12/2029 123',
	' 12-29 123',
	' 1229 123',
	' 12 29 123',
	'|12|29|123',
	',12,2029,123',
	'.12.29.123',
);
test(
	found,
	' EXP 12/29 123',
	' exp: 12.29 - 123',
	'EXP1229/123',
	'/-EXP-1229-123',
	' VALID THRU 12/29 123',
	'D1229-123',
);
test(
	found,
	'/1229/123;P1',
	' 12/29 123 4012888888881881',
	'|12|29|123|50',
	',12/29,123,50',
	' (12/29) 123',
	'/1229 (123)',
);
test(found, ' DEC29 123', ' Dez 2029 123', ' EXP dec-29, 123', '/DECEMBRE 29/123', " DIC'29 123");
test(found, ' 2029-12 123', '|2029-12|123', '/2029/12/123', ' EXP 2029-12, 123');
test(found, '&nbsp;12/29&nbsp;123', '%0D%0A12/29%0D%0A123', '%2012%2F29%20123', '&#13;&#10;1229&#10;123');
test(found, '<br>12/29<br/>123', '\\n12\\/29\\n123', '\r\n12/29\r\n123', '&lt;br&gt;1229 &lt;br&gt;123');
test(found, '\\/1229\\/123', ' 12\\/29 123', '\u00a012/29\u00a0123', ' 12/29\\t123', '/0120/123', '/1259/123');

const none = test.macro({
	exec(t, ...texts: string[]) {
		for (const text of texts) t.is(codeIn(codeBehind, text), undefined, text);
	},
	title: (_, ...texts) => `no code right behind an expiry: ${texts.join('   ')}`,
});
test(
	none,
	'/1229/A123',
	'/1229*A123',
	'/1229/EUR123',
	'/1229/N123',
	'/1229*CVX',
	' 12/29 ROOM 123',
	' 04DEC29 123',
	' 2029-12-31 123',
	' 2029-13 123',
	' 2018-12 123',
	'/2029/12/31',
	' DEC 123',
	' DECK29 123',
	' DEC29 123.00',
	'/1229/E06',
	'/1229/AAPS1OK',
);
test(
	none,
	'/1229/123.00',
	'/1229/123,00',
	' 12/29 123-4567',
	' 12/29 123:30',
	' 0521 123 4567',
	'/1229/12',
	'/1229/1234',
	'/1229/123A',
);
test(
	none,
	'/1329/123',
	'/1219/123',
	'/1260/123',
	' 10.25 123',
	' 10:25 123',
	' 123',
	'/123',
	'/1229123',
	'',
	'/1229',
	'/1229/',
	'/1229    123',
);

test('digits that are the first group of another card number are no code, whatever follows that number', (t) => {
	const groups = ['4111 1111 1111 1111', '4111:1111:1111:1111', '3782|822463|10005', '4111 - 1111 - 1111 - 1111'];
	for (const number of groups) {
		const sign = number.replaceAll(/\d/g, '').slice(0, number.length - number.replaceAll(/\D/g, '').length > 9 ? 3 : 1);
		for (const behind of ['', `${sign}1229`, `${sign}1229${sign}7`, 'x', `${sign}99`]) {
			t.is(codeIn(codeBehind, `/1229${sign}${number}${behind}`, true), undefined, number + behind);
			t.is(codeIn(wordedCodeBehind, `/1229 CID ${number}${behind}`, true), undefined, number + behind);
			t.is(codeIn(findLabelled, `" SeriesCode="${number}${behind}"`), undefined, number + behind);
		}
		const wrong = number.replace(/\d$/, '9');
		if (!number.includes(' ')) t.is(codeIn(codeBehind, `/1229${sign}${wrong}`, true), number.slice(0, 4), wrong);
	}
	t.is(codeIn(codeBehind, '|12|29|1234|4500|2|1', true), '1234');
});

test('four digits right behind an expiry are a code of American Express alone, as three are', (t) => {
	t.is(codeIn(codeBehind, '/1229/1234'), undefined);
	t.is(codeIn(codeBehind, '/1229/1234', true), '1234');
	t.is(codeIn(codeBehind, '/1229/123', true), '123');
	t.is(codeIn(codeBehind, '/1229/1229', true), undefined, 'the expiry once more');
	t.is(codeIn(codeBehind, ':12:29/1229', true), undefined, 'the expiry once more');
	t.is(codeIn(codeBehind, '/1229/1228', true), '1228');
	t.is(codeIn(codeBehind, '/1229/****'), '****');
	t.is(codeIn(codeBehind, ' 12/29 1234 550', true), '1234');
	t.is(codeIn(codeBehind, ' 12/29 3782 822463 10005', true), undefined, 'another number');
});

const worded = test.macro<[text: string, code: string | undefined, isAmex?: boolean]>({
	exec(t, text, code, isAmex = false) {
		t.is(codeIn(wordedCodeBehind, text, isAmex), code);
	},
	title: (_, text, code, isAmex) =>
		`${code ?? 'none'} behind a word in "${text}"${isAmex ? ' (American Express)' : ''}`,
});
for (const text of [' CID 123', '*CV123', '/CV-123', ' SC123', 'EXP1229SC123', '/1229*CV123', ' EXP 1229 SEC CODE 123'])
	test(worded, text, '123');
for (const text of [' Security code: 123', ' CSC.123', '/1229 CV2 123', ' 12/29 CVC 123', ' cvv123'])
	test(worded, text, '123');
for (const text of [
	' ROOM 123',
	' SC1234',
	' SC 123',
	' CV 123',
	' CID 12',
	' CID 12345',
	' CID 123A',
	' CID ***456',
	' LH 123',
	' CVX 123',
	'*CVX/123',
])
	test(worded, text, undefined);
test(worded, ' SC1234', '1234', true);
for (const text of [
	'CVV123EXP1229',
	' CVE 123',
	' KOD ZABEZPIECZAJACY 123',
	' SICH.CODE 123',
	' TURVAKOODI 123',
	' PRZ 123',
])
	test(worded, text, '123');
for (const text of [' ID 123', '/1229 CARD ID: 123', ' SIGNATURE PANEL CODE 123', ' Signature Panel: 123'])
	test(worded, text, '123');
for (const text of [' ID: 123', ' ID 1234', ' CARD ID 1234', ' PAID 123', ' CARD IDS 123'])
	test(worded, text, undefined);
test(worded, ' CARD ID 1234', '1234', true);

for (const text of [' BACK CODE 123', ' CODE ON BACK: 123', ' SIGNATURE CODE 123', ' CODE SECU 123'])
	test(worded, text, '123');

for (const text of [
	' 3 digits 123',
	'/1229 3-LETZTE ZIFFERN: 123',
	' 12/29 3 DERNIERS CHIFFRES 123',
	' 12/29 TRES DIGITOS 123',
	' EXP 12/29 ultimos 3 digitos: 123',
	' 12/29 ULTIME TRE CIFRE 123',
	' 12/29 3CSC 123',
	' 12/29 N° DE SECURITE 123',
	' 12/29 Nº de seguridad: 123',
	' 12/29, CODE IS 123',
	' 12/29 CVV1 123',
	' 12/29 PRÜFZ. 123',
])
	test(worded, text, '123');
test(worded, ' 12/29 4DBC 1234', '1234', true);
test(worded, '/1229 CODE ***', '***');
for (const text of [' 5 digits 123', ' 12/29 CRISIS 123', ' 33 digits 123', ' 12/29 CODE IS1 123'])
	test(worded, text, undefined);

test('digits that are said to be a code of three digits are found further behind a number, too', (t) => {
	for (const text of [' CVV-2 123', ' 3 DIGIT CODE 123', ' THREE DIGIT CODE 123', '/1229 3-DIGIT CODE: 123'])
		t.is(codeIn(findLabelled, text), '123', text);
});

test('a PIN right behind a number or its expiry is found, to be told', (t) => {
	for (const text of [' PIN 123', '/1229 PIN: 123', ' 12/29 PIN CODE 123', '-pin=123', ' PIN NO 123;'])
		t.is(codeIn(doubtfulCodeBehind, text), '123', text);
	for (const text of [' PINE 123', ' PIN 12', ' PIN 12345', ' x PIN 123', ' PIN 123A', ' PIN 4111 1111 1111 1111'])
		t.is(codeIn(doubtfulCodeBehind, text), undefined, text);
});

test('three digits behind what may be an expiry, or a word that may stand for a code, are found, to be told', (t) => {
	const texts = [
		...[
			' VAL 12/29 123',
			' VAL.1229 123',
			' bis 12/2029, 123',
			' E 12/29 123',
			' MM/YY 12/29 123',
			' gilt bis 12-29 123',
		],
		...[' 31DEC29 123', ' 31/12/2029 123', ' 31.12.29 123', ' 01-Dez-2029 - 123', ' 2029-12-31 123', ' 2912 123'],
		...[' 12/29 V 123', ' 12/29 und 123', '/1229 & 123', ' 12/29 // 123', ' 12/29 CV NO 123', ' 31DEC29 CV NR: 123'],
	];
	for (const text of texts) t.is(codeIn(doubtfulCodeBehind, text), '123', text);
	const others = [
		...[' 12/29 ROOM 123', ' 12/29 EUR 123', ' VAL 12/29 123.00', ' CONFIRMED FOR 12/26 300 EUR', ' 24DEC26 123'],
		...[' 24/12/2026 123', ' 2026-12-24 123', ' 2412 123 4567', ' 31DEC29 1234', ' VAL 12/19 123', ' 31DEC29 A123'],
		...[
			'VAL 12/29 123',
			' 12/29 THIS 123',
			' 12/29 PAY 123',
			'2912 123',
			' 12/29 &#233;',
			'/1229.&#233;',
			' 31DEC29 &#123;',
		],
	];
	for (const text of others) t.is(codeIn(doubtfulCodeBehind, text), undefined, text);
});

test('a word that may mean a code announces it behind an expiry in words, and such digits are told', (t) => {
	const texts = [
		...[
			' month: 12, year: 2029, code: 123',
			', month 12, year 2029, code 123',
			' exp month: 12 exp year: 2029 code: 123',
		],
		...[
			'\nExpires: 12/29\nCode: 123',
			'\\nexpires 12/29\\ncode 123',
			' MM/YY 12/29 CODE 123',
			' expires december 2029, code 123',
		],
		...[
			' exp date is 12/29 and the code is 123',
			' 12/29 with code 123',
			' Monat 12 Jahr 2029 Code 123',
			' 12/29 and sec 123',
		],
		...[' mm: 12 yy: 29 123', ' month=12 year=2029 123', ' exp 12 of 29 123', '\nVISA\n12/29 123', ' 12/29 csv 123'],
		...[' 12/29 detr\u00e1s: 123', ' 12/29 die letzten drei: 123'],
	];
	for (const text of texts) t.is(codeIn(doubtfulCodeBehind, text), '123', text);
	for (const text of [
		' 12/29 booking code 123',
		' x 13/29 code 123',
		' 12/29 POSTCODE 123',
		' month: 12, year: 2029, room: 123',
		' 12/29 security no 123-45-6789',
	])
		t.is(codeIn(doubtfulCodeBehind, text), undefined, text);
	t.is(codeIn(doubtfulCodeBehind, ' month: 12, year: 2029, code: 1234'), undefined);
	t.is(codeIn(doubtfulCodeBehind, ' month: 12, year: 2029, code: 1234', true), '1234');
});

test('a code behind a letter that may stand for one is found, to be told, and no room, amount or approval', (t) => {
	const signs = ['C', 'c', 'V', 'S', 'K', 'P', '#C', '(C', 'C: ', 'C ', 'V-', 'S.', 'NR', 'No. '];
	for (const sign of signs) {
		for (const expiry of [' 12/29 ', '/1229/', ' EXP1229 ', ' DEC29 '])
			t.is(codeIn(doubtfulCodeBehind, `${expiry}${sign}123`), '123', expiry + sign);
		t.is(codeIn(doubtfulCodeBehind, ` 12/29 ${sign}1234`), undefined, sign);
		t.is(codeIn(doubtfulCodeBehind, ` 12/29 ${sign}1234`, true), '1234', sign);
	}
	for (const text of ['A123', 'N123', 'R123', 'D100', 'C123456', 'C123A', 'C12', 'S123.00', 'PAX 123', 'C 123-4567'])
		for (const isAmex of [false, true]) t.is(codeIn(doubtfulCodeBehind, ` 12/29 ${text}`, isAmex), undefined, text);
	t.is(codeIn(doubtfulCodeBehind, ' C123'), undefined);
});

test('the data of a magnetic stripe behind the number and its expiry are found, to be told', (t) => {
	t.is(codeIn(doubtfulCodeBehind, '=29121011000012300000?'), '1011000012300000');
	t.is(codeIn(doubtfulCodeBehind, 'D29122010000012300000'), '2010000012300000');
	t.is(codeIn(doubtfulCodeBehind, '^DUPONT/MARIE^29121011000012300000?'), '1011000012300000');
	for (const text of ['=2912', '=291210', '=29131011000', '^DUPONT^2912', ' 29121011000', '=19121011000'])
		t.is(codeIn(doubtfulCodeBehind, text), undefined, text);
});

test('a code beside an expiry among other signs and words is found, to be told', (t) => {
	const texts = [
		...[
			' \u2022 12/29 \u2022 123',
			' > 12/29 > 123',
			' 12/29 ... 123',
			' 12/29      123',
			' 12/29 ; ; 123',
			' 12/29 -> 123',
		],
		...['","12/29","123', "', '12/29', '123", '` `12/29` `123', '","1229","123', ' 12/29 "123"', " 12/29 '123'"],
		...[';VISA;12/29;123', '|VISA|12|2029|123', ' (VISA) 12/29 123', ' 12/29 VISA 123', ' 12/29 VISA: 123'],
		...[' 12\\29 123', ' 12|29 123', ' 12_29 123', ' 12,29 123', ' 29/12 123', ' 12\u670829\u5e74 123'],
		...[' 123 12/29', ' 123 exp 12/29', '/123/1229', '|123|12|29', ',123,12/29', ' 123 valid 12/2029'],
		...[' 12/29 \u043a\u043e\u0434 123', ' 12/29 \u30b3\u30fc\u30c9 123', ' 12/29 back 123', ' EXP 12/29 SC: 123'],
	];
	for (const text of texts) t.is(codeIn(doubtfulCodeBehind, text), '123', text);
	const others = [
		...[' 123', ' 123 12/19', ' 123 13/29', ' 1234 12/29', ' 12/29 CV 123', ' 12/29 CARD 123', ' 12/29 ***, 123'],
		...[' 12/29 ROOM VISA 123', ' 12/29\n\n\n\n\n123', ' 12/29 VISA 123.00', ' 12/29 -> 123-4567', ' 12,29 123.00'],
	];
	for (const text of others) t.is(codeIn(doubtfulCodeBehind, text), undefined, text);
});

test('a code digit by digit behind an expiry is found, to be told, and no date and no longer list', (t) => {
	for (const expiry of [' 1229 ', ' 12/29 ', '/1229/', ' 12 29 ', ' EXP 12/2029 ', ' DEC29 ', ' 12.29 ', ' 31DEC29 '])
		for (const code of ['1 2 3', '1-2-3', '1.2.3', '1 / 2 / 3', '1,2,3', 'V 1 2 3', '1 2 3 4'])
			t.is(codeIn(doubtfulCodeBehind, expiry + code), '1', expiry + code);
	for (const text of ['1 2', '1.1.2027', '1-2-27', '1 2 3 4 5', '1 2-3', '1 2 3A', '2 PAX'])
		t.is(codeIn(doubtfulCodeBehind, ` 12/29 ${text}`), undefined, text);
});

test('a code in digits of another script is found, to be told, behind an expiry or a label in any script', (t) => {
	const scripts = ['\u0661\u0662\u0663', '\uff11\uff12\uff13', '\u0967\u0968\u0969', '\u{1d7cf}\u{1d7d0}\u{1d7d1}'];
	for (const code of scripts) {
		const behind = [
			'/1229/',
			' 12/29 ',
			' CVV ',
			' 12/29 CVC2: ',
			' Sicherheitscode ',
			' 12/29 V',
			' \uff23\uff36\uff36\uff1a',
		];
		for (const text of [...behind, ' \u0661\u0662/\u0662\u0669 ', ' \uff11\uff12\uff0f\uff12\uff19\u3000']) {
			const bytes = Buffer.from(NUMBER + text + code);
			const at = doubtfulCodeBehind(bytes, NUMBER.length, bytes.length, false);
			t.is(bytes.toString('utf8', Math.max(at, 0)), code, text);
		}
		for (const text of [' ', ' \u00e9t\u00e9 ', ' 12/29 ROOM ', ' 13/29 '])
			t.is(codeIn(doubtfulCodeBehind, text + code), undefined, text);
	}
	t.is(codeIn(doubtfulCodeBehind, ' \uff11\uff12/\uff12\uff19 123'), '123');
	t.is(codeIn(doubtfulCodeBehind, ' 12/29 123 \uff11\uff12'), undefined);
});

test('digits that a label announces from afar, or one by one, are found, to be told', (t) => {
	const texts = [
		...[' CVV 1 2 3', ' 12/29 CVV 1-2-3', '/1229 CVC2: 1.2.3', ' CVV 12 3', ' SECURITY CODE IS 1 2 3', ' CID 1 2 3 4'],
		...[' CVV:\r\n123', ' CVV\n123', ' CVV:\\n123', ' CVV%20%20%20123', ' CVV (optional): 123'],
		...[' CVV ...... 123', ' CVV:         123', ' 12/29 CVV - - - 123', ' CVV (3 DIGITS) 123', ' CVV (3-stellig): 123'],
		...[
			' CVV ON THE BACK IS 123',
			' CVV ist die 123',
			' CVV auf R\u00fcckseite 123',
			' CVC au verso: 123',
			' CVV CODE (ON BACK): 123',
		],
	];
	for (const text of texts) t.regex(codeIn(doubtfulCodeBehind, text) ?? '', /^\d+$/, text);
	const others = [
		...[
			' CVV 123',
			' CVV: 123',
			' CVV 1 2',
			' CVV 1 2 3 4 5',
			' CVV NOT GIVEN ROOM 123',
			' CVV NONE 1 2 3',
			' CVV ***, 123',
		],
		...[
			' CVV ON BACK 12345',
			' CVV ON BACK 123.00',
			' CVV ON BACK 123-4567',
			' CODE 1 2 3',
			' SEC ...... 123',
			' 1 2 3',
		],
	];
	for (const text of others) t.is(codeIn(doubtfulCodeBehind, text), undefined, text);
});

test('a masked number has a first group, too, which is no code', (t) => {
	for (const text of [' CVV 4111 11** **** 1111', ' CID 4111:11XX:XXXX:1111', ' CVC 3782 82**** *0005'])
		t.is(codeIn(wordedCodeBehind, text, true), undefined, text);
	t.is(codeIn(wordedCodeBehind, ' CVV 1234 XX', true), '1234');
});
test(worded, ' CID 1234', '1234');

const labelled = test.macro({
	exec(t, expected: string | undefined, ...texts: string[]) {
		for (const text of texts) t.is(codeIn(findLabelled, text), expected, text);
	},
	title: (_, expected, ...texts) => `${expected ?? 'no code'} behind a label near the number: ${texts.join('   ')}`,
});
test(
	labelled,
	'123',
	...['" SeriesCode="123"/>', '" ExpireDate="1229" SeriesCode="123"', '"><CSC>123</CSC>', '" CID="123"', '" CVX="123"'],
	...['\\",\\"expiry\\":\\"12/29\\",\\"securityCode\\":\\"123\\"}', '&quot; cardSecurityCode=&quot;123&quot;'],
	...['</CardNumber>\n<ExpDate>1229</ExpDate>\n<guestSecurityCode>123</guestSecurityCode>'],
	...[', exp. 12/29, Sicherheitscode 123', '\ncódigo de segurança: 123', ' (Prüfnr. 123)'],
);
test(
	labelled,
	undefined,
	...['" ExpireDate="1229" CID="123"', '" SeriesCode="12345"', '" Code="123"', ' ROOM 123', ' SECURITYX 123'],
	`${' '.repeat(256)}SECURITY CODE 123`,
);

test('a number of American Express is recognised by its first digits in every script', (t) => {
	const begins = (text: string) => isAmexRange(Buffer.from(text), 0);
	for (const text of ['378282246310005', '341', '\u06f3\u06f7\u06f8', '\u0663\u0664', '\uff13\uff17'])
		t.true(begins(text), text);
	for (const text of ['4111', '36', '\u06f4\u06f7', '\u06f3\u06f6', '\u06f3', '3', '\u00e9', ''])
		t.false(begins(text), text);
});
