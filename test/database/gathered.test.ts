import test from 'ava';
import { gathered, perDatabase, shared } from '../../src/base/database/gathered.ts';

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

test('look-ups of the same thing that arrive together share one query, and a failure concerns only that thing', async (t) => {
	const queries: string[] = [];
	const find = shared(
		async ({ name }: { name: string }) => {
			queries.push(name);
			if (name === 'bad') throw new Error('altered');
			return name.toUpperCase();
		},
		({ name }) => name,
	);
	const outcomes = await Promise.allSettled(['a', 'bad', 'a', 'b', 'bad'].map((name) => find({ name })));
	t.deepEqual(
		outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.message)),
		['A', 'altered', 'A', 'B', 'altered'],
	);
	t.deepEqual(queries, ['a', 'bad', 'b']);
	await find({ name: 'a' });
	t.deepEqual(queries, ['a', 'bad', 'b', 'a'], 'a later look-up has a query of its own');
});

test('something is opened once for each database', async (t) => {
	let count = 0;
	const open = perDatabase((_: { readonly knex: never }) => ++count);
	const [one, other] = [{}, {}] as never[];
	t.deepEqual([open({ knex: one }), open({ knex: one }), open({ knex: other }), open({ knex: one })], [1, 1, 2, 1]);
});
