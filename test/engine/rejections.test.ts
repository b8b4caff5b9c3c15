import test from 'ava';
import { FileError } from '../../src/engine/format.ts';
import { Rejections } from '../../src/engine/rejections.ts';

const at = (line: number) => ({ offset: line * 20, line, record: line });

test('nothing to reject is no error', (t) => {
	const rejections = new Rejections();
	t.is(rejections.count, 0);
	t.notThrows(() => rejections.throwIfAny());
});

test('the error stands at the first place, whatever kind it is of, and is not moved with the window', (t) => {
	const rejections = new Rejections();
	rejections.addCard('Expired card', at(9));
	rejections.addOtherNumber(at(4));
	rejections.addOtherNumber(at(6));
	const error = t.throws(() => rejections.throwIfAny(), { instanceOf: FileError });
	t.deepEqual(error.at, at(4));
	t.is(error.rebased(1000).at.offset, 80);
	t.is(
		error.message,
		'a card cannot be tokenized and this folder rejects such files: Expired card; ' +
			'2 card numbers stand outside the card fields of this format and this folder rejects such files; on lines 4 and 6',
	);
});

test('a million places cost no more memory than the ten that are named', (t) => {
	const rejections = new Rejections();
	for (let line = 2; line < 1_000_002; line++) rejections.addCard('Luhn (Mod10) error', at(line));
	const error = t.throws(() => rejections.throwIfAny());
	t.is(
		error.message,
		'1,000,000 cards cannot be tokenized and this folder rejects such files: Luhn (Mod10) error (1,000,000); ' +
			'on lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and at 999,990 more places',
	);
});

test('several cards of one line name it once', (t) => {
	const rejections = new Rejections();
	for (let n = 0; n < 3; n++) rejections.addCard('Expired card', at(1));
	t.regex(t.throws(() => rejections.throwIfAny()).message, /Expired card \(3\); on line 1$/);
});
