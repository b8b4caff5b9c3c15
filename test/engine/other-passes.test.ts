// Checks what the option `otherNumbers` does with numbers outside the card fields of a format, there and back.

import test from 'ava';
import fc from 'fast-check';
import { formats } from '../../formats/index.ts';
import { FileError } from '../../src/engine/format.ts';
import { runs } from '../helpers/runs.ts';
import { openVaultParts, swap } from '../helpers/vault-parts.ts';
import { all, FILES, others, run, VISA } from './other-passes.setup.ts';

for (const [filter, file] of Object.entries(FILES)) {
	const input = file(`x ${VISA} y`);

	test(`${filter}: a number outside the card fields stays, and the report tells its place and shows it masked`, async (t) => {
		const { there } = await run(t, { filter, text: input });
		t.true(there.bytes.includes(VISA));
		t.is(there.summary.otherNumbers, 1);
		const [entry] = others(there);
		t.like(entry, { number: '411111******1111', cardType: 'Visa', offset: input.indexOf(VISA) });
		t.is(entry.line, input.slice(0, input.indexOf(VISA)).split('\n').length);
		t.regex(entry.reason!, /outside the card fields .* stays in clear/);
		t.regex(there.summary.notices[0], /^1 card number stands outside the card fields of this format, in clear/);
	});

	test(`${filter}: otherNumbers mask hides its middle`, async (t) => {
		const { there } = await run(t, { filter, text: input, options: { otherNumbers: 'mask' } });
		t.false(there.bytes.includes(VISA));
		t.true(there.bytes.includes('x 411111******1111 y'));
	});

	test(`${filter}: otherNumbers tokenize puts a token there, and the way back restores the spelling`, async (t) => {
		const spelled = file('a 4111-1111 1111-1111 b 3782  822463  10005, ４１１１１１１１１１１１１１１１!');
		const options = { otherNumbers: 'tokenize' };
		const { parts, engine, there } = await run(t, { filter, text: spelled, options });
		t.is(there.summary.otherNumbers, 3);
		t.notRegex(there.bytes.toString(), /4111|10005|４/);
		const again = await swap(parts, engine, { filter, direction: 'tokenize', options, bytes: there.bytes });
		t.deepEqual(again.bytes, there.bytes);
		t.is(again.summary.otherNumbers, 0);
		// The file comes back without the options with which it was tokenized.
		const back = await swap(parts, engine, { filter, direction: 'detokenize', bytes: there.bytes });
		t.is(back.bytes.toString(), spelled);
		t.is(back.summary.cards, there.summary.cards);
		t.is(back.summary.unresolved, 0);
	});

	test(`${filter}: otherNumbers reject fails the whole file, and says where and how many`, async (t) => {
		const error = await t.throwsAsync(
			run(t, { filter, text: file(`${VISA} and ${VISA}`), options: { otherNumbers: 'reject' } }),
			{ instanceOf: FileError },
		);
		t.regex(
			error.message,
			/^2 card numbers stand outside the card fields of this format and this folder rejects such files; on line/,
		);
		t.is(error.at.offset, file(`${VISA} and ${VISA}`).indexOf(VISA));
		t.notRegex(error.message, /\d{12}/);
	});
}

test('a bare JSON number outside the card fields takes quotes with its token or mask, and loses them on the way back', async (t) => {
	const text = `{"a":{"b":${VISA}},"cardNumber":null,"c":[1,${VISA}]}`;
	const options = { otherNumbers: 'tokenize' };
	const { parts, engine, there } = await run(t, { filter: 'SIMPLEJSON', text, options });
	t.regex(there.bytes.toString(), /^\{"a":\{"b":"[0-9a-f]{32}"\},"cardNumber":null,"c":\[1,"[0-9a-f]{32}"\]\}$/);
	const back = await swap(parts, engine, { filter: 'SIMPLEJSON', direction: 'detokenize', bytes: there.bytes });
	t.is(back.bytes.toString(), text);
	const masked = await run(t, { filter: 'SIMPLEJSON', text, options: { otherNumbers: 'mask' } });
	t.is(masked.there.bytes.toString(), `{"a":{"b":"411111******1111"},"cardNumber":null,"c":[1,"411111******1111"]}`);
});

test('a number that a masked one keeps from being the card is told, however it is spelled', async (t) => {
	for (const number of ['3782822\\u00346310005', '378282246310005']) {
		const text = `{"card":"411111XXXXXX1111","cardNumber":"","\\u006eumber":"${number}"}`;
		const { there } = await run(t, { filter: 'SIMPLEJSON', text });
		t.is(there.summary.otherNumbers, 1, number);
		const masked = await run(t, { filter: 'SIMPLEJSON', text, options: { otherNumbers: 'mask' } });
		t.regex(masked.there.bytes.toString(), /umber":"(378282)?\*{5,}(0005)?"\}$/);
	}
});

test('a number spelled with escapes is found outside the card fields too, and comes back as it was spelled', async (t) => {
	const spelled = {
		SIMPLEJSON: FILES.SIMPLEJSON('x \\u0034111-1111\\u00201111 1\\u003111 y\\u00e9'),
		TADC: FILES.TADC('x &#52;111 1111 1111 &#x31;111 y &#233;'),
	};
	for (const [filter, text] of Object.entries(spelled)) {
		const { parts, engine, there } = await run(t, { filter, text, options: { otherNumbers: 'tokenize' } });
		t.is(there.summary.otherNumbers, 1, filter);
		t.regex(there.bytes.toString(), /x [0-9a-f]{32} y/);
		const back = await swap(parts, engine, { filter, direction: 'detokenize', bytes: there.bytes });
		t.is(back.bytes.toString(), text);
		const masked = await run(t, { filter, text, options: { otherNumbers: 'mask' } });
		t.regex(masked.there.bytes.toString(), /x \*+ y/);
	}
});

test('a token that somebody else put outside the card fields stays on the way back', async (t) => {
	const { parts, engine, there } = await run(t, { filter: 'SIMPLECSV', text: `CardNumber,Note\n${VISA},x\n` });
	const token = there.bytes.toString().split('\n')[1].split(',')[0];
	const bytes = Buffer.from(`CardNumber,Note\n,${token}\n`);
	const back = await swap(parts, engine, { filter: 'SIMPLECSV', direction: 'detokenize', bytes });
	t.is(back.bytes.toString(), bytes.toString());
	t.is(back.summary.unresolved, 0);
});

test('duplicate elimination gives one number outside the card fields one token, which still comes back', async (t) => {
	const text = `CardNumber,Note\n${VISA},${VISA}\n${VISA},see ${VISA}\n`;
	const options = { otherNumbers: 'tokenize', eliminateCardDuplication: true };
	const { parts, engine, there } = await run(t, { filter: 'SIMPLECSV', text, options });
	const tokens = there.bytes.toString().match(/[0-9a-f]{32}/g)!;
	t.is(new Set(tokens).size, 2);
	const back = await swap(parts, engine, { filter: 'SIMPLECSV', direction: 'detokenize', bytes: there.bytes });
	t.is(back.bytes.toString(), text);
});

test('a file with numbers and no card field is refused with the names they stand under, unless expectCards is false', async (t) => {
	const text = `{"bookings":[{"zahlung":"${VISA}"},{"note":"${VISA}"}]}`;
	const error = await t.throwsAsync(run(t, { filter: 'SIMPLEJSON', text }), { instanceOf: FileError });
	t.regex(error.message, /no field that this format knows as a card number, but 2 card numbers stand in it/);
	t.true(error.message.includes('"zahlung", "note"'), error.message);
	const { there } = await run(t, { filter: 'SIMPLEJSON', text, options: { expectCards: false } });
	t.is(there.summary.otherNumbers, 2);
});

test('an empty file passes in every format, and its report says that it is empty', async (t) => {
	for (const filter of formats.keys()) {
		const { there } = await run(t, { filter, text: '' });
		t.is(there.bytes.length, 0, filter);
		t.deepEqual(there.summary.notices, ['The file is empty'], filter);
	}
});

test('numbers in any text come back byte for byte, however the file is cut', async (t) => {
	const parts = await openVaultParts(t);
	const whole = parts.engine(all);
	const tiny = parts.engine(all, { windowBytes: 7, maxRecordBytes: 1_048_576 });
	const part = fc.constantFrom(
		...[VISA, '4111 1111 1111 1111', '3782-822463-10005', '5555.5555.5555.4444', '4111\u00a01111\u00a01111\u00a01111'],
		...['a', 'F', 'dead', '12', '0', ' ', '-', '.', 'é', '漢', 'x', '٤١١١١١١١١١١١١١١١', 'AB'],
		...['4111:1111:1111:1111:1229', ':', 'abcd:', '/1229', ':12:29'],
		...['4111/1111/1111/1111', "4'111'111'111'111'111", '/', `VI ${VISA}1229`, '4.111111111111111E15'],
	);
	// Each kind of escape stands for a character in one format only.
	const escaped: Record<string, string[]> = {
		SIMPLEJSON: ['\\u0034', '\\u0020', '\\u00e9'],
		TADC: ['&#52;', '&#x20;', '&#233;'],
	};
	const options = { otherNumbers: 'tokenize', eliminateCardDuplication: true, expectCards: false };
	await fc.assert(
		fc.asyncProperty(
			fc.constantFrom('SIMPLEJSON', 'TADC', 'CSV', 'AIR'),
			fc.array(part, { maxLength: 30 }),
			fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 }),
			async (filter, pieces, chunkSizes) => {
				const [digit, blank, letter] = escaped[filter] ?? ['4', ' ', 'e'];
				const text = pieces
					.join('')
					.replace(/d/g, letter)
					.replace(/4(?=1)/g, digit)
					.replace(/ (?=1)/g, blank)
					// In AIR, the end of a token and hexadecimal letters behind it could by chance read as a card code and another token.
					.replace(/[a-f]/gi, filter === 'AIR' ? 'x' : '$&');
				const bytes = Buffer.from(FILES[filter](text));
				const request = { filter, options, direction: 'tokenize' as const };
				const there = await swap(parts, whole, { ...request, bytes });
				const cut = await swap(parts, tiny, { ...request, bytes, chunkSizes });
				t.is(cut.bytes.toString(), there.bytes.toString());
				t.deepEqual(cut.entries, there.entries);
				t.deepEqual(cut.summary, there.summary);
				const again = await swap(parts, whole, { ...request, bytes: there.bytes });
				t.is(again.bytes.toString(), there.bytes.toString());
				const back = await swap(parts, tiny, { filter, direction: 'detokenize', bytes: there.bytes, chunkSizes });
				// The digits behind a number and its expiry may be a code by chance. Codes stay stars, and nothing else does.
				for (const { outcome, reason, offset } of there.entries) {
					if (outcome !== 'otherCode' || !/replaced by stars$/.test(reason ?? '')) continue;
					for (let at = offset; bytes[at] >= 0x30 && bytes[at] <= 0x39; at++) bytes[at] = 0x2a;
				}
				t.is(back.bytes.toString(), bytes.toString());
			},
		),
		{ numRuns: runs(1500) },
	);
});

const coded = test.macro({
	async exec(t, mode: string, expected: string) {
		const text = FILES.SIMPLECSV('paid by phone, CVV: 123 and cvc2 1234 (CV 2023), CVC 4111 1111 1111 1111');
		const { there } = await run(t, { filter: 'SIMPLECSV', text, options: { otherNumbers: mode } });
		t.regex(there.bytes.toString(), new RegExp(expected));
		t.is(there.summary.otherCodes, 2);
		t.is(there.summary.otherNumbers, 1);
		t.regex(there.summary.notices[1], /^2 security codes seem to stand outside the card fields/);
		const codes = there.entries.filter(({ outcome }) => outcome === 'otherCode');
		t.deepEqual(
			codes.map(({ offset }) => offset),
			[text.indexOf('123'), text.indexOf('1234 ')],
		);
		t.notRegex(JSON.stringify(codes), /123/);
	},
	title: (_, mode) => `a security code behind its label is told where it stands outside the card fields: ${mode}`,
});
test(coded, 'report', 'CVV: 123 and cvc2 1234 \\(CV 2023\\), CVC 4111 1111 1111 1111');
test(coded, 'mask', 'CVV: \\*\\*\\* and cvc2 \\*\\*\\*\\* \\(CV 2023\\), CVC 4111 11\\*\\* \\*\\*\\*\\* 1111');
test(coded, 'tokenize', 'CVV: \\*\\*\\* and cvc2 \\*\\*\\*\\* \\(CV 2023\\), CVC [0-9a-f]{32}"');

const inText = test.macro({
	async exec(t, text: string) {
		const options = { otherNumbers: 'mask', expectCards: false };
		const parts = await openVaultParts(t);
		for (const windowBytes of [65_536, 7]) {
			const engine = parts.engine(all, { windowBytes, maxRecordBytes: 1_048_576 });
			const bytes = Buffer.from(text);
			const there = await swap(parts, engine, { filter: 'TADC', direction: 'tokenize', bytes, options });
			t.is(there.summary.otherCodes, 1);
			t.is(there.bytes.toString(), text.replace('123', '***'));
		}
	},
	title: (title) => `a security code in ${title} that is the text of an element is told`,
});
test('XML', inText, '<a><b>&lt;r&gt;&lt;CVV&gt;123&lt;/CVV&gt;&lt;/r&gt;</b></a>');
test('an attribute of XML', inText, '<a><b>&lt;r Cvv2=&quot;123&quot;/&gt;</b></a>');
test('JSON', inText, '<a><b>{&quot;cvc&quot; : &quot;123&quot;}</b></a>');
test('XML of attributes in apostrophes', inText, "<a b='&lt;r CVV = &apos;123&apos;/&gt;'/>");

test('fields as pairs of a name and a value', inText, '<a><f><Name>CVV</Name><Value>123</Value></f><b>9</b></a>');
test('a pair on two lines', inText, '<a><f:Name>CVC2 </f:Name>\r\n\t\t<f:Value t="x">\n 123\n</f:Value></a>');
test('a pair whose name has letters of a label', inText, '<a><CVName>CVV</CVName><Value>123</Value></a>');
test('a table', inText, '<a><td>CVV:</td><td>123</td></a>');
test('a number behind a security code or another name is no code', async (t) => {
	const parts = await openVaultParts(t);
	const texts = ['<a><c>CVV</c><Amount>123</Amount></a>', '<a><CVV/><Value>123</Value></a>'];
	for (const text of [...texts, '<a><CVV>***</CVV><Value>123</Value></a>', '<a>CVV <b>123</b></a>']) {
		const bytes = Buffer.from(text);
		const options = { otherNumbers: 'mask', expectCards: false };
		const there = await swap(parts, parts.engine(all), { filter: 'TADC', direction: 'tokenize', bytes, options });
		t.is(there.bytes.toString(), text);
	}
});

test('a security code behind CCV is told, however the file arrives, and other words with these letters are no label', async (t) => {
	const parts = await openVaultParts(t);
	const text = FILES.CSV('CCV 123, ccv2: 4567, ACCV 123, CCVI 123, CCV1234567');
	for (const windowBytes of [65_536, 7]) {
		const engine = parts.engine(all, { windowBytes, maxRecordBytes: 1_048_576 });
		const options = { otherNumbers: 'mask' };
		const bytes = Buffer.from(text);
		const there = await swap(parts, engine, { filter: 'CSV', direction: 'tokenize', bytes, options });
		t.is(there.summary.otherCodes, 2);
		t.true(there.bytes.includes('"CCV ***, ccv2: ****, ACCV 123, CCVI 123, CCV1234567"'));
	}
});

test('a security code in its own field is told by the card it belongs to, and not once more', async (t) => {
	const text = 'CardNumber,ExpirationDate,CVV\n4111111111111111,12/29,123\n';
	const { there } = await run(t, { filter: 'SIMPLECSV', text });
	t.is(there.summary.otherCodes, 0);
});

test('a number beside a mask in a card field is swapped, and the masked one counts', async (t) => {
	const text = 'CardNumber,Note\n4111 1111 1111 1111 was 411111XXXXXX1111,x\n378282246310005 (American Express),y\n';
	const { parts, engine, there } = await run(t, { filter: 'SIMPLECSV', text });
	const { masked, otherNumbers, cards } = there.summary;
	t.deepEqual([masked, otherNumbers, cards], [1, 0, 2]);
	t.regex(there.bytes.toString(), /\n[0-9a-f]{32} was 411111XXXXXX1111,x\n[0-9a-f]{32} \(/);
	const back = await swap(parts, engine, { filter: 'SIMPLECSV', direction: 'detokenize', bytes: there.bytes });
	t.is(back.bytes.toString(), text);
});

test('a code beside an empty cell, a masked number or a token is told at its place, and starred where numbers are hidden', async (t) => {
	const token = 'a054d362051545afd3f6f25107776579';
	const rows = `,123\n411111******1111,124\n${token},1234\n${VISA},125\n,\n,***\n${token},***\n`;
	const text = `CardNumber,CVV\n${rows}`;
	const { there } = await run(t, { filter: 'SIMPLECSV', text });
	const codes = there.entries.filter(({ outcome }) => outcome === 'otherCode');
	t.deepEqual(
		codes.map(({ line, offset }) => [line, offset]),
		[
			[2, text.indexOf('123')],
			[3, text.indexOf('124')],
			[4, text.indexOf('1234')],
		],
	);
	t.true(there.bytes.includes(',123\n411111******1111,124\n'));
	const masked = await run(t, { filter: 'SIMPLECSV', text, options: { otherNumbers: 'mask' } });
	t.true(masked.there.bytes.includes(`,***\n411111******1111,***\n${token},****\n`));
});

test('a number of a card field that is spelled with references is no masked one', async (t) => {
	const text = FILES.TADC('x').replace('5555555555554444', '555555&#53;55555&#x34;444');
	const { there } = await run(t, { filter: 'TADC', text, options: { otherNumbers: 'tokenize' } });
	t.is(there.summary.cards, 1);
	t.is(there.summary.otherNumbers, 0);
});

test('the digits of a bare JSON number with a sign, point or exponent stay, since stars there are no JSON', async (t) => {
	const inCardField = [`"guestCard":${VISA}e0`, `"cardNumber":${VISA}.50`];
	for (const member of [`"guest":${VISA}.0`, `"guest":-${VISA}`, `"guest":${VISA}e0`, ...inCardField]) {
		const text = `{"card":{"number":"5555555555554444"},${member}}`;
		for (const otherNumbers of ['mask', 'tokenize']) {
			const { there } = await run(t, { filter: 'SIMPLEJSON', text, options: { otherNumbers } });
			t.true(there.bytes.toString().endsWith(`${member}}`), member);
			t.notThrows(() => JSON.parse(there.bytes.toString()));
			t.regex(others(there)[0].reason!, /in a bare number with a sign, point or exponent, and stays in clear/);
			t.regex(there.summary.notices[0], /^1 card number stands outside the card fields of this format, in clear/);
		}
	}
});
