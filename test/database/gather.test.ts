import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { Failed, gather, gatherByKey, gathered, perDatabase, shared } from '../../src/base/database/gather.ts';

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

test('those that ask together share one query, those that ask once it has started do not', async (t) => {
	let started = 0;
	let truth = 'before';
	const find = shared(async (key: string) => {
		started++;
		const seen = truth;
		await turn();
		return `${key} ${seen}`;
	});
	const together = [find('a'), find('a'), find('b')];
	await turn();
	truth = 'after';
	const late = find('a');
	t.deepEqual(await Promise.all(together), ['a before', 'a before', 'b before']);
	t.is(await late, 'a after');
	t.is(started, 3);
});

test('a failure reaches everybody who shared it, and nobody after', async (t) => {
	let isBroken = true;
	const find = shared(async (_key: string) => {
		if (isBroken) throw new Error('away');
		return 'back';
	});
	const both = await Promise.allSettled([find('a'), find('a')]);
	t.true(both.every(({ status }) => status === 'rejected'));
	isBroken = false;
	t.is(await find('a'), 'back');
});

test('works that arrive while a group is done are the next group, which has no more than its limit', async (t) => {
	const groups: (readonly number[])[] = [];
	const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
	const double = gather<number, number>({
		maxGroup: 3,
		async doAll(works) {
			groups.push(works);
			if (groups.length === 1) await mayEnd;
			return works.map((work) => work * 2);
		},
	});
	const first = [double(1), double(2)];
	while (groups.length === 0) await turn();
	const later = [3, 4, 5, 6].map((work) => double(work));
	for (let turns = 0; turns < 30; turns++) await turn();
	t.deepEqual(groups, [[1, 2]]);
	end();
	t.deepEqual(await Promise.all([...first, ...later]), [2, 4, 6, 8, 10, 12]);
	t.deepEqual(groups, [[1, 2], [3, 4, 5], [6]]);
});

test('a work that fails alone takes no other along, and when all fail they are tried alone only if that is wanted', async (t) => {
	const run = async (onFailure: 'all' | 'split', ...works: string[]) => {
		let groups = 0;
		const shout = gather<string, string>({
			onFailure,
			async doAll(together) {
				groups++;
				if (together.includes('throws')) throw new Error('thrown');
				return together.map((work) => (work === 'fails' ? new Failed(new Error('failed')) : work.toUpperCase()));
			},
		});
		const outcomes = await Promise.allSettled(works.map((work) => shout(work)));
		const texts = outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.message));
		return [groups, ...texts];
	};
	t.deepEqual(await run('all', 'a', 'fails', 'b'), [1, 'A', 'failed', 'B']);
	t.deepEqual(await run('split', 'a', 'fails', 'b'), [1, 'A', 'failed', 'B']);
	t.deepEqual(await run('all', 'a', 'throws', 'b'), [1, 'thrown', 'thrown', 'thrown']);
	t.deepEqual(await run('split', 'a', 'throws', 'b'), [4, 'A', 'thrown', 'B']);
});

test('something is opened once for each database', async (t) => {
	let count = 0;
	const open = perDatabase((_: { readonly knex: never }) => ++count);
	const [one, other] = [{}, {}] as never[];
	t.deepEqual([open({ knex: one }), open({ knex: one }), open({ knex: other }), open({ knex: one })], [1, 1, 2, 1]);
});

test('works with different keys neither share a group nor wait for each other', async (t) => {
	const groups: string[] = [];
	const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
	const shout = gatherByKey<string, string>((work) => work[0], {
		async doAll(works) {
			groups.push(works.join(' '));
			if (works[0] === 'a1') await mayEnd;
			return works.map((work) => work.toUpperCase());
		},
	});
	const [first, other] = [shout('a1'), shout('b1')];
	t.is(await other, 'B1');
	const later = [shout('a2'), shout('a3')];
	t.is(await shout('b2'), 'B2');
	t.deepEqual(groups, ['a1', 'b1', 'b2']);
	end();
	t.deepEqual(await Promise.all([first, ...later]), ['A1', 'A2', 'A3']);
	t.deepEqual(groups.slice(3), ['a2 a3']);
});

test('the next group does not wait for a result that is a promise', async (t) => {
	const { promise: slow, resolve: end } = Promise.withResolvers<string>();
	const shout = gather<string, string>({
		doAll: async (works) => works.map((work) => (work === 'slow' ? slow : work.toUpperCase())),
	});
	const [held, quick] = [shout('slow'), shout('a')];
	t.is(await quick, 'A');
	t.is(await shout('b'), 'B');
	end('SLOW');
	t.is(await held, 'SLOW');
});
