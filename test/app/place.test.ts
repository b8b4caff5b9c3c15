import test from 'ava';
import { waitMs } from '../../src/app/processes/place.ts';

test('a process that ends again and again is started again later and later, and never later than in half a minute', (t) => {
	t.deepEqual([1, 2, 3, 4, 5].map(waitMs), [0, 500, 1000, 2000, 4000]);
	t.is(waitMs(100), 30_000);
});
