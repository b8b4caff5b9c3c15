// Somebody who can write the database, but has no keys, changes options of folders and waiting jobs: no file is processed
// by what they wrote.

import test from 'ava';
import type { AccountId } from '../../src/base/database/ids.ts';
import type { BrokenRow } from '../../src/base/keys/rows/row-seals.ts';
import { watchIntegrity } from '../../src/installation/opening/integrity-watch.ts';
import { requireIntactJob } from '../../src/work/jobs/altered-rows.ts';
import { runAttempt } from '../../src/work/jobs/attempts/attempt.ts';
import { requeueFailed } from '../../src/work/jobs/attempts/publish.ts';
import {
	ANY_FILTER,
	findFormatOptions,
	mergedOptions,
	putFormatOptions,
	removeFormatOptions,
} from '../../src/work/jobs/format-options.ts';
import { openBegunKeyRing } from '../helpers/begun-database.ts';
import { databases } from '../helpers/database.ts';
import { NUMBER } from '../helpers/engine-double.ts';
import { openJobRooms } from '../helpers/job-rooms.ts';

const accountId = 7 as AccountId;
const OWN = { accountId, filter: 'GBT' };
const none = () => {};
const MERCHANT = JSON.stringify({ merchantId: 'thief' });

for (const dialect of databases) {
	test(`${dialect}: options that were changed or put in outside are refused, and named with the row of the trail`, async (t) => {
		const rooms = await openJobRooms(t, dialect);
		const { knex } = rooms.database;
		const entries: unknown[] = [];
		const watch = watchIntegrity({
			seals: rooms.keyRing.seals,
			audit: { record: async ({ action, subject, details }) => void entries.push({ action, subject, details }) },
		});
		await putFormatOptions(rooms, OWN, { onRefused: 'mask' }, none);
		t.deepEqual(await mergedOptions(rooms, OWN), { onRefused: 'mask' });
		const [good] = await knex('format_options');
		const { seal, seal_key } = good;
		const altered = [
			{ options: MERCHANT },
			{ options: MERCHANT, seal: null, seal_key: null },
			{ seal: null, seal_key: null },
			{ seal_key: 4711 },
		];
		for (const change of altered) {
			await knex('format_options').update({ ...good, ...change });
			await t.throwsAsync(mergedOptions(rooms, OWN), { message: /folder GBT .*format-options show --filter 'GBT'/ });
			t.false((await findFormatOptions(rooms, accountId, 'GBT'))!.isIntact, 'and can be looked at');
		}
		// The seal of a row is not valid for another account or filter, nor for all folders of an account.
		for (const [row, named] of [
			[{ account_id: 8, filter: 'GBT' }, /folder GBT/],
			[{ account_id: 7, filter: 'CSV' }, /folder CSV/],
			[{ account_id: 8, filter: ANY_FILTER }, /all folders of the account/],
		] as const) {
			await knex('format_options').delete();
			await knex('format_options').insert({ ...good, ...row, seal, seal_key });
			const scope = { accountId: row.account_id as AccountId, filter: row.filter === 'CSV' ? 'CSV' : 'GBT' };
			await t.throwsAsync(mergedOptions(rooms, scope), { message: named });
		}
		await watch.close();
		t.deepEqual(entries[0], {
			...{ action: 'integrity.failed', subject: 'row format_options 7/GBT', details: { why: 'altered' } },
		});
		// Once an operator sets or removes the options, the folder can be used again.
		await knex('format_options').delete();
		await knex('format_options').insert({ ...good, options: MERCHANT });
		await putFormatOptions(rooms, OWN, { onRefused: 'pass' }, none);
		t.deepEqual(await mergedOptions(rooms, OWN), { onRefused: 'pass' });
		await knex('format_options').update({ options: MERCHANT });
		t.true(await removeFormatOptions(rooms, accountId, 'GBT'));
		t.deepEqual(await mergedOptions(rooms, OWN), {});
	});

	test(`${dialect}: a job fails where the options of its folder were changed, and goes on once they are set anew`, async (t) => {
		const rooms = await openJobRooms(t, dialect);
		await putFormatOptions(rooms, OWN, { onRefused: 'mask' }, none);
		const { id } = await rooms.put('may.csv', `${NUMBER}\n`);
		await rooms.database.knex('format_options').update({ options: MERCHANT });
		const settled = await runAttempt(rooms, (await rooms.claim())!);
		t.like(settled, { state: 'failed', error: { reason: 'row-altered' } });
		t.regex(settled.error!.message, /^the options of folder GBT are not what an operator has set: .*then retry$/);
		t.deepEqual(await rooms.files('tokenized'), []);
		await putFormatOptions(rooms, OWN, { onRefused: 'mask' }, none);
		t.true(await requeueFailed(rooms.database, await rooms.job(id), Date.now()));
		t.is((await runAttempt(rooms, (await rooms.claim())!)).state, 'done');
	});

	test(`${dialect}: a job whose row was changed where it grants fails before its file is read`, async (t) => {
		const rooms = await openJobRooms(t, dialect);
		const { knex } = rooms.database;
		const broken: BrokenRow[] = [];
		rooms.keyRing.seals.onBroken((row) => void broken.push(row));
		const other = await rooms.put('other.csv', `${NUMBER}\n`);
		await runAttempt(rooms, (await rooms.claim())!);
		const changes = [
			{ options: MERCHANT },
			{ account_id: 8 },
			{ user_id: 'mallory' },
			{ filter: 'CSV' },
			{ operation: 'detokenize' },
			{ input_id: other.input_id },
			{ seal: null, seal_key: null },
			{ options: MERCHANT, seal: (await rooms.job(other.id)).seal },
		];
		for (const [nth, change] of changes.entries()) {
			const { id, user_id } = await rooms.put(`${nth}.csv`, `${NUMBER}\n`);
			t.is(user_id, 'alice');
			await knex('jobs').where({ id }).update(change);
			const settled = await runAttempt(rooms, (await rooms.claim())!);
			t.like(settled, { state: 'failed', error: { reason: 'row-altered' } }, JSON.stringify(change));
			t.regex(settled.error!.message, /job in \/(de)?tokenize\/(GBT|CSV) are not those it was accepted with/);
			t.like(broken.at(-1), { table: 'jobs', id, why: 'altered' });
		}
		t.is((await rooms.files('tokenized')).length, 1);
		t.is((await rooms.files('tokenized', 8)).length, 0);
	});

	test(`${dialect}: a job in a thread is looked at there, and one that nobody touched runs after a retry`, async (t) => {
		const rooms = await openJobRooms(t, dialect);
		const [good, bad] = [await rooms.put('good.csv', `${NUMBER}\n`), await rooms.put('bad.csv', `${NUMBER}\n`)];
		await rooms.database.knex('jobs').where({ id: bad.id }).update({ options: MERCHANT });
		rooms.startPool();
		t.is((await rooms.ended(good.id)).state, 'done');
		t.like(await rooms.ended(bad.id), { state: 'failed', error_reason: 'row-altered' });
	});

	test(`${dialect}: a thread runs a job that was accepted right after a rotation of the seal key`, async (t) => {
		const rooms = await openJobRooms(t, dialect);
		const { id } = await rooms.put('before.csv', `${NUMBER}\n`);
		// The thread has a key ring of its own, which has read the keys a moment before the rotation.
		const { seals } = await openBegunKeyRing(rooms.database);
		const broken: BrokenRow[] = [];
		seals.onBroken((row) => void broken.push(row));
		await t.notThrowsAsync(requireIntactJob({ seals }, await rooms.job(id)));
		await rooms.keyRing.rotate('seal');
		rooms.keyRing.seals.forgetKeys();
		const after = await rooms.put('after.csv', `${NUMBER}\n`);
		await t.notThrowsAsync(requireIntactJob({ seals }, after));
		t.deepEqual(broken, []);
		await t.throwsAsync(requireIntactJob({ seals }, { ...after, options: MERCHANT }));
		t.like(broken, [{ table: 'jobs', id: after.id, why: 'altered' }]);
	});
}
