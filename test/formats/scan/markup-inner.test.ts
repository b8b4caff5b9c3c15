// Checks values in child elements and attributes of the elements of numbers and CVVs, and dates as XML writes them.

import test, { type ExecutionContext } from 'ava';
import { tadc } from '../../../formats/tadc.ts';
import { EXPIRY_ABSENT, EXPIRY_UNREADABLE } from '../../../src/base/card/expiry.ts';
import { Findings } from '../../../src/engine/format.ts';
import { scanAll } from '../../helpers/scan.ts';

const NUMBER = '4111111111111111';
const WINDOWS = [undefined, [1], [7]] as const;

function scan(t: ExecutionContext, text: string) {
	const options = tadc.options.parse({});
	const [found, ...others] = WINDOWS.map((windowSizes) => scanAll(tadc, options, Buffer.from(text), { windowSizes }));
	for (const other of others) t.deepEqual(other, found);
	return found;
}

function notices(text: string): string[] {
	const bytes = Buffer.from(text);
	const found = new Findings();
	tadc.scanner(tadc.options.parse({}), 'tokenize').scan(bytes, 0, bytes.length, true, found);
	return [...found.notices];
}

const hasCvv = test.macro({
	exec(t: ExecutionContext, cvv: string, expected: string | undefined, notice?: RegExp) {
		for (const [open, close] of [
			['<Card>', '</Card>'],
			['<Booking>', '</Booking>'],
		]) {
			const text = `${open}<CardNumber>${NUMBER}</CardNumber><ExpireDate>1229</ExpireDate>${cvv}${close}`;
			const cards = scan(t, text);
			t.is(cards.length, 1);
			t.is(cards[0].number.raw, NUMBER);
			t.is(cards[0].cvv?.raw, expected, text);
			const told = notices(text);
			t.is(told.length, notice === undefined ? 0 : 1, told.join('\n'));
			if (notice !== undefined) t.regex(told[0], notice);
		}
	},
	title: (title: string | undefined, _: string, expected: string | undefined, notice?: RegExp) =>
		`${title} is ${expected === undefined ? '' : 'read, '}${notice === undefined ? 'not told' : 'told'}`,
});

const UNREAD = /^The element CVV is called like the security code of a card/;

test('a CVV in a child element', hasCvv, '<CVV><Digits>123</Digits></CVV>', '123');
test('a CVV in a child element called Code', hasCvv, '<CVV><Code>123</Code></CVV>', '123');
test('a CVV in a child element called Number', hasCvv, '<CVV><Number>123</Number></CVV>', '123');
test('a CVV in an attribute called code', hasCvv, '<CVV code="123"/>', '123');
test('a CVV in an attribute called digits', hasCvv, '<CVV digits="123"></CVV>', '123');
test('a CVV in PlainText beside another child', hasCvv, '<CVV><PlainText>123</PlainText><x>456</x></CVV>', '123');
test('a CVV as text beside an attribute', hasCvv, '<CVV status="200">123</CVV>', '123');
test('the stars of a CVV in a child element', hasCvv, '<CVV><Digits>***</Digits></CVV>', '***');
test('a CVV beside another value', hasCvv, '<CVV><a>123</a><b>x</b></CVV>', undefined, UNREAD);
test('a CVV two elements further in', hasCvv, '<CVV><a><b>123</b></a></CVV>', undefined, UNREAD);
test('the result of a check of a CVV', hasCvv, '<CVV><Result>M</Result></CVV>', undefined);
test('an empty CVV element', hasCvv, '<CVV><a/></CVV>', undefined);

const ofNumber = test.macro({
	exec(t: ExecutionContext, inner: string, expected: string | undefined, notice?: RegExp) {
		for (const text of [`<Card>${inner}</Card>`, `<Booking><ExpireDate>1229</ExpireDate>${inner}</Booking>`]) {
			t.deepEqual(
				scan(t, text).map(({ number }) => number.raw),
				expected === undefined ? [] : [expected],
				text,
			);
			const told = notices(text);
			t.is(told.length, notice === undefined ? 0 : 1, told.join('\n'));
			if (notice !== undefined) t.regex(told[0], notice);
		}
	},
	title: (title: string | undefined, _: string, expected: string | undefined, notice?: RegExp) =>
		`${title} is ${expected === undefined ? '' : 'read, '}${notice === undefined ? 'not told' : 'told'}`,
});

const SPLIT = /^The element CardNumber holds a part of a card number/;

test(
	'a number in four parts',
	ofNumber,
	'<CardNumber><Part>4111</Part><Part>1111</Part><Part>1111</Part><Part>1111</Part></CardNumber>',
	undefined,
	SPLIT,
);
test(
	'a number in two parts',
	ofNumber,
	'<CardNumber><Bin>411111</Bin><Rest>1111111111</Rest></CardNumber>',
	undefined,
	SPLIT,
);
test('a number in two attributes', ofNumber, '<CardNumber bin="411111" rest="1111111111"/>', undefined, SPLIT);
test(
	'a number in parts with a wrong check digit',
	ofNumber,
	'<CardNumber><Bin>411111</Bin><Rest>1111111112</Rest></CardNumber>',
	undefined,
);
test('a number in a child element', ofNumber, `<CardNumber><Digits>${NUMBER}</Digits></CardNumber>`, NUMBER);
test('a number in an attribute', ofNumber, `<CardNumber digits="${NUMBER}"/>`, NUMBER);
test('a token in a child element', ofNumber, `<CardNumber><D>${'ab'.repeat(16)}</D></CardNumber>`, 'ab'.repeat(16));

const hasExpiry = test.macro({
	exec(t: ExecutionContext, expiry: string, expected: number) {
		const [attribute] = scan(t, `<Card CardNumber="${NUMBER}" ExpireDate="${expiry}"/>`);
		const [element] = scan(t, `<b><CardNumber>${NUMBER}</CardNumber><ExpireDate> ${expiry} </ExpireDate></b>`);
		t.is(attribute.expiry, expected);
		t.is(element.expiry, expected);
	},
	title: (_, expiry) => `the expiry ${expiry} is read as XML means it`,
});

test(hasExpiry, '2029-12-31Z', 202912);
test(hasExpiry, '2029-12-31+01:00', 202912);
test(hasExpiry, '2029-12-05:00', 202912);
test(hasExpiry, '2029-12Z', 202912);
test(hasExpiry, '1229Z', EXPIRY_UNREADABLE);
test(hasExpiry, '0000', EXPIRY_ABSENT);
test(hasExpiry, '00/00', EXPIRY_ABSENT);
test(hasExpiry, '0029', EXPIRY_UNREADABLE);
