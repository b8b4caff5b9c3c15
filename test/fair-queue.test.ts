import test from 'ava';
import { FairQueue } from '../src/base/threads/fair-queue.ts';

/** Adds items such as `a1`, whose party is the letter. */
function filled(...items: string[]): FairQueue<string> {
	const queue = new FairQueue<string>();
	for (const item of items) queue.add(item[0], item);
	return queue;
}

const takeAll = (queue: FairQueue<string>) => Array.from({ length: queue.size }, () => queue.take());

test('each party has one turn before any has another', (t) => {
	t.deepEqual(takeAll(filled('a1', 'a2', 'a3', 'b1', 'c1', 'b2')), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('a party that may not have its turn keeps its place', (t) => {
	const queue = filled('a1', 'b1');
	t.is(
		queue.take((party) => party !== 'a'),
		'b1',
	);
	t.is(queue.take(), 'a1');
	t.is(queue.take(), undefined);
});

test('the oldest items of every party can be taken out, and no party gains or loses its place by it', (t) => {
	const queue = filled('a1', 'b1', 'b2', 'a2', 'c1');
	t.is(queue.take(), 'a1');
	// The turns are now: b, c, a.
	const old = new Set(['b1', 'c1']);
	t.deepEqual(
		queue.removeOldest((item) => old.has(item)),
		['b1', 'c1'],
	);
	t.is(queue.size, 2);
	t.is(queue.sizeOf('c'), 0);
	queue.add('c', 'c2');
	t.deepEqual(takeAll(queue), ['b2', 'a2', 'c2']);
});

test('an item behind one that stays is not taken out', (t) => {
	const queue = filled('a1', 'a2');
	t.deepEqual(
		queue.removeOldest((item) => item === 'a2'),
		[],
	);
	t.deepEqual(takeAll(queue), ['a1', 'a2']);
});
