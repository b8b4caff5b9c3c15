// When routes run, what they do after failures, and that several daemons on one database do each thing once.

import test, { type ExecutionContext } from 'ava';
import { formats } from '../../formats/index.ts';
import type { Dialect } from '../../src/base/database/dialect.ts';
import type { AccountId } from '../../src/base/database/ids.ts';
import { openAudit } from '../../src/trail/audit.ts';
import { openRoutes } from '../../src/work/routes/routes.ts';
import { beginDueRuns } from '../../src/work/routes/runs/begin-runs.ts';
import { runStore } from '../../src/work/routes/runs/run-store.ts';
import { openBegunDatabase } from '../helpers/begun-database.ts';
import { databases } from '../helpers/database.ts';
import { turnableClock } from '../helpers/vault-parts.ts';

const HOUR = 3_600_000;
const OWNER = { accountId: 7 as AccountId, ownerId: 7 as AccountId, userId: 'agency' };

/** Opens routes over a database, with a clock that the test turns, and shorthand for what daemons begin. */
async function openTimes(t: ExecutionContext, dialect: Dialect) {
	const clock = turnableClock();
	const { database, keyRing } = await openBegunDatabase(t, dialect, clock);
	const audit = await openAudit({ database, keyRing, clock });
	const routes = openRoutes({
		database,
		keyRing,
		audit,
		clock,
		formats,
		folders: [],
		destinations: { list: async () => [] },
	});
	const put = async (more: object) => {
		const ends = { from: { drop: '/tokenized/GBT' }, do: { operation: 'none' }, to: { drop: '/tokenized/CSV' } };
		return routes.put(
			OWNER,
			await routes.read(OWNER, JSON.stringify({ name: 'r', ...ends, ...more })),
			'operator test',
		);
	};
	const begin = (daemonId: string) => {
		const leaseUntil = clock.now().getTime() + 15_000;
		const parts = { database, clock, openSource: async () => Promise.reject(new Error('no source')) };
		return beginDueRuns(parts, { daemonId, leaseUntil });
	};
	const end = (id: string, daemonId: string) =>
		runStore(database.knex).end(id, daemonId, {
			state: 'done',
			reason: null,
			told: null,
			ended_at: clock.now().getTime(),
		});
	const listed = async () => (await routes.get(OWNER.accountId, 'r')).listed;
	/** Turns the clock to a moment. */
	const turnTo = (at: Date) => clock.turn(at.getTime() - clock.now().getTime());
	return { turnTo, clock, database, routes, put, begin, end, listed };
}

for (const dialect of databases) {
	test(`${dialect}: of several daemons one begins each run, and the next time is stored with it`, async (t) => {
		const { clock, turnTo, put, begin, end, listed } = await openTimes(t, dialect);
		const { listed: first } = await put({ when: { every: '1h' } });
		t.deepEqual(await begin('one'), [], 'it is not time yet');
		turnTo(new Date(first.nextRunAt!));
		const begun = (await Promise.all(['one', 'two', 'three'].map(begin))).flat();
		t.is(begun.length, 1);
		t.is(begun[0].trigger, 'every');
		t.like(await listed(), { state: 'running', nextRunAt: new Date(clock.now().getTime() + HOUR).toISOString() });
		turnTo(new Date(clock.now().getTime() + HOUR));
		t.deepEqual((await Promise.all(['one', 'two'].map(begin))).flat(), [], 'it runs still');
		await end(begun[0].id, begun[0].claimed_by!);
		const [next] = (await Promise.all(['one', 'two'].map(begin))).flat();
		t.is(next.trigger, 'every', 'a run that waited for the one before has not missed its time');
	});

	test(`${dialect}: a time at which no daemon was there is made up for once, or left out`, async (t) => {
		const { clock, turnTo, put, begin, end, listed } = await openTimes(t, dialect);
		await put({ when: { every: '1h' } });
		turnTo(new Date(clock.now().getTime() + 50 * HOUR));
		const [run] = await begin('one');
		t.is(run.trigger, 'missed');
		await end(run.id, 'one');
		t.deepEqual(await begin('one'), [], 'once, however many times were missed');
		await put({ when: { every: '1h' }, missed: 'skip' });
		turnTo(new Date(clock.now().getTime() + 50 * HOUR));
		t.deepEqual(await begin('one'), []);
		t.true(new Date((await listed()).nextRunAt!).getTime() > clock.now().getTime());
	});

	test(`${dialect}: a paused route has no time, and a run of a dead daemon is taken over by one other`, async (t) => {
		const { clock, turnTo, database, routes, put, begin } = await openTimes(t, dialect);
		const { listed } = await put({ when: { every: '1h' } });
		await routes.pause(OWNER, 'r', 'operator test');
		turnTo(new Date(listed.nextRunAt!));
		t.deepEqual(await begin('one'), []);
		await routes.resume(OWNER, 'r', 'operator test');
		turnTo(new Date(clock.now().getTime() + HOUR));
		const [run] = await begin('one');
		const store = runStore(database.knex);
		const now = clock.now().getTime();
		t.deepEqual(await store.listUnclaimed(now + 15_000, 10), [], 'its lease holds');
		const [free] = await store.listUnclaimed(now + 15_001, 10);
		t.is(free.id, run.id);
		const taken = await Promise.all(
			['two', 'three'].map((daemonId) => store.take(free, { daemonId, leaseUntil: now + 60_000 })),
		);
		t.is(taken.filter(Boolean).length, 1);
		t.false(await store.isOurs(run.id, 'one'));
		t.deepEqual([...(await store.renew([run.id], { daemonId: 'one', leaseUntil: now }))], []);
	});
}
