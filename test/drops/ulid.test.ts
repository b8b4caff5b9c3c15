import test from 'ava';
import fc from 'fast-check';
import { isUlid, ulidMaker, ulidTimeMs } from '../../src/base/database/ulid.ts';

/** The largest time that a ULID can hold, in milliseconds. */
const LAST_MS = 2 ** 48 - 1;

test('ids sort in the order in which they were made, whatever the clock says meanwhile', (t) => {
	const times = fc.array(fc.integer({ min: 1, max: 2_000_000 }), { minLength: 2, maxLength: 2_000 });
	fc.assert(
		fc.property(times, (all) => {
			const ids = all.map(ulidMaker());
			return (
				ids.every(isUlid) && ids.every((id, nth) => nth === 0 || ids[nth - 1] < id) && new Set(ids).size === ids.length
			);
		}),
	);
	t.pass();
});

test('ids of different milliseconds have different random parts, with room to count on', (t) => {
	const makeUlid = ulidMaker();
	const parts = Array.from({ length: 1_000 }, (_, nth) => makeUlid(1 + nth).slice(10));
	t.is(new Set(parts).size, 1_000);
	t.true(parts.every((part) => part[0] < 'g'));
});

test('an id tells the millisecond in which it was made', (t) => {
	const makeUlid = ulidMaker();
	for (const time of [4_000_000, Date.UTC(2026, 10, 26), LAST_MS]) t.is(ulidTimeMs(makeUlid(time)), time);
	t.is(makeUlid(LAST_MS).slice(0, 10), '7zzzzzzzzz');
});
