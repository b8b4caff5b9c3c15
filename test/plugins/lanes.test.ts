import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { openLanes } from '../../src/base/threads/lanes.ts';

test('as many hold a lane as there are, and the next one waits until one is given back', async (t) => {
	const take = openLanes(2);
	const first = await take();
	const second = await take();
	let hasThird = false;
	const third = take().then((giveBack) => {
		hasThird = true;
		return giveBack;
	});
	await turn();
	t.false(hasThird);
	first();
	(await third)();
	second();
	const again = await Promise.all([take(), take()]);
	t.is(again.length, 2);
});
