// Tests what holds for any body: it is filled or refused, nothing but the places changes, and what was written is read.

import test from 'ava';
import fc from 'fast-check';
import { ServiceError } from '../../../src/base/errors.ts';
import type { CardSelector, ProfileBody } from '../../../src/work/relay/profiles/profile.ts';
import { compileSelectors, type OutgoingCard, writeCodes } from '../../../src/work/relay/selectors/selectors.ts';
import { runs } from '../../helpers/runs.ts';
import { bodies, card, containers, filler } from './laws.setup.ts';

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
