import test, { type ExecutionContext } from 'ava';
import { tadc } from '../../../formats/tadc.ts';
import { EXPIRY_ABSENT } from '../../../src/base/card/expiry.ts';
import { FileError, Findings } from '../../../src/engine/format.ts';
import { scanAll } from '../../helpers/scan.ts';

const NUMBER = '4111111111111111';
const WINDOWS = [undefined, [8_192], [65_536], [70_001, 3]] as const;

function scan(text: string, windowSizes?: readonly number[], config: unknown = {}) {
	const options = tadc.options.parse(config);
	return scanAll(tadc, options, Buffer.from(text), { windowSizes, endsLate: windowSizes !== undefined });
}

const filler = (bytes: number) => '<a>fill</a>\n'.repeat(bytes / 12);
const longName = `a${'b'.repeat(300)}`;

const isRefused = test.macro({
	exec(t: ExecutionContext, text: string, message: RegExp, offset: number) {
		for (const windowSizes of [...WINDOWS, [1]]) {
			if (windowSizes?.[0] === 1 && text.length > 5_000) continue;
			const error = t.throws(() => scan(text, windowSizes), { instanceOf: FileError, message });
			t.is(error.at.offset, offset);
			t.notRegex(error.message, /\d{8}/);
		}
	},
	title: (title) => `${title} is refused with its place`,
});

test('an end tag too many', isRefused, '<a></a></a>', /without a start tag/, 7);
test('an unclosed inner element', isRefused, '<a><b></a>', /the element b is not closed/, 6);
test('an attribute without quotes', isRefused, '<a b=1/>', /in quotes/, 5);
test('an attribute without a value', isRefused, '<a b/>', /"="/, 4);
test('attributes without a blank between', isRefused, '<a b="1"c="2"/>', /expected a blank/, 8);
test('a slash inside a tag', isRefused, '<a / >', /">" after "\/"/, 3);
test('an element name that begins with a digit', isRefused, '<a><1/></a>', /element name/, 4);
test('a bare ampersand', isRefused, '<a>b & c</a>', /known reference/, 5);
test('a reference to no character', isRefused, '<a>&#xD800;</a>', /known reference/, 3);
test('a malformed declaration', isRefused, '<?xml encoding="utf-8"?><a/>', /malformed XML declaration/, 0);
test('a reference to a control character', isRefused, '<a>&#5;</a>', /known reference/, 3);
test('a control character', isRefused, '<a>\u0001</a>', /control character/, 3);
test('CDATA outside the root', isRefused, '<a/><![CDATA[x]]>', /outside the root/, 4);
test('an entity declaration', isRefused, '<!ENTITY a "b"><a/>', /unknown markup/, 0);
test('an instruction that does not end', isRefused, '<a><?php 1', /inside a processing instruction/, 10);
test('a file that is cut behind its declaration', isRefused, '<?xml version="1.0"?>\n', /no root element/, 22);
test('deep nesting', isRefused, '<a>'.repeat(100_000), /deeper than 512/, 1536);
test('a long element name', isRefused, `<${longName}/>`, /longer than 256 bytes/, 0);
test(
	'a card element beyond 64 KiB',
	isRefused,
	`<r>\n<PaymentCard>${filler(70_000)}</PaymentCard></r>`,
	/the element PaymentCard is longer than 65536 bytes/,
	4,
);
test(
	'in markup, a card number as long as no card number is',
	isRefused,
	`<r><CardNumber>${' '.repeat(70_000)}</CardNumber></r>`,
	/the element r is longer/,
	3,
);
test(
	'a card number around a long comment',
	isRefused,
	`<r><PAN>4111<!--${'x'.repeat(1500)}-->1111</PAN></r>`,
	/spelled with more than 1024 bytes/,
	8,
);
test('a name that hides a number', isRefused, `<r><c${NUMBER}></r>`, /the element c#+ is not closed/, 22);

test('encodings are refused by name unless they are read by their bytes', (t) => {
	for (const name of ['UTF-8', 'us-ascii', 'ISO-8859-15', 'windows-1252', 'Latin1']) {
		t.deepEqual(scan(`<?xml version='1.0' encoding='${name}' standalone="yes" ?><a/>`), []);
	}
	for (const name of ['UTF-16', 'UTF-7', 'Shift_JIS', 'IBM037']) {
		t.throws(() => scan(`<?xml version="1.0" encoding="${name}"?><a/>`), {
			instanceOf: FileError,
			message: new RegExp(`encoding ${name};`),
		});
	}
});

test('the refusal of a card element names it and its line', (t) => {
	const error = t.throws(() => scan(`<r>\n\n<Card>${filler(70_000)}</Card></r>`), { instanceOf: FileError });
	t.deepEqual([error.at.line, error.at.field, error.at.record], [3, 'Card', 1]);
});

test('a card without container goes on for 32 KiB behind its first field', (t) => {
	const card = `<CardNumber>${NUMBER}</CardNumber>`;
	for (const windowSizes of WINDOWS) {
		const near = scan(`<r>${card}${filler(30_000)}<ExpiryDate>1229</ExpiryDate></r>`, windowSizes);
		const far = scan(`<r>${card}${filler(40_000)}<ExpiryDate>1229</ExpiryDate>${filler(90_000)}</r>`, windowSizes);
		const early = scan(`<r><ExpiryDate>1229</ExpiryDate>${filler(40_000)}${card}${filler(90_000)}</r>`, windowSizes);
		t.deepEqual(
			[near, far, early].map((cards) => cards.map(({ expiry }) => expiry)),
			[[202912], [EXPIRY_ABSENT], [EXPIRY_ABSENT]],
		);
	}
});

test('wherever that end falls, no card is missed, and its own fields come with it', (t) => {
	const card = `<CardNumber>${NUMBER}</CardNumber><ExpiryDate>1229</ExpiryDate>`;
	for (let pad = 0; pad < 120; pad++) {
		const text = `<r><CardType>VI</CardType><a>${' '.repeat(16_384 - pad)}</a>${card}</r>`;
		const whole = scan(text);
		t.deepEqual(
			whole.map(({ number, expiry }) => [number.raw, expiry]),
			[[NUMBER, 202912]],
		);
		t.deepEqual(scan(text, [16_300, 7]), whole);
	}
});

test('a text beyond 64 KiB ends a card without container', (t) => {
	const card = `<CardNumber>${NUMBER}</CardNumber>`;
	const text = `<r>${card}${' '.repeat(200_000)}<PaymentCard>${card}</PaymentCard><!-- ${'-x'.repeat(70_000)} --></r>`;
	for (const windowSizes of WINDOWS) t.is(scan(text, windowSizes).length, 2);
});

test('texts, comments and CDATA outside a card, however long, are passed over as they come', (t) => {
	const scanner = tadc.scanner({}, 'tokenize');
	const found = new Findings();
	const scanPart = (text: string, isLast = false) => {
		const bytes = Buffer.from(text);
		return bytes.length - scanner.scan(bytes, 0, bytes.length, isLast, found);
	};
	t.is(scanPart(`<r>${'text\r\n'.repeat(50_000)}`), 0);
	t.is(scanPart(`more &am`), 3);
	t.is(scanPart(`&amp;<!-- ${'x'.repeat(100_000)}-`), 1);
	t.is(scanPart(`--><![CDATA[${']'.repeat(100_000)}`), 2);
	t.is(scanPart(`]]><?pi ${'?'.repeat(100_000)}`), 1);
	t.is(scanPart(`?><Card Number="${NUMBER}"/></r>`, true), 0);
	t.is(found.length, 1);
	t.is(found.items[0].line, 50_001);
});

test('only an open card is held back', (t) => {
	const scanner = tadc.scanner({}, 'tokenize');
	const head = `<r>${'<a b="c">d</a>'.repeat(500)}`;
	const window = Buffer.from(`${head}<PaymentCard><CardNumber>${NUMBER}</CardNumber><Card Number="${NUMBER}"/>`);
	const found = new Findings();
	t.is(scanner.scan(window, 0, window.length, false, found), head.length);
	t.is(found.length, 0);
});

test('records count card elements, empty ones too', (t) => {
	const text = `<r><Card/><Card>\n<Number>1</Number><PAN>2</PAN></Card>\n<x><PAN>3</PAN></x>\n<Card Number="4"/></r>`;
	t.deepEqual(
		scan(text, [1]).map(({ record, line, number }) => [record, line, number.raw]),
		[
			[2, 2, '1'],
			[2, 2, '2'],
			[3, 3, '3'],
			[4, 4, '4'],
		],
	);
});

const selects = test.macro({
	exec(t: ExecutionContext, selector: Record<string, string>, text: string, numbers: string[]) {
		const cards = scan(text, [5], { selectors: [selector] });
		t.deepEqual(
			cards.map(({ number }) => number.raw),
			numbers,
		);
	},
	title: (_, selector) => `selector ${selector?.container} with ${selector?.number}`,
});

const SHOP = '<s:Shop><Pay Nr="1"><Card><Nr>2</Nr><Deep><Nr>3</Nr></Deep></Card></Pay><Card><Nr>4</Nr></Card></s:Shop>';
test(selects, { container: 'Pay', number: '@Nr' }, SHOP, ['1']);
test(selects, { container: '//x:pay', number: '//Pay/@nr' }, SHOP, ['1']);
test(selects, { container: 'Pay', number: 'Card/Nr' }, SHOP, ['2']);
test(selects, { container: 'Pay/Card', number: 'Nr' }, SHOP, ['2']);
test(selects, { container: 'Card', number: 'Pay/Card/Nr' }, SHOP, ['2']);
test(selects, { container: 'Card', number: '//Nr' }, SHOP, ['2', '3', '4']);
test(selects, { container: '/Shop/Card', number: 'Nr' }, SHOP, ['4']);
test(selects, { container: '/Card', number: 'Nr' }, SHOP, []);

test('paths that say more than steps are refused', (t) => {
	for (const number of ['//Card[1]/Nr@', 'a//b', '@a/b', 'a/@b/@c', '', 'a b', '/']) {
		t.throws(() => tadc.options.parse({ selectors: [{ container: 'Card', number }] }), undefined, number);
	}
	t.throws(() => tadc.options.parse({ selectors: [{ container: 'Card/@x', number: 'Nr' }] }));
	t.throws(() => tadc.options.parse({ selectors: [{ number: 'Nr' }] }));
	t.throws(() => tadc.options.parse({ selector: [] }));
});
