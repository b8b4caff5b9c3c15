import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { coalesced } from '../../src/people/identity/accounts/coalesce.ts';

test('those that ask together share one query, those that ask once it has started do not', async (t) => {
	let started = 0;
	let truth = 'before';
	const find = coalesced(async (key: string) => {
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
	const find = coalesced(async (_key: string) => {
		if (isBroken) throw new Error('away');
		return 'back';
	});
	const both = await Promise.allSettled([find('a'), find('a')]);
	t.true(both.every(({ status }) => status === 'rejected'));
	isBroken = false;
	t.is(await find('a'), 'back');
});
