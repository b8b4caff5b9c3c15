import test from 'ava';
import fc from 'fast-check';
import { isPlaceholder, PLACEHOLDER_WORDS } from '../../src/base/card/names/placeholders.ts';

const words = Object.values(PLACEHOLDER_WORDS).flatMap((list) => list.split(',').map((word) => word.trim()));

function is(text: string, encoding: BufferEncoding = 'utf8'): boolean {
	const bytes = Buffer.from(text, encoding);
	// The bytes around the field must not be read.
	return isPlaceholder(Buffer.concat([Buffer.from('1'), bytes, Buffer.from('2')]), 1, 1 + bytes.length);
}

test('every word of the table is a placeholder in either case, with signs, blanks and quotes, with and without its accents', (t) => {
	fc.assert(
		fc.property(
			fc.constantFrom(...words),
			fc.constantFrom('', ' ', '.', '/', '-', '  ', "'", '"', '(', '<', '#'),
			fc.boolean(),
			(word, sign, isUpper) => {
				const text = isUpper ? word.toUpperCase() : word;
				const bare = text.normalize('NFD').replace(/\p{M}/gu, '');
				const spellings = [`${sign}${text}${sign}`, [...text].join(sign), ` ${bare} `, bare.normalize('NFC')];
				for (const each of spellings) if (!is(each)) throw new Error(each);
				if (!is(text, 'latin1')) throw new Error(`${text} in Latin-1`);
			},
		),
		{ numRuns: 500 },
	);
	t.pass();
});

test('signs, zeros and the letter x are a placeholder in any number and order', (t) => {
	const unit = fc.constantFrom(...'-*xX0/?.#_+~ \'"()—•·…', '\u2217', '\u2205', '\u00a0');
	fc.assert(
		fc.property(fc.array(unit, { minLength: 1, maxLength: 30 }), (units) => {
			if (!is(units.join(''))) throw new Error(units.join(''));
		}),
	);
	t.deepEqual([is('\x96', 'latin1'), is('\x95\x95\x95', 'latin1')], [true, true]);
});

test('whatever holds a digit from one to nine is a value, and so is any other word', (t) => {
	fc.assert(
		fc.property(fc.string(), fc.constantFrom(...'123456789'), fc.constantFrom('', ...words), (text, digit, word) => {
			const middle = Math.floor(text.length / 2);
			for (const each of [text.slice(0, middle) + digit + text.slice(middle), word + digit, digit + word]) {
				if (is(each)) throw new Error(each);
			}
		}),
	);
	for (const text of [
		'',
		'soon',
		'abc',
		'дек',
		'１２３',
		'١٢٣',
		'①②③',
		'¹²³',
		'nullx',
		'N/A0',
		'Visa',
		'a'.repeat(99),
	]) {
		t.deepEqual([text, is(text)], [text, false]);
	}
});

test('an error of a spreadsheet is a placeholder in any language', (t) => {
	for (const text of ['#REF!', '#DIV/0!', '#NAME?', '#WERT!', '#¡VALOR!', '#NÚM!', '#NV', '#N/D', '######']) {
		t.deepEqual([text, is(text), is(text, 'latin1')], [text, true, true]);
	}
});
