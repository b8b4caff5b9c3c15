// Those tests of laws.test.ts that take long.

import test from 'ava';
import fc from 'fast-check';
import { ServiceError } from '../../../src/base/errors.ts';
import type { CardSelector } from '../../../src/work/relay/profiles/profile.ts';
import { compileSelectors } from '../../../src/work/relay/selectors/selectors.ts';
import { bodies, card, containers, filler } from './laws.setup.ts';

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
