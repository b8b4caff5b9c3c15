import test from 'ava';
import fc from 'fast-check';
import { formatPart, readPart } from '../../../src/work/relay/selectors/parts.ts';

const selector = (rest: object = {}) => ({ path: 'x', ...rest });

test('dates are written as their format says and read by their length', (t) => {
	t.is(formatPart('expiryMonth', selector(), '04'), '04');
	t.is(formatPart('expiryMonth', selector({ format: 'M' }), '04'), '4');
	t.is(formatPart('expiryMonth', selector({ format: 'M' }), '10'), '10');
	t.is(formatPart('expiryYear', selector({ format: 'YY' }), '2030'), '30');
	t.is(formatPart('expiryYear', selector(), '2030'), '2030');
	t.is(readPart('expiryMonth', selector(), ' 4 '), '04');
	t.is(readPart('expiryYear', selector({ format: 'YYYY' }), '30'), '2030');
	t.is(readPart('expiryYear', selector(), '203'), '203');
});

test('types are mapped there and back; the exact name and the first type count', (t) => {
	const map = { Visa: 'VI', Electron: 'VI', AMEX: 'vi', JCB: 'JC' };
	t.is(formatPart('type', selector({ map }), 'Electron'), 'VI');
	t.is(formatPart('type', selector({ map }), 'toString'), 'toString');
	t.deepEqual(
		['VI', 'vi', 'jc', 'XX', ''].map((text) => readPart('type', selector({ map }), text)),
		['Visa', 'AMEX', 'JCB', 'XX', ''],
	);
});

test('a month and a year written in any format are read again', (t) => {
	fc.assert(
		fc.property(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 2000, max: 2099 }), (month, year) => {
			const [mm, yyyy] = [String(month).padStart(2, '0'), String(year)];
			for (const format of ['M', 'MM']) {
				t.is(readPart('expiryMonth', selector(), formatPart('expiryMonth', selector({ format }), mm)), mm);
			}
			for (const format of ['YY', 'YYYY']) {
				t.is(readPart('expiryYear', selector(), formatPart('expiryYear', selector({ format }), yyyy)), yyyy);
			}
		}),
	);
});
