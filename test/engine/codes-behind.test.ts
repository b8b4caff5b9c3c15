// Checks what becomes of security codes on the line or in the text of a card number, in files of every format.

import test from 'ava';
import fc from 'fast-check';
import { formats } from '../../formats/index.ts';
import { FileError, type Format } from '../../src/engine/format.ts';
import { runs } from '../helpers/runs.ts';
import { openVaultParts, swap } from '../helpers/vault-parts.ts';

const all = [...formats.values()] as unknown as Format<never>[];
const AIR_HEAD = 'AIR-BLK207;7A;;233;0000000000;1A1200000;001001\nAMD 1\nGW1\nMUC1A 1\n';

test('the code of a card is starred wherever a window ends behind it', async (t) => {
	const texts = {
		AIR: `${AIR_HEAD}${'RM FILL\n'.repeat(1200)}${'RM VI4111111111111111/1229 PAID CVV 123\nRM X\n'.repeat(9)}ENDX\n`,
		SIMPLEJSON: '{"cardNumber":"4111111111111111","note":"x","cvv":"123","expirationDate":"12/29"}\n'.repeat(9),
		SIMPLECSV: `CardNumber,Note,CVV\n${'4111111111111111,cvv of,123\n'.repeat(9)}`,
		TADC: `<a>${'<Card CardNumber="4111111111111111" CVV="123" ExpireDate="1229"/>\n'.repeat(9)}</a>`,
	};
	const parts = await openVaultParts(t);
	for (const [filter, text] of Object.entries(texts)) {
		for (const windowBytes of [31, 64, 100, 150]) {
			const engine = parts.engine(all, { windowBytes, maxRecordBytes: 1_048_576 });
			const there = await swap(parts, engine, { filter, direction: 'tokenize', bytes: Buffer.from(text) });
			t.is(there.summary.cards, 9);
			t.is(there.bytes.toString().match(/\*\*\*/g)?.length, 9, `${filter}, windows of ${windowBytes} bytes`);
			t.is(there.summary.otherCodes, 0);
		}
	}
});

test('a dash, a colon or an invisible sign of any script may divide a label from its code, in every format', async (t) => {
	const parts = await openVaultParts(t);
	for (const sign of [
		'\u2013',
		' \u2013 ',
		'\u2014',
		'\u2011',
		'\u2212',
		'\uff1a',
		'\u2192',
		'\u2026',
		'\u200b',
		'\u2009: ',
	]) {
		for (const label of ['CVV', 'SICHERHEITSCODE']) {
			const line = `VISA 4111111111111111 EXP 12/29 ${label}${sign}123`;
			const texts = {
				AIR: `${AIR_HEAD}RM ${line}\nENDX\n`,
				SIMPLEJSON: JSON.stringify({ note: line }),
				SIMPLECSV: `CardNumber,Exp,Note\n5555555555554444,12/29,"${line}"\n`,
				TADC: `<a><n>${line}</n></a>`,
			};
			for (const [filter, text] of Object.entries(texts)) {
				const options = { otherNumbers: 'tokenize' };
				const bytes = Buffer.from(text);
				const there = await swap(parts, parts.engine(all), { filter, direction: 'tokenize', bytes, options });
				t.true(there.bytes.includes(`${label}${sign}***`), `${filter}: ${there.bytes}`);
			}
		}
	}
});

const FIELDS = {
	SIMPLECSV: (code: string, expiry: string) => `CardNumber,Exp,CVV\n4111111111111111,${expiry},${code}\n`,
	SIMPLEJSON: (code: string, expiry: string) =>
		JSON.stringify({ cardNumber: '4111111111111111', expirationDate: expiry, cvv: code }),
	TADC: (code: string, expiry: string) =>
		`<a><Card CardNumber="4111111111111111" CVV="${code}" ExpireDate="${expiry}"/></a>`,
};

test('the fields of a card may have digits of any script, and their code comes back as it was spelled', async (t) => {
	const parts = await openVaultParts(t);
	for (const [filter, file] of Object.entries(FIELDS)) {
		for (const code of ['\u0661\u0662\u0663', '\uff11\uff12\uff13', '\u{1d7cf}\u{1d7d0}\u{1d7d1}']) {
			for (const expiry of ['12/29', '\u0661\u0662/\u0662\u0669', '\uff11\uff12\uff0f\uff12\uff10\uff12\uff19']) {
				const bytes = Buffer.from(file(code, expiry));
				const there = await swap(parts, parts.engine(all), { filter, direction: 'tokenize', bytes });
				t.is(there.summary.cards, 1, there.bytes.toString());
				t.is(there.bytes.toString().match(/\*+/g)?.join(), '***');
				const back = await swap(parts, parts.engine(all), { filter, direction: 'detokenize', bytes: there.bytes });
				t.is(back.bytes.toString(), bytes.toString());
			}
		}
	}
});

test('a number behind the word for a security code is no code of the card before it', async (t) => {
	const parts = await openVaultParts(t);
	const bytes = Buffer.from(`${AIR_HEAD}RM VI4111111111111111/1229 CVV 5555 5555 5555 4444\nENDX\n`);
	const options = { otherNumbers: 'tokenize' };
	const there = await swap(parts, parts.engine(all), { filter: 'AIR', direction: 'tokenize', bytes, options });
	t.regex(there.bytes.toString(), /RM VI[0-9A-F]{32}\/1229 CVV [0-9A-F]{32}\n/);
});

const NUMBERS = ['4111111111111111', '378282246310005', '5555555555554444', '4111 1111 1111 1111', '4111111111111112'];
const PIECES = [
	...['VI', 'AX ', 'CCVI', 'CCCA', 'VISA ', 'CARD ', 'XX', 'RM '],
	...['/1229', ' 12/29', 'EXP1229', ' EXP 12/29', '|12|29', '#1229', 'D1229', ',12/2029', ' 1229', '*D1229', '/0120'],
	...[
		'/123',
		' 123',
		'|123',
		'#456',
		' 1234',
		'/12345',
		',123',
		'-123',
		'*123',
		'/123.00',
		'*CV123',
		' CID 123',
		' SC123',
		'SC1234',
	],
	...[
		'CVV123',
		' CVV 456',
		' SEC CODE 123',
		'CVC 1234',
		' CSC: 123',
		'/A123456',
		'/EUR123',
		'*CVX',
		'***',
		'/***',
		' **** ',
		';P1',
	],
	...[
		'CVV 123 ',
		'123 CVV ',
		'12/29 123 ',
		'CID: 123, ',
		' C123',
		' 1 2 3',
		' CVV \u0661\u0662\u0663',
		'/\uff11\uff12\uff13',
	],
	...['<br/>', ' PIN 1234', ' CARD ID 123', ' ID 123', ' SIGNATURE PANEL CODE 123', '4111:1111:1111:1111', ':', '.'],
	...['41111111111111114111', '1229', '12', '0', 'A', 'FPCC', 'CVV', 'CID', '+'],
	...[
		' ',
		'  ',
		'/',
		' - ',
		' x ',
		' PAID BY ',
		'é',
		'(',
		')',
		'411111XXXXXX1111',
		'411111******1111',
		'A054D362051545AFD3F6F25107776579',
	],
];
const FILES: Record<string, (text: string) => string> = {
	AIR: (text) => `${AIR_HEAD}RM ${text}\nFPCASH+${text}\nENDX\n`,
	IUR: (text) => `AA20NOV0915M0117\nM50101  XX#0000000001/ 10/ 100/ 10/ONE/CA 1.1DUPONT\nM801${text}\n`,
	SIMPLECSV: (text) => `CardNumber,ExpirationDate,Remark,CVV\n5555555555554444,12/29,"${text}",321\n`,
	SIMPLEJSON: (text) => `{"cardNumber":"5555555555554444","expirationDate":"12/29","note":"${text}","x":123}\n`,
	TADC: (text) => `<a><Card CardNumber="5555555555554444" ExpireDate="1229"/><Remark>${text}</Remark></a>`,
};

test('with every option, tokenizing twice changes nothing, and only stars and masks do not come back', async (t) => {
	const parts = await openVaultParts(t);
	const [whole, tiny] = [65_536, 7].map((windowBytes) => parts.engine(all, { windowBytes, maxRecordBytes: 1_048_576 }));
	const piece = fc.oneof(
		{ weight: 2, arbitrary: fc.constantFrom(...NUMBERS) },
		{ weight: 5, arbitrary: fc.constantFrom(...PIECES) },
	);
	const text = fc.array(piece, { minLength: 2, maxLength: 9 }).map((pieces) => pieces.join(''));
	await fc.assert(
		fc.asyncProperty(
			fc.constantFrom(...Object.keys(FILES)),
			fc.constantFrom('report', 'mask', 'tokenize'),
			fc.constantFrom('pass', 'mask'),
			text,
			async (filter, otherNumbers, onRefused, text) => {
				const input = Buffer.from(FILES[filter](text));
				const request = { filter, accountId: 2, options: { otherNumbers, onRefused } };
				const there = await swap(parts, whole, { ...request, direction: 'tokenize', bytes: input });
				const again = await swap(parts, tiny, { ...request, direction: 'tokenize', bytes: there.bytes });
				t.is(again.bytes.toString('latin1'), there.bytes.toString('latin1'), text);
				const cut = await swap(parts, tiny, { ...request, direction: 'tokenize', bytes: input });
				t.deepEqual(
					cut.entries.map(({ line, offset, outcome }) => [line, offset, outcome]),
					there.entries.map(({ line, offset, outcome }) => [line, offset, outcome]),
					text,
				);
				if (otherNumbers === 'mask' || onRefused === 'mask') return;
				const back = await swap(parts, whole, { filter, accountId: 2, direction: 'detokenize', bytes: there.bytes });
				t.is(back.bytes.length, input.length, text);
				t.true(
					back.bytes.every((byte, i) => byte === input[i] || byte === 0x2a),
					text,
				);
			},
		),
		{ numRuns: runs(60) },
	);
});

const V = '4111111111111111';
const TOKEN = '[0-9a-fA-F]{32}';

const becomes = test.macro({
	/** `expected` is what `text` becomes, with T for a token; `codes` are the entries about security codes. */
	async exec(t, filter: string, otherNumbers: string, text: string, expected: string, codes: number) {
		const parts = await openVaultParts(t);
		const bytes = Buffer.from(FILES[filter](text));
		for (const windowBytes of [65_536, 7]) {
			const engine = parts.engine(all, { windowBytes, maxRecordBytes: 1_048_576 });
			const request = { filter, options: { otherNumbers } };
			const there = await swap(parts, engine, { ...request, direction: 'tokenize', bytes });
			const pattern = expected.replace(/[^\w\s]/g, '\\$&').replaceAll('T', TOKEN);
			t.regex(there.bytes.toString('latin1'), new RegExp(`[\\s"1>]${pattern}[\\n"<]`));
			t.is(there.summary.otherCodes, codes);
			const line = bytes.toString().split(text)[0].split('\n').length;
			for (const entry of there.entries) if (entry.outcome === 'otherCode') t.true(entry.line! >= line);
		}
	},
	title: (_, filter, otherNumbers, text) => `${filter}, ${otherNumbers}: the codes of ${text}`,
});
// The text is in a remark and, in AIR, once more in a form of payment, where digits may mean something else.
test(becomes, 'AIR', 'report', `VI${V}/1229/123`, 'VIT/1229/***', 1);
test(becomes, 'AIR', 'tokenize', `VI${V} 12/29 123`, 'VIT 12/29 ***', 1);
test(becomes, 'AIR', 'report', `AX378282246310005 12/29 1234`, 'AXT 12/29 ****', 1);
test(becomes, 'AIR', 'report', `VI${V}D1229CVC123`, 'VITD1229CVC***', 0);
test(becomes, 'AIR', 'report', `VI${V}/1229/123 VI4012888888881881/1128/456`, 'VIT/1229/*** VIT/1128/***', 2);
test(becomes, 'AIR', 'report', `VI${V}/1229/A123456`, 'VIT/1229/A123456', 0);
test(
	becomes,
	'AIR',
	'tokenize',
	`CCVI4111111111111112 VI5555555555554444 CID 123`,
	'CCVI4111111111111112 VIT CID ***',
	2,
);
test(becomes, 'AIR', 'mask', `VI5555555555554444 FOO CSC 123`, 'VI555555******4444 FOO CSC ***', 2);
test(becomes, 'AIR', 'report', `${V} CID 123`, `${V} CID 123`, 2);
test(becomes, 'AIR', 'tokenize', 'VI411111XXXXXX1111/1229/123', 'VI411111XXXXXX1111/1229/123', 2);
test(becomes, 'AIR', 'mask', 'VIA054D362051545AFD3F6F25107776579/1229/123', 'VIT/1229/***', 2);
test(becomes, 'IUR', 'report', `VI${V} EXP 12/29 123`, 'VIT EXP 12/29 ***', 0);
test(becomes, 'IUR', 'tokenize', `PAID ${V}*CV123`, 'PAID T*CV***', 1);
test(becomes, 'SIMPLECSV', 'tokenize', `${V},12/2029,123`, 'T,12/2029,***', 1);
test(becomes, 'SIMPLECSV', 'report', `${V}|12|29|123`, `${V}|12|29|123`, 1);
test(becomes, 'SIMPLECSV', 'mask', '411111XXXXXX1111/1229/123', '411111XXXXXX1111/1229/***', 1);
test(becomes, 'SIMPLEJSON', 'mask', `${V}\\/1229\\/123`, '411111******1111\\/1229\\/***', 1);
test(becomes, 'SIMPLEJSON', 'tokenize', '378282246310005 exp. 12/29 CID 1234', 'T exp. 12/29 CID ****', 1);
test(becomes, 'TADC', 'tokenize', '4111/1111/1111/1111/12/29/123 x', 'T/12/29/*** x', 1);
// The second number is none, because more digits follow it, but its first group is no code of the first.
const SECOND = '4111:1111:1111:1111:1229:7';
for (const filter of ['AIR', 'IUR'])
	test(becomes, filter, 'report', `AX378282246310005/1229:${SECOND}`, `AXT/1229:${SECOND}`, 0);
test(becomes, 'AIR', 'tokenize', `AX378282246310005 CVC ${SECOND}`, `AXT CVC ${SECOND}`, 0);
for (const filter of ['SIMPLECSV', 'SIMPLEJSON', 'TADC']) {
	test(becomes, filter, 'tokenize', `3782-822463-10005/1229:${SECOND}`, `T/1229:${SECOND}`, 0);
	test(becomes, filter, 'tokenize', `378282246310005 CID ${SECOND}`, `T CID ${SECOND}`, 0);
	test(becomes, filter, 'mask', `378282XXXXX0005/1229:${SECOND}`, `378282XXXXX0005/1229:${SECOND}`, 0);
}
// Several codes of one number are starred at once, and a PIN is only told.
for (const filter of ['SIMPLECSV', 'SIMPLEJSON', 'TADC']) {
	test(becomes, filter, 'tokenize', `${V}CVV123 Signature Panel Code 456`, 'TCVV*** Signature Panel Code ***', 2);
	test(becomes, filter, 'tokenize', `${V}/1229/123 Security Code 456`, 'T/1229/*** Security Code ***', 2);
	test(becomes, filter, 'tokenize', `${V} CARD ID: 123`, 'T CARD ID: ***', 1);
	test(becomes, filter, 'tokenize', `${V}/1229 PIN 1234`, 'T/1229 PIN 1234', 1);
	test(becomes, filter, 'mask', `411111XXXXXX1111 PIN 1234`, `411111XXXXXX1111 PIN 1234`, 1);
	test(becomes, filter, 'tokenize', `${V}&lt;br&gt;12/29&lt;br&gt;123`, 'T&lt;br&gt;12/29&lt;br&gt;***', 1);
}
for (const filter of ['AIR', 'IUR']) {
	test(becomes, filter, 'report', `VI${V}/1229 CARD ID 123`, 'VIT/1229 CARD ID ***', 0);
	test(becomes, filter, 'report', `VI${V}/1229 Signature Panel Code 123`, 'VIT/1229 Signature Panel Code ***', 0);
	test(becomes, filter, 'report', `VI${V} PIN: 1234`, 'VIT PIN: 1234', filter === 'AIR' ? 2 : 1);
}
for (const text of [
	'security code is',
	'Sicherheitscode lautet',
	'code de securite est',
	'CVV IS',
	'numero de controle',
])
	test(becomes, 'IUR', 'report', `VI${V}/1229 ${text} 123`, `VIT/1229 ${text} ***`, 0);
for (const filter of ['SIMPLECSV', 'SIMPLEJSON', 'TADC']) {
	test(becomes, filter, 'tokenize', `Sicherheitscode 123, Karte ${V} 12/29`, 'Sicherheitscode ***, Karte T 12/29', 1);
	const masked = '411111XXXXXX1111';
	test(becomes, filter, 'mask', `Sicherheitscode 123, Karte ${masked}`, `Sicherheitscode ***, Karte ${masked}`, 1);
	test(becomes, filter, 'tokenize', `CID 123 VI${V} 12/29`, 'CID 123 VIT 12/29', 1);
}
for (const filter of ['AIR', 'IUR', 'SIMPLECSV', 'SIMPLEJSON', 'TADC']) {
	const codes = filter === 'AIR' ? 2 : 1;
	for (const text of ['CVV 123 ', '(CVC2: 123) '])
		test(
			becomes,
			filter,
			'tokenize',
			`${text}VI${V} 12/29`,
			`${text.replace('123', '***')}VIT 12/29`,
			'AIR IUR'.includes(filter) ? 0 : 1,
		);
	for (const text of ['123 CVV ', '123 is the CVV of ', '12/29 123 '])
		test(becomes, filter, 'tokenize', `${text}VI${V}`, `${text}VIT`, codes);
	for (const text of [' C123', ' 1 2 3', ' #V123'])
		test(becomes, filter, 'tokenize', `VI${V} 12/29${text}`, `VIT 12/29${text}`, codes);
}
test(becomes, 'AIR', 'report', `VI${V}CVV123EXP1229`, 'VITCVV***EXP1229', 0);
test(becomes, 'AIR', 'report', `VI${V} DEC29 123`, 'VIT DEC29 ***', 1);
test(becomes, 'SIMPLECSV', 'tokenize', `${V}CVV123EXP1229`, 'TCVV***EXP1229', 1);
// Stars before a number behind zeros mean what the digits of the code meant.
test(becomes, 'SIMPLECSV', 'mask', `CVV 456 - 0${V}`, `CVV *** - 0${V}`, 1);
// A point behind a code begins no fraction.
test(becomes, 'AIR', 'tokenize', `CVV123.${V}`, 'CVV***.T', 2);
// The last digits of a masked number are no beginning of another one.
test(becomes, 'SIMPLECSV', 'mask', '5555 5555 5555 4444 1111 1111 1111', '5555 55** **** 4444 1111 1111 1111', 0);
test(becomes, 'TADC', 'mask', `${V} EXP1229SC123`, '411111******1111 EXP1229SC***', 1);

test('the stars of a code between a keyword and a token keep them apart, as its digits did', async (t) => {
	const parts = await openVaultParts(t);
	const token = 'A054D362051545AFD3F6F25107776579';
	const bytes = Buffer.from(`${AIR_HEAD}RM ${V} CARD ID 123)${token} SEC CODE 456\nENDX\n`);
	const request = { filter: 'AIR', direction: 'tokenize', options: { otherNumbers: 'tokenize' } } as const;
	const there = await swap(parts, parts.engine(all), { ...request, bytes });
	t.regex(there.bytes.toString(), /RM [0-9A-F]{32} CARD ID \*{3}\)A054/);
	const again = await swap(parts, parts.engine(all), { ...request, bytes: there.bytes });
	t.is(again.bytes.toString(), there.bytes.toString());
});

test('digits that a form of payment has behind a card are told with every option and stay', async (t) => {
	const parts = await openVaultParts(t);
	const bytes = Buffer.from(`${AIR_HEAD}FPCCVI${V}/1229/123\nRM ${V} CVV 456\nENDX\n`);
	const run = (otherNumbers: string) =>
		swap(parts, parts.engine(all), { filter: 'AIR', direction: 'tokenize', bytes, options: { otherNumbers } });
	for (const otherNumbers of ['report', 'mask', 'tokenize']) {
		const there = await run(otherNumbers);
		t.regex(there.bytes.toString(), /\/1229\/123\n/);
		const [first] = there.entries.filter(({ outcome }) => outcome === 'otherCode');
		t.like(first, { line: 5, field: 'FP' });
		t.regex(first.reason!, /may be a security code; they stay/);
		const fate = otherNumbers === 'report' ? 'in clear' : 'starred but for 1 in clear';
		t.true(
			there.summary.notices.includes(`2 security codes seem to stand outside the card fields of this format, ${fate}`),
		);
	}
	const error = await t.throwsAsync(run('reject'), { instanceOf: FileError });
	t.regex(error.message, /^a card number .*a security code|^2 /);
});

test('the only digits beside the number of a card field are told, and a fraction is not', async (t) => {
	const parts = await openVaultParts(t);
	for (const [cell, codes] of [
		...[`${V} (123)`, `${V}*123`, `${V} - 123`, `123 ${V}`, `(123) ${V}`, '1234 378282246310005'].map(
			(each) => [each, 1] as const,
		),
		...[`${V}.000`, `1234 ${V}`, `${V} ***123`, `123 x ${V}`].map((each) => [each, 0] as const),
	]) {
		const bytes = Buffer.from(`CardNumber,Expiry\n${cell},12/29\n`);
		const there = await swap(parts, parts.engine(all), { filter: 'SIMPLECSV', direction: 'tokenize', bytes });
		t.is(there.summary.otherCodes, codes, cell);
		t.is(there.summary.cards, 1, cell);
	}
});

test('a code in the field of an expiry is the CVV of a card that has no other', async (t) => {
	const parts = await openVaultParts(t);
	const files = {
		SIMPLECSV: (text: string) => `CardNumber,Expiry,CVV\n${V},"${text}",\n`,
		SIMPLEJSON: (text: string) => JSON.stringify({ cardNumber: V, expiry: text }),
		TADC: (text: string) => `<a><Card CardNumber="${V}" Expiry="${text}"/></a>`,
	};
	for (const [filter, file] of Object.entries(files)) {
		for (const text of ['12/29 123', '12/29/123', '1229, 123', 'Dec 29 - 123', '12/29 CVV 123']) {
			const bytes = Buffer.from(file(text));
			const there = await swap(parts, parts.engine(all), { filter, direction: 'tokenize', bytes });
			t.true(there.bytes.includes(text.replace('123', '***')), `${filter}: ${there.bytes}`);
			t.is(there.summary.cards, 1, text);
			const back = await swap(parts, parts.engine(all), { filter, direction: 'detokenize', bytes: there.bytes });
			t.is(back.bytes.toString(), bytes.toString());
		}
		for (const text of ['13/29 123', '12/29 12', '12/29 1234', '05/06/2029 123']) {
			const there = await swap(parts, parts.engine(all), {
				filter,
				direction: 'tokenize',
				bytes: Buffer.from(file(text)),
			});
			t.is(there.entries[0].reason, 'Expiration date is not readable', text);
		}
	}
	const bytes = Buffer.from(`CardNumber,Expiry,CVV\n${V},12/29 123,456\n`);
	const there = await swap(parts, parts.engine(all), { filter: 'SIMPLECSV', direction: 'tokenize', bytes });
	t.is(there.entries[0].reason, 'Expiration date is not readable');
});

test('a code behind number and expiry in an array of JSON is told', async (t) => {
	const parts = await openVaultParts(t);
	for (const row of [
		[V, '12/29', '123'],
		[V, 12, 29, 123],
	]) {
		for (const windowBytes of [65_536, 7]) {
			const engine = parts.engine(all, { windowBytes, maxRecordBytes: 1_048_576 });
			const bytes = Buffer.from(JSON.stringify({ cards: [row, ['5555555555554444', '11/28']] }));
			const there = await swap(parts, engine, { filter: 'SIMPLEJSON', direction: 'tokenize', bytes });
			t.deepEqual([there.summary.cards, there.summary.otherCodes], [2, 1]);
		}
	}
});

test('columns behind a number that no column names are no security code of it', async (t) => {
	const parts = await openVaultParts(t);
	const bytes = Buffer.from(`CardNumber,Old,Until,Nights\n5555555555554444,${V},12/29,123\n`);
	const options = { otherNumbers: 'mask' };
	const there = await swap(parts, parts.engine(all), { filter: 'SIMPLECSV', direction: 'tokenize', bytes, options });
	t.is(there.summary.otherNumbers, 1);
	t.true(there.bytes.toString().endsWith(',12/29,123\n'));
});

test('a code right behind a card comes back to an account that keeps CVVs', async (t) => {
	const parts = await openVaultParts(t);
	// Half of all tokens end with a letter, to which the word of a code is glued then.
	const glued = Array.from({ length: 12 }, () => `CCVI${V}CVC/1234`);
	const lines = [
		...glued,
		`CARD ${V} CVC/1234 4111 1111 1111 1111`,
		`VI${V}/1229/123`,
		'AX378282246310005 12/29*1234',
		`CCVI${V}EXP1229CVV123`,
		`VI${V}|12|29|123;P1`,
	];
	const bytes = Buffer.from(`${AIR_HEAD}${lines.map((line) => `RM ${line}\n`).join('')}ENDX\n`);
	const there = await swap(parts, parts.engine(all), { filter: 'AIR', direction: 'tokenize', bytes });
	t.notRegex(there.bytes.toString().replace(new RegExp(TOKEN, 'g'), ''), /123/);
	const back = await swap(parts, parts.engine(all), { filter: 'AIR', direction: 'detokenize', bytes: there.bytes });
	t.is(back.bytes.toString(), bytes.toString());
});
