// Tests what holds for any body: it is filled or refused, nothing but the places changes, and what was written is read.

import test from 'ava';
import fc from 'fast-check';
import { ServiceError } from '../../../src/base/errors.ts';
import type { CardSelector, ProfileBody } from '../../../src/work/relay/profiles/profile.ts';
import { compileSelectors, type OutgoingCard, writeCodes } from '../../../src/work/relay/selectors/selectors.ts';
import { anyCharacter } from '../../helpers/any-character.ts';
import { runs } from '../../helpers/runs.ts';

const card = fc.record({
	number: fc.constantFrom('4111111111111111', '5555555555554444', '0'),
	expiryMonth: fc.constantFrom('04', '12'),
	expiryYear: fc.constantFrom('2030', '2099'),
	nameOnCard: fc
		.oneof(fc.string({ unit: anyCharacter }), fc.constantFrom(']]>', '"\'<&>', '\r\n', '%41+&=', '\\u0041', '&amp;'))
		.map((name) => `N${name}N`.replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd]/gu, '')),
	securityCode: fc.constantFrom('012', '3456'),
	type: fc.constantFrom('Visa', 'AMEX', 'JCB'),
});

const parts = (prefix: string, join: string): CardSelector => ({
	number: { path: `${prefix}n` },
	expiryMonth: { path: `${prefix}e`, substring: [0, 2] },
	expiryYear: { path: `${prefix}e`, format: 'YY', substring: [2, 2] },
	nameOnCard: { path: `${prefix}h` },
	securityCode: { path: `${prefix}${join}c` },
	type: { path: `${prefix}t`, map: { Visa: 'VI', AMEX: 'AX' } },
});

const bodies: [ProfileBody, string, CardSelector, (values: string[]) => string][] = [
	[
		'xml',
		'elements',
		parts('', '@'),
		(v) => `<o><k c="${v[0]}"><t/> <n>${v[1]}</n><e/><h>${v[2]}</h></k> <!-- < --></o>`,
	],
	[
		'xml',
		'CDATA',
		parts('', '@'),
		(v) => `<o><k c='${v[0]}'><t/><n/><e>0000</e><h><![CDATA[${v[1]}]]></h></k>${v[2]}</o>`,
	],
	['json', 'strings', parts('$.', ''), (v) => `{"k":{"n":"${v[0]}","e":"","h":"${v[1]}","c":"${v[2]}","t":null}}`],
	['json', 'numbers', parts('$.', ''), (v) => `{"k":{"n":1,"e":null,"h":7,"c":-1e5,"t":"${v[0]}"},"x":[${v.length}]}`],
	['form', 'fields', parts('', ''), (v) => `n=${v[0]}&e=&h=${v[1]}&c&t=${v[2]}&x=%`],
];
const containers: Partial<Record<ProfileBody, string>> = { xml: '//k', json: '$.k' };
const filler = fc.stringMatching(/^[A-Za-z0-9 é]{0,12}$/);

/** Further places for a CVV: with blanks or comments around it, empty, and shared with other parts of the card. */
const codes: typeof bodies = [
	...bodies,
	['xml', 'elements with blanks', { number: { path: 'n' }, securityCode: { path: 'c' } }, xmlCode((v) => ` \n ${v} `)],
	[
		'xml',
		'an empty element',
		{ number: { path: 'n' }, securityCode: { path: 'c' } },
		(v) => `<k><n>${v[0]}</n><c/></k>`,
	],
	[
		'xml',
		'text with comments',
		{ number: { path: 'n' }, securityCode: { path: 'c' } },
		xmlCode((v) => `<!-- a --> ${v} <![CDATA[ ${v} ]]> <!-- b -->`),
	],
	[
		'json',
		'a shared text',
		{
			number: { path: '$.n' },
			expiryMonth: { path: '$.e', substring: [0, 2] },
			securityCode: { path: '$.e', substring: [2, 3] },
		},
		(v) => `{"k":{"e":"","n":"${v[0]}"}}`,
	],
	[
		'json',
		'a shared number',
		{
			number: { path: '$.n' },
			securityCode: { path: '$.e', substring: [0, 3] },
			expiryMonth: { path: '$.e', substring: [3, 2] },
		},
		(v) => `{"x":"${v[1]}","k":{"e":12345,"n":"${v[0]}"}}`,
	],
	['json', 'null', { number: { path: '$.n' }, securityCode: { path: '$.c' } }, (v) => `{"k":{"c":null,"n":"${v[0]}"}}`],
];

function xmlCode(write: (value: string) => string): (values: string[]) => string {
	return (v) => `<o><k><c>${write(v[0])}</c><n>${v[1]}</n></k><x>${v[2]}</x></o>`;
}

for (const [body, title, selector, bodyOf] of codes) {
	test(`a CVV written into ${body} ${title} later gives what filling with it gives`, (t) => {
		const selectors = compileSelectors({ body, namespaces: {}, cards: [{ ...selector, container: containers[body] }] });
		const code = fc.constantFrom('012', '3456', '000', '999', undefined);
		fc.assert(
			fc.property(fc.array(filler, { minLength: 3, maxLength: 3 }), card, code, (values, given, securityCode) => {
				const empty = Buffer.from(bodyOf(values));
				const { securityCode: _, ...plain } = given;
				const { bytes, hasCode, codePlaces } = selectors.fillBeforeCodes(empty, [plain]);
				t.deepEqual(hasCode, [true]);
				t.deepEqual(bytes, selectors.fill(empty, [plain]));
				const later = writeCodes(bytes, codePlaces, [securityCode]);
				t.is(later.toString('latin1'), selectors.fill(empty, [{ ...plain, securityCode }]).toString('latin1'));
			}),
			{ numRuns: runs(300) },
		);
	});
}

test('CVVs of several cards go to the places of their cards, and to no others', (t) => {
	const cards: CardSelector[] = [{ container: '$.cards[*]', number: { path: '$.n' }, securityCode: { path: '$.c' } }];
	const selectors = compileSelectors({ body: 'json', namespaces: {}, cards });
	const code = fc.constantFrom('012', '3456', undefined);
	const place = fc.constantFrom<unknown>('', 'x', 7, null, undefined);
	fc.assert(
		fc.property(fc.array(fc.tuple(place, code), { minLength: 1, maxLength: 6 }), (given) => {
			const written = given.map(([c], i) => (i % 2 ? { c, n: '' } : { n: '', c }));
			const body = Buffer.from(JSON.stringify({ cards: written, other: { c: 1 } }));
			const numbers = given.map((_, i) => ({ number: String(i) }));
			const { bytes, codePlaces } = selectors.fillBeforeCodes(body, numbers);
			const later = writeCodes(
				bytes,
				codePlaces,
				given.map(([, securityCode]) => securityCode),
			);
			const atOnce = selectors.fill(
				body,
				given.map(([, securityCode], i) => ({ ...numbers[i], securityCode })),
			);
			t.is(later.toString(), atOnce.toString());
		}),
		{ numRuns: runs(300) },
	);
});

test('a body with too many places for a CVV is refused', (t) => {
	const cards: CardSelector[] = [{ container: '$', number: { path: '$.n' }, securityCode: { path: '$..c' } }];
	const selectors = compileSelectors({ body: 'json', namespaces: {}, cards });
	const of = (count: number) =>
		Buffer.from(JSON.stringify({ n: '', list: Array.from({ length: count }, () => ({ c: 1 })) }));
	t.is(selectors.fillBeforeCodes(of(10_000), [{ number: '1' }]).codePlaces.places.length, 40_000);
	t.throws(() => selectors.fillBeforeCodes(of(10_001), [{ number: '1' }]), { instanceOf: ServiceError });
});

for (const [body, title, selector, bodyOf] of bodies) {
	test(`cards put into ${body} ${title} are read again, and nothing else changes`, (t) => {
		const container = containers[body];
		const selectors = compileSelectors({ body, namespaces: {}, cards: [{ ...selector, container }] });
		fc.assert(
			fc.property(fc.array(filler, { minLength: 3, maxLength: 3 }), card, card, (values, first, second) => {
				const empty = Buffer.from(bodyOf(values));
				const filled = selectors.fill(empty, [first]);
				const [{ values: read }] = selectors.locate(filled);
				t.deepEqual(read, first as never);
				const again = selectors.fill(selectors.fill(empty, [second]), [first]);
				t.deepEqual(selectors.locate(again)[0].values, first as never);
				const emptied = selectors.fill(filled, [{ number: first.number }]);
				t.deepEqual(selectors.locate(emptied)[0].values, {
					...{ number: first.number, expiryMonth: '', expiryYear: '', nameOnCard: '', securityCode: '', type: '' },
				});
			}),
			{ numRuns: 300 },
		);
	});
}

const charsets = ['utf-8', 'us-ascii', 'iso-8859-1', 'ISO-8859-15', 'windows-1252', 'Windows-1251', 'cp1250'];
const inCharset = fc.constantFrom(
	...['é', 'ß', '€', 'Š', 'Ж', 'č', 'A', ' ', '&', '<', ']]>', '"', '\\', '😀', '\u00a0', '\u0081', '–'],
);

for (const [body, title, selector, bodyOf] of bodies.filter(([body]) => body !== 'form')) {
	test(`a name put into ${body} ${title} of any charset is read again, and other bytes stay`, (t) => {
		const container = containers[body];
		const selectors = compileSelectors({ body, namespaces: {}, cards: [{ ...selector, container }] });
		const name = fc.array(inCharset, { maxLength: 8 }).map((characters) => `N${characters.join('')}N`);
		fc.assert(
			fc.property(fc.constantFrom(...charsets), name, card, (charset, nameOnCard, { number }) => {
				const contentType = `application/${body}; charset=${charset}`;
				const empty = Buffer.from(bodyOf(['', '1', 'x']));
				const filled = selectors.fill(empty, [{ number, nameOnCard }], contentType);
				t.is(selectors.locate(filled, contentType)[0].values.nameOnCard, nameOnCard);
				const emptied = selectors.fill(filled, [{ number }], contentType);
				// Joins the pieces into which the name has split a CDATA section, because the section cannot hold all its characters.
				// The blanks between the pieces are layout.
				const whole = emptied.toString('latin1').replace(/(<!\[CDATA\[ *\]\]>)+/, '<![CDATA[]]>');
				t.is(whole, selectors.fill(empty, [{ number }], contentType).toString('latin1'));
			}),
			{ numRuns: 300 },
		);
	});
}

test('bytes outside the places stay as they came, whatever they are', (t) => {
	const selectors = compileSelectors({ body: 'xml', namespaces: {}, cards: [{ number: { path: '//n' } }] });
	fc.assert(
		fc.property(fc.uint8Array({ minLength: 0, maxLength: 40 }), (bytes) => {
			const noise = Buffer.from(bytes.map((byte) => (byte < 0x20 || byte === 0x3c || byte === 0x26 ? 0x80 : byte)));
			const head = Buffer.concat([
				Buffer.from('<a x="'),
				noise.map((byte) => (byte === 0x22 ? 0xff : byte)),
				Buffer.from('">'),
				noise,
			]);
			const tail = Buffer.concat([noise, Buffer.from('</a>')]);
			const body = Buffer.concat([head, Buffer.from('<n>tok</n>'), tail]);
			const filled = selectors.fill(body, [{ number: '4111111111111111' }]);
			t.deepEqual(filled, Buffer.concat([head, Buffer.from('<n>4111111111111111</n>'), tail]));
		}),
	);
});

const pieces: Record<string, string[]> = {
	xml: [
		'<',
		'>',
		'/',
		'</',
		'<n',
		'<n>',
		'</n>',
		'<a x="1">',
		'</a>',
		'"',
		"'",
		'=',
		' ',
		'<!--',
		'-->',
		'<![CDATA[',
		']]>',
		'<?xml version="1.0"?>',
		'<?',
		'?>',
		'&',
		'&amp;',
		'&#',
		';',
		'x',
		'\0',
		'é',
		'xmlns="u"',
		' xmlns:p="v"',
		'p:n',
		':',
		'<!DOCTYPE',
	],
	json: [
		'{',
		'}',
		'[',
		']',
		'"',
		'"n":',
		':',
		',',
		'\\',
		'\\u',
		'00',
		'1',
		'-',
		'.5',
		'e9',
		'true',
		'null',
		' ',
		'\n',
		'\0',
		'é',
		'"n"',
		'{"n":"x"}',
	],
	form: ['n', '=', '&', '%', '%6', '%6E', '+', 'é', '\0', 'n=1'],
	text: ['{{', '}}', '{{cardNumber}}', 'cvv', ':', '2', '{{cardNumber:2}}', '{', 'é'],
};
const garbled: Record<string, CardSelector[][]> = {
	xml: [
		[{ number: { path: '//n' }, securityCode: { path: '//@x' } }],
		[{ container: '//a[n]', number: { path: '(n | .//text())[1]' } }],
	],
	json: [[{ number: { path: '$..n' } }], [{ number: { path: '$..[?@ != 7]' }, nameOnCard: { path: '$.n' } }]],
	form: [[{ number: { path: 'n' }, expiryMonth: { path: 'e', substring: [0, 2] } }]],
	text: [[]],
};

for (const body of ['xml', 'json', 'form', 'text'] as const) {
	test(`any bytes as ${body} are filled or refused, quickly`, (t) => {
		const all = garbled[body].map((cards) => compileSelectors({ body, namespaces: {}, cards }));
		const bytes = fc.oneof(
			fc.array(fc.constantFrom(...pieces[body]), { maxLength: 30 }).map((list) => Buffer.from(list.join(''))),
			fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array)),
		);
		const outgoing: OutgoingCard = { number: '4111111111111111', nameOnCard: 'A', securityCode: '1' };
		fc.assert(
			fc.property(
				bytes,
				fc.constantFrom(undefined, 'text/xml; charset=iso-8859-1', 'x; charset=utf-7'),
				(input, type) => {
					const before = Buffer.from(input);
					for (const selectors of all) {
						for (const run of [() => selectors.locate(input, type), () => selectors.fill(input, [outgoing], type)]) {
							try {
								run();
							} catch (error) {
								if (!(error instanceof ServiceError) || error.status !== 400) throw error;
							}
						}
					}
					t.deepEqual(input, before);
				},
			),
			{ numRuns: runs(2000) },
		);
	});
}

const large: [ProfileBody, string, string][] = [
	['xml', 'one tag of a million blanks', `<n${' '.repeat(1_000_000)}/>`],
	['xml', 'ten thousand attributes', `<n ${Array.from({ length: 10_000 }, (_, i) => `a${i}=""`).join(' ')}/>`],
	['xml', 'a hundred thousand open elements', '<n>'.repeat(100_000)],
	['xml', 'a text of a million references', `<n>${'&amp;'.repeat(1_000_000)}</n>`],
	['xml', 'a million "<!"', '<!'.repeat(1_000_000)],
	['xml', 'ten thousand namespaces', `<n ${Array.from({ length: 10_000 }, (_, i) => `xmlns:a${i}="u"`).join(' ')}/>`],
	['xml', 'a text of a million comments', `<n>${'<!---->x'.repeat(200_000)}</n>`],
	['json', 'a million brackets', '['.repeat(1_000_000)],
	['json', 'a number of a million digits', `{"n":${'1'.repeat(1_000_000)}}`],
	['json', 'a string of a million escapes', `{"n":"${'\\u0041'.repeat(1_000_000)}"}`],
	[
		'json',
		'two hundred levels around a hundred thousand values',
		`${'[{"n":'.repeat(99)}[${'{"n":1},'.repeat(100_000)}1]${'}]'.repeat(99)}`,
	],
	['form', 'a million fields', 'n=1&'.repeat(1_000_000)],
	['form', 'a field of a million percent signs', `n=${'%41'.repeat(1_000_000)}`],
	['text', 'a million braces', '{'.repeat(1_000_000)],
];
for (const [body, title, input] of large) {
	test(`${body}: ${title} takes no longer than it should`, (t) => {
		const path = { xml: '//n', json: '$..n', form: 'n', text: '' }[body];
		const selectors = compileSelectors({ body, namespaces: {}, cards: body === 'text' ? [] : [{ number: { path } }] });
		const before = process.cpuUsage();
		try {
			selectors.fill(Buffer.from(input), [{ number: '4111111111111111' }]);
			if (body !== 'text') selectors.locate(Buffer.from(input));
		} catch (error) {
			if (!(error instanceof ServiceError)) throw error;
		}
		const { user, system } = process.cpuUsage(before);
		t.true(user + system < 3_000_000, `${user + system} µs`);
	});
}
