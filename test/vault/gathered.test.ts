import test from 'ava';
import { gathered } from '../../src/vault/gathered.ts';

test('look-ups that arrive together share one query', async (t) => {
	const queries: (readonly number[])[] = [];
	const find = gathered(async (keys: readonly number[]) => {
		queries.push(keys);
		return new Map(keys.filter((key) => key < 3).map((key) => [key, `value ${key}`]));
	});
	t.deepEqual(await Promise.all([find(1), find(2), find(1), find(3)]), ['value 1', 'value 2', 'value 1', undefined]);
	t.deepEqual(queries, [[1, 2, 3]]);
});

test('a look-up that arrives once the query has begun gets one of its own', async (t) => {
	let value = 'old';
	let begun = () => {};
	const isBegun = new Promise<void>((resolve) => {
		begun = resolve;
	});
	const find = gathered(async (keys: readonly string[]) => {
		const seen = value;
		begun();
		await new Promise((resolve) => setTimeout(resolve, 10));
		return new Map(keys.map((key) => [key, seen]));
	});
	const first = find('a');
	await isBegun;
	value = 'new';
	t.deepEqual(await Promise.all([first, find('a')]), ['old', 'new']);
});

test('everybody who waits for a query that fails is told, and the next one is tried anew', async (t) => {
	let isDown = true;
	const find = gathered(async (keys: readonly string[]) => {
		if (isDown) throw new Error('away');
		return new Map(keys.map((key) => [key, key]));
	});
	const outcomes = await Promise.allSettled([find('a'), find('b')]);
	t.deepEqual(
		outcomes.map(({ status }) => status),
		['rejected', 'rejected'],
	);
	isDown = false;
	t.is(await find('a'), 'a');
});
