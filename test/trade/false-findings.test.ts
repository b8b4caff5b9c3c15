import test from 'ava';
import { falseFindings, namedFindings } from './false-findings.ts';
import { openReferee } from './referee.ts';

test('in places named for phones, tickets, flyers, bank accounts and orders nothing is told, masked or changed', async (t) => {
	for (const { filter, found, examples, isChanged } of await namedFindings(await openReferee(t), 'test', 25_000)) {
		t.deepEqual(examples, [], filter);
		t.is(found, 0, filter);
		t.false(isChanged, filter);
	}
});

test('in text that does not say what they are, such numbers are told at the rate of check digit and range', async (t) => {
	for (const { filter, told, swapped } of await falseFindings(await openReferee(t), 'test', 25_000)) {
		t.true([...told.values()].reduce((sum, count) => sum + count, 0) > 20, filter);
		t.is(swapped, 0, filter);
	}
});
