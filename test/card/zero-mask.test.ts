import test from 'ava';
import { digitsBeforeMask, isMaskedAlone, isMaskedBehindCode } from '../../src/base/card/zero-mask.ts';

const before = (number: string) => digitsBeforeMask(Buffer.from(number), 0, number.length);

test('zeros from at most the sixth digit to at most the last four are a mask', (t) => {
	t.is(before('4111110000001111'), 6);
	t.is(before('4111000000001111'), 4);
	t.is(before('4100000000000111'), 2);
	t.is(before('0000000000001111'), 0);
	t.is(before('378282000000005'), 6);
	t.is(before('5500000000000004'), 2);
	t.is(before('4111111000001111'), -1);
	t.is(before('4111110000011111'), -1);
	t.is(before('4111111111111111'), -1);
	t.is(before('6304000000000000'), 4);
});

test('behind the code of a network a correct check digit makes a number of it, but for six digits or none', (t) => {
	const isMasked = (number: string, isValid: boolean) =>
		isMaskedBehindCode(Buffer.from(number), 0, number.length, isValid);
	t.false(isMasked('5500000000000004', true));
	t.true(isMasked('5500000000001234', false));
	t.true(isMasked('4111110000000005', true));
	t.true(isMasked('0000000000001111', true));
	t.false(isMasked('4111111111111112', false));
});

test('a number that nothing announces is no mask if its check digit alone follows fewer than six digits and zeros', (t) => {
	const isMasked = (number: string) => isMaskedAlone(Buffer.from(number), 0, number.length);
	t.false(isMasked('4000000000000002'));
	t.false(isMasked('213100000000001'));
	t.true(isMasked('4111110000000005'));
	t.true(isMasked('4111000000001111'));
	t.false(isMasked('4111111111111111'));
});
