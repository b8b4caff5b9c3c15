import test from 'ava';
import { systemClock } from '../../src/base/clock.ts';
import { namesIn, openRouteParts, writeOld } from '../helpers/route-parts.ts';

test('a file that has stayed unchanged is taken at the second look, although the clock says that it is too early', async (t) => {
	const { folder, put, runNow } = await openRouteParts(t);
	writeOld(folder, 'may.csv');
	const from = { folder, files: ['may.csv'], ready: { unchanged: '1s' } };
	await put(from, { operation: 'none' }, { folder, name: 'out-{name}' });
	const clock = systemClock as { now(): Date };
	const { now } = clock;
	const since = Date.now();
	// The clock is set back a little all the time, so that every timer ends too early by it.
	clock.now = () => new Date(since + (Date.now() - since) * 0.9);
	t.teardown(() => {
		clock.now = now;
	});
	const run = await runNow();
	t.like(run, { state: 'done', files: [{ path: 'may.csv', state: 'delivered' }] });
	t.deepEqual(namesIn(folder), ['may.csv', 'out-may.csv']);
});
