// Those tests of delimited-wide-header.test.ts that take long.

import test from 'ava';
import fc from 'fast-check';
import { processorTime } from '../../helpers/processor-time.ts';
import { FILTERS, ROW, read } from './delimited-wide-header.setup.ts';

/** The processor time that the widest header may take on a busy machine; a look at its bytes alone takes some 30 ms. */
const MAX_MS = 1_000;

for (const filter of FILTERS) {
	test(`${filter}: a wide header row costs no more than a look at its bytes`, (t) => {
		const wide = `${'Número de cartão,'.repeat(16_000)}\r\n${ROW}`;
		const narrow = `${'Número de cartão,'.repeat(2_049)}${'x'.repeat(wide.length)}\r\n${ROW}`;
		const took = (text: string) => {
			return Math.min(...Array.from({ length: 7 }, () => processorTime(() => read(filter, text))));
		};
		t.true(took(wide) < 4 * took(narrow));
	});

	test(`${filter}: any header row is read or refused, soon`, (t) => {
		const words = fc.constantFrom(
			'Card',
			'Number',
			'Guest',
			'CVV',
			'Expiry',
			'Tarjeta',
			'Month',
			'Year',
			'of',
			'2',
			'x',
		);
		const names = fc.array(fc.array(words, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 40 });
		const property = fc.property(names, fc.integer({ min: 1, max: 500_000 }), fc.boolean(), (some, length, isEach) => {
			const cell = (i: number) => `${some[i % some.length].join(' ')}${isEach ? ` ${i}` : ''}`;
			let header = cell(0);
			for (let i = 1; header.length < length; i++) header += `,${cell(i)}`;
			return processorTime(() => read(filter, `${header}\r\n${ROW}`)) < MAX_MS;
		});
		t.notThrows(() => fc.assert(property, { numRuns: 40 }));
	});
}
