import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { inTime } from '../src/base/threads/in-time.ts';

test('work that ends in time is answered, with its error too', async (t) => {
	t.is(await inTime(sleep(5, 'done'), 60_000, 'late'), 'done');
	t.is(await inTime('at once', 60_000, 'late'), 'at once');
	await t.throwsAsync(inTime(Promise.reject(new Error('broken')), 60_000, 'late'), { message: 'broken' });
});

test('work that takes longer is not waited for, and nobody hears of its error', async (t) => {
	const work = Promise.withResolvers<string>();
	t.is(await inTime(work.promise, 5, 'late'), 'late');
	work.reject(new Error('too late to tell'));
	await sleep(5);
});
