import test from 'ava';
import { runAttempt } from '../../src/work/jobs/attempts/attempt.ts';
import { requeueFailed } from '../../src/work/jobs/attempts/publish.ts';
import { removeCvvFiles, runRetention } from '../../src/work/jobs/retention.ts';
import { databases } from '../helpers/database.ts';
import { MARKS } from '../helpers/engine-double.ts';
import { collect } from '../helpers/file-parts.ts';
import { openJobParts } from '../helpers/job-parts.ts';

const SETTINGS = { dropsDays: 30, failedInputsHours: 24, partialsHours: 48, reportsDays: 90 };
const after = (days: number) => ({ now: () => new Date(Date.now() + days * 24 * 3_600_000 + 60_000) });
const NOTHING = { outputs: 0, failedInputs: 0, partials: 0, reports: 0, jobs: 0 };

for (const dialect of databases) {
	test(`${dialect}: everything goes when its time is over, accepted files never`, async (t) => {
		const parts = await openJobParts(t, dialect);
		for (const [name, content] of [
			['good', 'x'],
			['bad', MARKS.bad],
		]) {
			await parts.put(name, content);
			await runAttempt(parts, (await parts.claim())!);
		}
		await parts.put('waiting', 'x');
		const target = { accountId: 7 as never, area: 'tokenize' as const, filter: 'GBT' };
		const partial = await parts.drops.begin({ folder: target, name: 'a.part', createdBy: 'alice' });
		await parts.drops.pause(partial);
		t.deepEqual(await runRetention({ ...parts, clock: after(1) }, SETTINGS), NOTHING);
		t.deepEqual(await runRetention({ ...parts, clock: after(2) }, SETTINGS), { ...NOTHING, partials: 1 });
		const third = await runRetention({ ...parts, clock: after(30) }, SETTINGS);
		t.deepEqual(third, { ...NOTHING, outputs: 1, failedInputs: 1 });
		t.deepEqual(await runRetention({ ...parts, clock: after(90) }, SETTINGS), { ...NOTHING, reports: 2, jobs: 2 });
		const left = await parts.files('tokenize');
		t.deepEqual(
			left.map((file) => [file.name, file.state]),
			[['waiting', 'accepted']],
		);
		t.is((await collect(parts.blobs.list())).length, 1);
		t.is((await parts.jobs()).length, 1);
	});
}

test('a failed job whose input is gone cannot be retried', async (t) => {
	const parts = await openJobParts(t);
	const job = await parts.put('bad', MARKS.bad);
	await runAttempt(parts, (await parts.claim())!);
	await runRetention({ ...parts, clock: after(31) }, SETTINGS);
	t.false(await requeueFailed(parts.database, await parts.job(job.id), Date.now()));
	t.is((await parts.job(job.id)).state, 'failed');
});

for (const dialect of databases) {
	test(`${dialect}: failed inputs of accounts that keep no CVV go after hours`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const account = { allowance_limit: null, allowance_used: 0, blocked_at: null, created_at: 0 };
		for (const [id, kind, parent_id, cvv_retention] of [
			[7, 'primary', null, false],
			[8, 'primary', null, true],
			[9, 'sub-user', 8, false],
		] as const) {
			await parts.database
				.knex('accounts')
				.insert({ ...account, id, user_id: `user-${id}`, kind, parent_id, cvv_retention });
			await parts.put('bad', MARKS.bad, { accountId: id });
			await runAttempt(parts, (await parts.claim())!);
		}
		await parts.put('bad', MARKS.bad, { accountId: 7, area: 'detokenize' });
		await runAttempt(parts, (await parts.claim())!);
		t.deepEqual(await runRetention({ ...parts, clock: after(1) }, SETTINGS), { ...NOTHING, failedInputs: 1 });
		t.deepEqual(await parts.files('tokenize', 7), []);
		for (const id of [8, 9]) t.is((await parts.files('tokenize', id)).length, 1);
		t.is((await parts.files('detokenize', 7)).length, 1, 'tokens and no CVV');
	});

	test(`${dialect}: a detokenized file with CVVs goes with the first of their policies`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const { engine } = parts;
		const hourMs = 3_600_000;
		const ends = [5, 2, 3].map((hours) => Date.now() + hours * hourMs);
		const run: typeof engine.run = (request) => {
			for (const end of ends) request.onCvv?.(end);
			return engine.run(request);
		};
		await parts.put('with', 'x', { area: 'detokenize' });
		await runAttempt({ ...parts, engine: { ...engine, run } }, (await parts.claim())!);
		await parts.put('without', 'x', { area: 'detokenize' });
		await runAttempt(parts, (await parts.claim())!);
		const at = (hours: number) => ({ ...parts, clock: { now: () => new Date(Date.now() + hours * hourMs) } });
		t.is(await removeCvvFiles(at(1.9)), 0);
		t.is(await removeCvvFiles(at(2.1)), 1);
		const left = await parts.files('detokenized');
		t.deepEqual(
			left.map(({ name }) => name),
			['without'],
		);
		t.is(await removeCvvFiles(at(1_000_000)), 0);
	});
}
