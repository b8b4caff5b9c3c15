import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { RouteRunner } from '../../src/work/routes/runs/runner.ts';
import { openTestDatabase } from '../helpers/database.ts';
import { until } from '../helpers/until.ts';

const LOOKS = 6;

test('a daemon looks several times a second for runs that somebody has asked for', async (t) => {
	const database = await openTestDatabase(t, 'sqlite');
	let looks = 0;
	const clock = {
		now() {
			looks += 1;
			return new Date();
		},
	};
	const runner = new RouteRunner({ parts: { database, clock } as never, daemonId: 'one', leaseMs: 30_000 });
	t.teardown(() => runner.close());
	await until('a first look', () => looks > 0);
	// A look asks for the time some times, and always equally often.
	await sleep(100);
	const perLook = looks;
	const since = performance.now();
	let seconds = 0;
	const other = setInterval(() => (seconds += 1), 1_000);
	t.teardown(() => clearInterval(other));
	await until('further looks', () => looks >= perLook * LOOKS);
	t.true(seconds < LOOKS / 2, `${LOOKS} looks in ${Math.round(performance.now() - since)} ms`);
});
