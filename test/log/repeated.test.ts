import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { oncePerMinute } from '../../src/base/log/repeated.ts';

test('a failure that repeats is one line at once, then one a window with its count and the last details', async (t) => {
	const lines: [object, string][] = [];
	const logger = oncePerMinute({ warn: (details, message) => void lines.push([details, message]) }, 100);
	for (let i = 0; i < 50; i++) logger.warn({ i }, 'away');
	logger.warn({}, 'something else');
	t.deepEqual(lines, [
		[{ i: 0 }, 'away'],
		[{}, 'something else'],
	]);
	await sleep(150);
	t.deepEqual(lines.slice(2), [[{ i: 49, times: 49 }, 'away']]);
	await sleep(250);
	t.is(lines.length, 3, 'what has stopped is not told again');
	logger.warn({ i: 50 }, 'away');
	t.deepEqual(lines[3], [{ i: 50 }, 'away']);
});
