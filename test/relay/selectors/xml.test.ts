import test, { type ExecutionContext } from 'ava';
import { ServiceError } from '../../../src/base/errors.ts';
import { Edits } from '../../../src/engine/splice.ts';
import type { CardSelector } from '../../../src/work/relay/profiles/profile.ts';
import { compileSelectors, type OutgoingCard } from '../../../src/work/relay/selectors/selectors.ts';

const NUMBER = '4111111111111111';
const CARD: OutgoingCard = {
	number: NUMBER,
	expiryMonth: '04',
	expiryYear: '2030',
	nameOnCard: 'A HOLDER',
	securityCode: '306',
	type: 'Visa',
};

const namespaces = { ota: 'urn:ota', soap: 'urn:soap' };
const xml = (...cards: CardSelector[]) => compileSelectors({ body: 'xml', namespaces, cards });
const numberAt = (path: string, container?: string) => xml({ container, number: { path } });

const fills = test.macro({
	exec(t: ExecutionContext, selector: CardSelector, body: string, expected: string, card: OutgoingCard = CARD) {
		t.is(xml(selector).fill(Buffer.from(body), [card]).toString(), expected);
	},
	title: (title = '') => `filling ${title}`,
});

const refuses = test.macro({
	exec(t: ExecutionContext, body: string | Buffer, expected: RegExp, contentType?: string) {
		const error = t.throws(() => numberAt('//n').locate(Buffer.from(body), contentType), { instanceOf: ServiceError });
		const isXml = /^\s*</.test(body.toString('latin1')) && /not well-formed/.test(error?.moreInfo ?? '');
		t.is(error?.reason, isXml ? 'message-malformed' : 'bad-input-data');
		t.regex(error?.moreInfo ?? '', expected);
	},
	title: (title = '') => `spec §7.4: a body with ${title} is refused`,
});

const n = { number: { path: '//n' } };
test('an element replaces its text', fills, n, '<a><n>tok</n></a>', `<a><n>${NUMBER}</n></a>`);
test('an element keeps the blanks around its text', fills, n, '<a><n>\n tok\t</n></a>', `<a><n>\n ${NUMBER}\t</n></a>`);
test('an element of blanks replaces them', fills, n, '<a><n> </n></a>', `<a><n>${NUMBER}</n></a>`);
test('an empty element opens it', fills, n, '<a><n x="1" /></a>', `<a><n x="1" >${NUMBER}</n></a>`);
test('an empty pair of tags', fills, n, '<a><n></n></a>', `<a><n>${NUMBER}</n></a>`);
test('a CDATA section keeps it', fills, n, '<a><n><![CDATA[tok]]></n></a>', `<a><n><![CDATA[${NUMBER}]]></n></a>`);
test(
	'text around comments keeps the comments and empties the rest',
	fills,
	n,
	'<a><n>41<!-- x -->11 <![CDATA[7]]></n></a>',
	`<a><n>${NUMBER}<!-- x --><![CDATA[]]></n></a>`,
);
test(
	'text() is the text of its element',
	fills,
	{ number: { path: '//n/text()' } },
	'<n>4<!---->1</n>',
	`<n>${NUMBER}<!----></n>`,
);
test(
	'text between elements',
	fills,
	{ number: { path: '/a/text()' } },
	'<a> <b/> x <c/></a>',
	`<a> <b/> ${NUMBER} <c/></a>`,
);
test('an attribute in double quotes', fills, { number: { path: '//@n' } }, '<a n="x"/>', `<a n="${NUMBER}"/>`);
test('an attribute in single quotes', fills, { number: { path: '/a/@n' } }, "<a n=''/>", `<a n='${NUMBER}'/>`);
test(
	'a name escapes what XML would read',
	fills,
	{ ...n, nameOnCard: { path: '//h' } },
	'<a><n>x</n><h/></a>',
	`<a><n>${NUMBER}</n><h>A &amp; &lt;B&gt; "C"</h></a>`,
	{ number: NUMBER, nameOnCard: 'A & <B> "C"' },
);
test(
	'a name in an attribute escapes its quotes',
	fills,
	{ ...n, nameOnCard: { path: '/a/@h' } },
	`<a h='y'><n>x</n></a>`,
	`<a h='O&apos;Hara "x" &amp; &lt;'><n>${NUMBER}</n></a>`,
	{ number: NUMBER, nameOnCard: `O'Hara "x" & <` },
);
test(
	'a name in CDATA cannot end the section',
	fills,
	{ ...n, nameOnCard: { path: '//h' } },
	'<a><n>x</n><h><![CDATA[y]]></h></a>',
	`<a><n>${NUMBER}</n><h><![CDATA[a]]]]><![CDATA[><b>]]></h></a>`,
	{ number: NUMBER, nameOnCard: 'a]]><b>' },
);
test(
	'a name leaves out what no XML may hold',
	fills,
	{ ...n, nameOnCard: { path: '//h' } },
	'<a><n>x</n><h/></a>',
	`<a><n>${NUMBER}</n><h>a?b?</h></a>`,
	{ number: NUMBER, nameOnCard: 'a\u0000b\ud800' },
);
test(
	'without a CVV empties its place, so that no dummy goes out',
	fills,
	{ ...n, securityCode: { path: '//c' }, type: { path: '//@t' } },
	'<a t="VI"><n>x</n><c> 123 </c></a>',
	`<a t=""><n>${NUMBER}</n><c></c></a>`,
	{ number: NUMBER },
);

const merged: CardSelector = {
	number: { path: '//n' },
	expiryMonth: { path: '//e', format: 'MM', substring: [0, 2] },
	expiryYear: { path: '//e', format: 'YY', substring: [2, 2] },
};
test(
	'two parts of one text writes both',
	fills,
	merged,
	'<a><n/><e>0000</e></a>',
	`<a><n>${NUMBER}</n><e>0430</e></a>`,
);
test('two parts of an empty text builds it', fills, merged, '<a><n/><e/></a>', `<a><n>${NUMBER}</n><e>0430</e></a>`);
test(
	'parts of a longer text keeps what is between them',
	fills,
	{ ...merged, expiryYear: { path: '//e', substring: [3, 4] } },
	'<a><n/><e>01/2001 x</e></a>',
	`<a><n>${NUMBER}</n><e>04/2030 x</e></a>`,
);
test(
	'a month without leading zero',
	fills,
	{ ...n, expiryMonth: { path: '//m', format: 'M' } },
	'<a><n/><m/></a>',
	`<a><n>${NUMBER}</n><m>4</m></a>`,
);
test(
	'a mapped type',
	fills,
	{ ...n, type: { path: '//t', map: { Visa: 'VI' } } },
	'<a><n/><t/></a>',
	`<a><n>${NUMBER}</n><t>VI</t></a>`,
);
test(
	'a type that is not mapped',
	fills,
	{ ...n, type: { path: '//t', map: { AMEX: 'AX' } } },
	'<a><n/><t/></a>',
	`<a><n>${NUMBER}</n><t>Visa</t></a>`,
);

test('a text too short for a substring is refused when the selectors do not cover it', (t) => {
	const selectors = xml({ ...merged, expiryYear: { path: '//e', substring: [3, 4] } });
	const error = t.throws(() => selectors.fill(Buffer.from('<a><n/><e>01</e></a>'), [CARD]), {
		instanceOf: ServiceError,
	});
	t.regex(error?.moreInfo ?? '', /expiryYear is too short: characters 3 to 7/);
});

test('namespaces are those of the profile, whatever prefixes the body uses', (t) => {
	const selectors = numberAt('/soap:E/soap:B/ota:n/@c');
	const body = '<E xmlns="urn:soap"><B><q:n c="x" q:c="y" xmlns:q="urn:ota"/><n c="z"/></B></E>';
	t.is(selectors.fill(Buffer.from(body), [CARD]).toString(), body.replace('"x"', `"${NUMBER}"`));
	t.deepEqual(numberAt('//n').locate(Buffer.from(body)), []);
});

test('an element with elements in it is no place', (t) => {
	t.deepEqual(numberAt('/a').locate(Buffer.from('<a>4111<b/></a>')), []);
});

test('the charset of the Content-Type is preferred to the one that the body declares (RFC 7303 §3)', (t) => {
	const text = '<?xml version="1.0" encoding="utf-16"?><a><n>Jörg</n></a>';
	const [{ values }] = numberAt('//n').locate(Buffer.from(text), 'text/xml; charset=utf-8');
	t.is(values.number, 'Jörg');
	t.is(numberAt('//n').locate(Buffer.from(`\ufeff${text}`))[0].values.number, 'Jörg');
	t.throws(() => numberAt('//n').locate(Buffer.from(text), 'text/xml'), { message: /utf-16; expected UTF-8/ });
});

test('characters of the body are read and written in its charset', (t) => {
	const selectors = xml({ ...n, nameOnCard: { path: '//h' } });
	const body = Buffer.from(
		'<?xml version="1.0" encoding="ISO-8859-1"?><a><n>x</n><h>J\xf6rg &#x20AC;</h></a>',
		'latin1',
	);
	t.is(selectors.locate(body)[0].values.nameOnCard, 'Jörg €');
	const filled = selectors.fill(body, [{ number: NUMBER, nameOnCard: 'Åsa €' }]).toString('latin1');
	t.true(filled.endsWith(`<n>${NUMBER}</n><h>\xc5sa &#8364;</h></a>`));
	const windows = selectors.fill(body, [{ number: NUMBER, nameOnCard: 'Åsa €' }], 'text/xml; charset="windows-1252"');
	t.true(windows.toString('latin1').endsWith('<h>\xc5sa \x80</h></a>'));
	const marked = Buffer.from('\ufeff<a><n/><h>é</h></a>');
	t.is(selectors.fill(marked, [{ number: '1', nameOnCard: 'é' }]).toString(), '\ufeff<a><n>1</n><h>é</h></a>');
});

test('located cards are written later, part by part', (t) => {
	const selectors = xml({
		container: '//c',
		number: { path: 'n' },
		securityCode: { path: '@v' },
		type: { path: '@t' },
	});
	const body = Buffer.from('<a><c v="123"><n>4111</n></c><c><n/></c><c v="9"/></a>');
	const cards = selectors.locate(body);
	selectors.locate(Buffer.from('<a/>'));
	t.deepEqual(
		cards.map(({ start, values }) => [start, values]),
		[
			[17, { number: '4111', securityCode: '123' }],
			[34, { number: '' }],
		],
	);
	t.deepEqual([cards[0].has('securityCode'), cards[0].has('type'), cards[1].has('securityCode')], [true, false, false]);
	const edits = new Edits();
	cards[0].hide(edits, '4***');
	t.is(edits.apply(body, 0, body.length).toString(), '<a><c v="***"><n>4***</n></c><c><n/></c><c v="9"/></a>');
});

test('types are read in our words, unreadable dates as they stand', (t) => {
	const selectors = xml({
		...n,
		expiryMonth: { path: '//m' },
		expiryYear: { path: '//y' },
		type: { path: '//t', map: { Visa: 'VI' } },
	});
	const read = (body: string) => {
		const [{ values }] = selectors.locate(Buffer.from(body));
		return [values.expiryMonth, values.expiryYear, values.type];
	};
	t.deepEqual(read('<a><n/><m>4</m><y>30</y><t>vi</t></a>'), ['04', '2030', 'Visa']);
	t.deepEqual(read('<a><n/><m>13</m><y>2030</y><t>ZZ</t></a>'), ['13', '2030', 'ZZ']);
	t.deepEqual(read('<a><n/></a>'), [undefined, undefined, undefined]);
});

test('a value that the library selects is replaced in its place', (t) => {
	const selectors = xml({
		container: "//Payment[@kind='card' and not(Void)]",
		number: { path: '(Number | Digits)[1]' },
	});
	const body =
		'<a><Payment kind="card"><Number>1</Number><Digits>2</Digits></Payment><Payment kind="cash"><Number>3</Number></Payment><Payment kind="card"><Void/><Digits/></Payment><Payment kind="card"><Digits/></Payment></a>';
	const filled = selectors.fill(Buffer.from(body), [{ number: 'X' }, { number: 'Y' }]).toString();
	t.is(
		filled,
		body.replace('<Number>1', '<Number>X').replace('<Digits/></Payment></a>', '<Digits>Y</Digits></Payment></a>'),
	);
});

test('an expression that looks at too much is stopped', (t) => {
	const body = Buffer.from(`<a>${'<b><c/></b>'.repeat(5000)}</a>`);
	const error = t.throws(() => numberAt('//*[count(preceding::*) = 3]').locate(body), { instanceOf: ServiceError });
	t.regex(error?.moreInfo ?? '', /too many nodes/);
});

test('a DOCTYPE', refuses, '<!DOCTYPE a [<!ENTITY x "y">]><a><n>1</n></a>', /DOCTYPE/);
test('crossed tags', refuses, '<a>\n<b></a></b>', /innermost element at byte 7, line 2/);
test('an open element', refuses, '<a><b></b>', /ends inside an element/);
test('an open attribute', refuses, '<a b="x>', /a tag that does not end/);
test('an attribute twice', refuses, '<a b="1" b="2"/>', /stands twice/);
test('an attribute twice by two prefixes', refuses, '<a xmlns:p="u" xmlns:q="u" p:b="1" q:b="2"/>', /stands twice/);
test(
	'an attribute twice among many',
	refuses,
	`<a ${Array.from({ length: 40 }, (_, i) => `b${i}=""`).join(' ')} b3=""/>`,
	/stands twice/,
);
test('a namespace twice', refuses, '<a xmlns:p="u" xmlns:p="v"/>', /declared twice/);
test('a prefix nobody declares', refuses, '<p:a/>', /prefix that is not declared/);
test('a prefix out of scope', refuses, '<a><b xmlns:p="u"/><p:c/></a>', /prefix that is not declared/);
test('an unknown entity', refuses, '<a>&bomb;</a>', /known reference/);
test('text after the end', refuses, '<a/>x', /outside the outermost/);
test('two outermost elements', refuses, '<a/><b/>', /more than one/);
test('no element', refuses, '<!-- -->', /no element/);
test('nothing', refuses, '', /no element/);
test('deep nesting', refuses, '<a>'.repeat(100_000), /deeper than 200/);
test('UTF-16', refuses, Buffer.from('\ufeff<a/>', 'utf16le'), /UTF-16/);
test('UTF-32', refuses, Buffer.from([0xff, 0xfe, 0, 0, 0x3c, 0, 0, 0]), /UTF-32/);
test('UTF-16 without a mark', refuses, Buffer.from('<a/>', 'utf16le'), /UTF-16/);
test('a charset that is not read', refuses, '<a/>', /Shift_JIS; expected UTF-8/, 'text/xml; charset=Shift_JIS');
test('a declared charset that is not read', refuses, '<?xml version="1.0" encoding="UTF-16"?><a/>', /UTF-16; expected/);
test('a malformed declaration', refuses, '<?xml encoding="UTF-8"?><a/>', /declaration/);
