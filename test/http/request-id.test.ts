import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { maskCardNumbers } from '../../src/base/log/card-numbers.ts';
import { makeRequestId } from '../../src/doors/http/server/stray-requests.ts';

test('request ids are UUIDs of version 7 that the log leaves alone, and later ones sort behind earlier ones', async (t) => {
	const earlier = Array.from({ length: 2_000 }, makeRequestId);
	await sleep(5);
	const later = Array.from({ length: 2_000 }, makeRequestId);
	for (const id of [...earlier, ...later]) {
		t.regex(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
		t.is(maskCardNumbers(id), id);
	}
	t.is(new Set([...earlier, ...later]).size, 4_000);
	t.true(earlier.toSorted().at(-1)! < later.toSorted()[0]);
});
