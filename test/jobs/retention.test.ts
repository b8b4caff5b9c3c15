import test from 'ava';
import { runAttempt } from '../../src/jobs/attempt.ts';
import { requeueFailed } from '../../src/jobs/publish.ts';
import { runRetention } from '../../src/jobs/retention.ts';
import { databases } from '../helpers/database.ts';
import { collect } from '../helpers/drop-rooms.ts';
import { MARKS } from '../helpers/engine-double.ts';
import { openJobRooms } from '../helpers/job-rooms.ts';

const SETTINGS = { dropsDays: 30, partialsHours: 48, reportsDays: 90 };
const after = (days: number) => ({ now: () => new Date(Date.now() + days * 24 * 3_600_000 + 60_000) });
const NOTHING = { outputs: 0, failedInputs: 0, partials: 0, reports: 0, jobs: 0 };

for (const dialect of databases) {
	test(`${dialect}: everything goes when its time is over, accepted files never`, async (t) => {
		const rooms = await openJobRooms(t, dialect);
		for (const [name, content] of [
			['good', 'x'],
			['bad', MARKS.bad],
		]) {
			await rooms.put(name, content);
			await runAttempt(rooms, (await rooms.claim())!);
		}
		await rooms.put('waiting', 'x');
		const target = { accountId: 7 as never, area: 'tokenize' as const, filter: 'GBT' };
		const partial = await rooms.drops.begin({ folder: target, name: 'a.part', createdBy: 'alice' });
		await rooms.drops.pause(partial);
		t.deepEqual(await runRetention({ ...rooms, clock: after(1) }, SETTINGS), NOTHING);
		t.deepEqual(await runRetention({ ...rooms, clock: after(2) }, SETTINGS), { ...NOTHING, partials: 1 });
		const third = await runRetention({ ...rooms, clock: after(30) }, SETTINGS);
		t.deepEqual(third, { ...NOTHING, outputs: 1, failedInputs: 1 });
		t.deepEqual(await runRetention({ ...rooms, clock: after(90) }, SETTINGS), { ...NOTHING, reports: 2, jobs: 2 });
		const left = await rooms.files('tokenize');
		t.deepEqual(
			left.map((file) => [file.name, file.state]),
			[['waiting', 'accepted']],
		);
		t.is((await collect(rooms.blobs.list())).length, 1);
		t.is((await rooms.jobs()).length, 1);
	});
}

test('a failed job whose input is gone cannot be retried', async (t) => {
	const rooms = await openJobRooms(t);
	const job = await rooms.put('bad', MARKS.bad);
	await runAttempt(rooms, (await rooms.claim())!);
	await runRetention({ ...rooms, clock: after(31) }, SETTINGS);
	t.false(await requeueFailed(rooms.database, await rooms.job(job.id), Date.now()));
	t.is((await rooms.job(job.id)).state, 'failed');
});
