import test, { type ExecutionContext } from 'ava';
import { simplejson } from '../../../formats/simplejson.ts';
import { tadc } from '../../../formats/tadc.ts';
import { Findings, type Format } from '../../../src/engine/format.ts';

const NUMBER = '4111111111111111';
const OTHER = '5555555555554444';

/** Returns the notices of a file, and checks that they are the same for windows of any size. */
function notices<O>(t: ExecutionContext, format: Format<O>, text: string, config: unknown = {}): string[] {
	const bytes = Buffer.from(text);
	const told = [bytes.length, 1, 7].map((size) => {
		const scanner = format.scanner(format.options.parse(config), 'tokenize');
		const found = new Findings();
		let settled = 0;
		for (let to = 0; to < bytes.length; ) {
			to = Math.min(bytes.length, to + size);
			found.length = 0;
			settled = scanner.scan(bytes, settled, to, to === bytes.length, found);
		}
		return [...found.notices];
	});
	t.deepEqual(told[1], told[0]);
	t.deepEqual(told[2], told[0]);
	return told[0];
}

const tells = test.macro({
	exec(t, text: string, expected: readonly RegExp[], config?: unknown) {
		const found = text.startsWith('<') ? notices(t, tadc, text, config) : notices(t, simplejson, text, config);
		t.is(found.length, expected.length, found.join('\n'));
		for (const [index, pattern] of expected.entries()) t.regex(found[index], pattern);
	},
	title: (title = '') => `${title} is told`,
});

const isSilent = test.macro({
	exec(t, text: string) {
		t.deepEqual(text.startsWith('<') ? notices(t, tadc, text) : notices(t, simplejson, text), []);
	},
	title: (title = '') => `of ${title} nothing is told`,
});

test(
	'lists of names that are no rows',
	isSilent,
	'[["card","code"],["cvv"]]\n["cvv"]\n[1,["cvv"]]\n[{"a":["cvv"]},["cvv"]]',
);

const COUNT_ONE = /^Security codes left in clear, .*: 1$/;

test(
	'three digits under code beside a number whose object is no card',
	tells,
	`{"cardNumber":"${NUMBER}","expiry":"12/29","code":"123"}`,
	[/The key code beside a card number holds as many digits/],
);
test('a CVV without a number', tells, '{"cardNumber":null,"cvv2":"123"}', [
	/^The key cvv2 holds a security code/,
	COUNT_ONE,
]);
test('a CVV beside several cards', tells, `{"cards":[{"number":"${NUMBER}"},{"number":"${OTHER}"}],"cvc":123}`, [
	/^The key cvc holds/,
	COUNT_ONE,
]);
test('a CVV of a thousand records', tells, '{"cvv":"123"}\n'.repeat(1000), [/^The key cvv holds/, /: 1000$/]);
test('a CVV beside a card element', tells, `<r><Card Number="${NUMBER}"/><CVV2>123</CVV2></r>`, [
	/^The element CVV2 holds/,
	COUNT_ONE,
]);
test('a CVV in an element of its own', tells, '<r><SeriesCode><PlainText>123</PlainText></SeriesCode></r>', [
	/^The element SeriesCode holds/,
	COUNT_ONE,
]);
test('a CVV beside a masked number', tells, '{"cardNumber":"411111******1111","cvv":"123"}', [
	/^The key cvv holds/,
	COUNT_ONE,
]);
test('a CVV beside a token', tells, `{"cvv":"123","card":{"number":"${'ab'.repeat(16)}"}}`, [
	/^The key cvv holds/,
	COUNT_ONE,
]);
test('a word for a CVV beside fields of a card', tells, '{"cardHolder":"A","CID":"123"}', [
	/^The key CID holds/,
	COUNT_ONE,
]);
test('a CVV in a list of columns', tells, '{"columns":["PNR","CVC"],"rows":[["X","123"]]}', [
	/^The key CVC names a security code/,
]);
test('a CVV in the first of several rows', tells, `[["card","cvv"],["${NUMBER}","123"],["cvc2","x"]]`, [
	/^The key cvv names a security code in a list of columns/,
]);
test('a CVV in the first row of a table inside an object', tells, `{"a":[],"data":[["CVC2",1],[123,"${NUMBER}"]]}`, [
	/^The key CVC2 names a security code/,
]);
test(
	'a CVV in the first row of a table behind a card',
	tells,
	`{"card":{"cardNumber":"${NUMBER}"},"b":[["x","CVV"],["x","123"]]}`,
	[/^The key CVV names a security code/],
);
test('a CVV as name and value', tells, '[{"name":"Code CVC","value":"123"}]', [/^The key Code CVC holds/, COUNT_ONE]);
test('a CVV in an element with its name', tells, '<r><Field Name="CVC">123</Field></r>', [
	/^The element CVC holds/,
	COUNT_ONE,
]);
test('an expiry without a number', tells, '{"cardExpiry":"12/29"}', [/^The key cardExpiry is called like the expiry/]);
test('three digits beside a card', tells, `{"cardNumber":"${NUMBER}","krypto":"123","room":"12"}`, [
	/^The key krypto beside a card number holds as many digits/,
]);
test('four digits beside an American Express card', tells, '{"pan":"378282246310005","a":"123","batch":"1234"}', [
	/^The key batch beside/,
]);
test(
	'three digits in a card element',
	tells,
	`<Card Number="${NUMBER}" x="y" Krypto="123"><Geheim>456</Geheim></Card>`,
	[/^The element Krypto beside/, /^The element Geheim beside/],
);
test(
	'a name that the options leave unread',
	tells,
	`{"plastik":"${NUMBER}","ccNumber":"${OTHER}"}`,
	[/^The key ccNumber is called/],
	{
		keys: { cardNumber: ['plastik'] },
	},
);
test('a name that may be a number, without its digits,', tells, `{"cardNumber":"${NUMBER}","${OTHER}":"123"}`, [
	/^The key #{16} beside/,
]);

test('a card with its CVV', isSilent, `{"cardNumber":"${NUMBER}","cvv":"123","room":"204"}`);
test('a CVV in an object inside the card', isSilent, `{"cardNumber":"${NUMBER}","security":{"cvv":"123"}}`);
test('a CVV beside a list of one number', isSilent, `{"verification code":"123","cardNumbers":["${NUMBER}"]}`);
test('a CVV that is stars', isSilent, '{"cvv":"***"}');
test('an empty card', isSilent, '{"cardNumber":"","cvv":null,"cardExpiry":"12/29"}');
test('a CVV beside the only card', isSilent, `{"card":{"number":"${NUMBER}"},"cvv":"123","cardExpiry":"12/29"}`);
test(
	'dates and names of other things',
	isSilent,
	'{"passport":{"expiry":"2029-01-01"},"name":"A","year":2029,"code":"123"}',
);
test('an element of another thing', isSilent, '<r><Room>204</Room><Code>123</Code></r>');

test('if every record has another name, twenty are reported, and that there are more', (t) => {
	const text = Array.from({ length: 100 }, (_, i) => `{"guest${i}Cvv":"123"}`).join('\n');
	const told = notices(t, simplejson, text);
	t.is(told.length, 22);
	t.regex(told[20], /^There are more names/);
	t.regex(told[21], /: 100$/);
});
