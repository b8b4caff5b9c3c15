import test from 'ava';
import { VerdictLists } from '../../src/doors/http/files/verdict-lists.ts';
import type { ReportEntry } from '../../src/engine/report.ts';

const refused = { reason: 'Expired card' } as ReportEntry;

test('the place of a text in a list is the place of its card', (t) => {
	const lists = new VerdictLists();
	lists.entry(refused, 2);
	t.deepEqual(lists.close(3), { errors: ';;Expired card;;', warnings: '' });
});

test('a number outside the places for cards is none of the cards, so it has no place in the list of errors', (t) => {
	const lists = new VerdictLists();
	lists.entry({ outcome: 'otherNumber', reason: 'Looks like a card', line: 1, offset: 0 }, 0);
	t.deepEqual(lists.close(2), { errors: '', warnings: '' });
});

test('a warning without an entry stands at the place of its card', (t) => {
	const lists = new VerdictLists();
	lists.warned(['The Card type is missing'], { line: 1 }, 0, 2);
	t.deepEqual(lists.close(2), { errors: '', warnings: ';;The Card type is missing' });
});

test('hundreds of millions of good cards before a bad one cost no memory', (t) => {
	const lists = new VerdictLists();
	lists.entry(refused, 1);
	t.notThrows(() => lists.entry(refused, 600_000_000));
	t.is(lists.close(600_000_000).errors, 'Expired card');
});
