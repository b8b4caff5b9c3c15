import test from 'ava';
import fc from 'fast-check';
import { OtherNumbers } from '../../src/transfer/other-numbers.ts';

const VISA = '4111111111111111';

function count(text: string): number {
	const others = new OtherNumbers();
	const bytes = Buffer.from(text);
	others.scan(bytes, 0, bytes.length, false);
	return others.count;
}

test('counts numbers that are whole words, whatever stands around', (t) => {
	t.is(count(VISA), 1);
	t.is(count(`x ${VISA},${VISA};`), 2);
	t.is(count(`REF-${VISA}`), 1);
});

test('does not count words with letters, wrong checksums, unknown brands, or other lengths', (t) => {
	for (const text of [
		`CA${VISA}`,
		`${VISA}F`,
		'4111111111111112',
		'9e107d9d372bb6826bd81d3542a419d6',
		'999999999999999999',
		'411111111111',
		`${VISA}${VISA}`,
	]) {
		t.is(count(text), 0, text);
	}
});

test('a cut anywhere does not change the count', (t) => {
	const words = fc.array(fc.constantFrom(VISA, `${VISA}A`, 'ABC', '12', ' ', ', ', '5555555555554444', '\n'), {
		maxLength: 12,
	});
	fc.assert(
		fc.property(words, fc.array(fc.nat(30), { minLength: 1, maxLength: 20 }), (parts, cuts) => {
			const bytes = Buffer.from(parts.join(''));
			const others = new OtherNumbers();
			let at = 0;
			for (const length of cuts) {
				const end = Math.min(bytes.length, at + length);
				others.scan(bytes, at, end, true);
				at = end;
			}
			others.scan(bytes, at, bytes.length, false);
			t.is(others.count, count(bytes.toString()));
		}),
		{ numRuns: 500 },
	);
});
