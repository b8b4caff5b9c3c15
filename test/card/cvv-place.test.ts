import test from 'ava';
import { CODE_PLACE, narrowToCode } from '../../src/base/card/cvv.ts';

function codeIn(text: string): string {
	const bytes = Buffer.from(text, 'latin1');
	narrowToCode(bytes, 0, bytes.length);
	return bytes.toString('latin1', CODE_PLACE.start, CODE_PLACE.end);
}

test('the code in the field of a CVV is found with something beside it, and so are the stars in its place', (t) => {
	for (const code of ['123', '0123', '***', '****']) {
		for (const field of [
			...[
				'?',
				' ?',
				'? ',
				'(?)',
				'[?]',
				'#?',
				"'?",
				'"?"',
				'="?"',
				'<?>',
				'?;',
				'?.',
				'CVV ?',
				'cvc: ?',
				'CVC2: ?',
				'?.0',
				'?,0',
				'?,00',
			],
			'\xa0?\xa0',
			'\xe2\x80\x8b?',
		]) {
			t.is(codeIn(field.replace('?', code)), code, field);
		}
	}
	t.is(codeIn('12.0'), '12');
	t.is(codeIn('7.00'), '7');
	t.is(codeIn('7,00'), '7');
});

test('a field without a single code is taken as it is', (t) => {
	for (const field of [
		'',
		' ',
		'N/A',
		'12',
		'12345',
		'12A',
		'A123',
		'123A',
		'(12)',
		'123/456',
		'12/29',
		'1 2 3',
		'*123*',
		'abc',
	])
		t.is(codeIn(field), field);
});
