import test from 'ava';
import fc from 'fast-check';
import { formats } from '../../../formats/index.ts';
import { FileError, Findings } from '../../../src/engine/format.ts';
import { processorTime } from '../../helpers/processor-time.ts';

const ROW = '4111111111111111,12,2030\r\n';
const FILTERS = ['SIMPLECSV', 'GBT', 'CSV'] as const;
/** The processor time that the widest header may take on a busy machine; a look at its bytes alone takes some 30 ms. */
const MAX_MS = 1_000;

/** Returns how many cards are found in a file, or why it is refused. */
function read(filter: string, text: string): number | string {
	const format = formats.get(filter)!;
	const bytes = Buffer.from(text);
	const findings = new Findings();
	try {
		format.scanner(format.options.parse({}), 'tokenize').scan(bytes, 0, bytes.length, true, findings);
		return findings.length;
	} catch (error) {
		if (error instanceof FileError) return error.message;
		throw error;
	}
}

for (const filter of FILTERS) {
	test(`${filter}: a header row of 500 KB that names a card number in every column is refused with a reason`, (t) => {
		for (const name of ['CardNumber,', 'Card Number 1,', 'CardNumber\t', 'Tarjeta,']) {
			const refusal = read(filter, `${name.repeat(500_000 / name.length)}\r\n${ROW}`);
			t.regex(String(refusal), /^the row has more than 2048 columns/);
		}
	});

	test(`${filter}: a number in any cell of a wide row is seen, also where its names are not read`, (t) => {
		for (const before of [10, 3_000, 12_000]) {
			const refusal = read(filter, `${'Guest,'.repeat(before)}4111111111111111,${'x,'.repeat(100)}\r\n${ROW}`);
			t.regex(String(refusal), /^the file has no header row/, String(before));
		}
	});

	test(`${filter}: a wide header row costs no more than a look at its bytes`, (t) => {
		const wide = `${'Número de cartão,'.repeat(16_000)}\r\n${ROW}`;
		const narrow = `${'Número de cartão,'.repeat(2_049)}${'x'.repeat(wide.length)}\r\n${ROW}`;
		const took = (text: string) => {
			return Math.min(...Array.from({ length: 7 }, () => processorTime(() => read(filter, text))));
		};
		t.true(took(wide) < 4 * took(narrow));
	});

	test(`${filter}: more card numbers in a row than can be designated are refused with a reason`, (t) => {
		const refusal = read(filter, `${'CardNumber,'.repeat(101)}\r\n${ROW}`);
		t.is(refusal, 'the header names more than 100 columns as card numbers');
		t.is(read(filter, `CardNumber,${'x,'.repeat(2000)}\r\n${ROW}`), 1);
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
