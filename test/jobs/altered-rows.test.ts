// Somebody who can write the database, but has no keys, changes options of folders and waiting jobs: no file is processed
// by what they wrote.

import test from 'ava';
import type { AccountId } from '../../src/base/database/ids.ts';
import type { BrokenRow } from '../../src/base/keys/rows/row-seals.ts';
import { watchIntegrity } from '../../src/installation/opening/integrity-watch.ts';
import { requireIntactJob, runAttempt } from '../../src/work/jobs/attempts/attempt.ts';
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
import { openJobParts } from '../helpers/job-parts.ts';

const accountId = 7 as AccountId;
const OWN = { accountId, filter: 'GBT' };
const none = () => {};
const MERCHANT = JSON.stringify({ merchantId: 'thief' });

for (const dialect of databases) {
	test(`${dialect}: options that were changed or put in outside are refused, and named with the row of the trail`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const { knex } = parts.database;
		const entries: unknown[] = [];
		const watch = watchIntegrity({
			seals: parts.keyRing.seals,
			audit: { record: async ({ action, subject, details }) => void entries.push({ action, subject, details }) },
		});
		await putFormatOptions(parts, OWN, { onRefused: 'mask' }, none);
		t.deepEqual(await mergedOptions(parts, OWN), { onRefused: 'mask' });
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
			await t.throwsAsync(mergedOptions(parts, OWN), { message: /folder GBT .*format-options show --filter 'GBT'/ });
			t.false((await findFormatOptions(parts, accountId, 'GBT'))!.isIntact, 'and can be looked at');
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
			await t.throwsAsync(mergedOptions(parts, scope), { message: named });
		}
		await watch.close();
		t.deepEqual(entries[0], {
			...{ action: 'integrity.failed', subject: 'row format_options 7/GBT', details: { why: 'altered' } },
		});
		// Once an operator sets or removes the options, the folder can be used again.
		await knex('format_options').delete();
		await knex('format_options').insert({ ...good, options: MERCHANT });
		await putFormatOptions(parts, OWN, { onRefused: 'pass' }, none);
		t.deepEqual(await mergedOptions(parts, OWN), { onRefused: 'pass' });
		await knex('format_options').update({ options: MERCHANT });
		t.true(await removeFormatOptions(parts, accountId, 'GBT'));
		t.deepEqual(await mergedOptions(parts, OWN), {});
	});

	test(`${dialect}: a job fails where the options of its folder were changed, and goes on once they are set anew`, async (t) => {
		const parts = await openJobParts(t, dialect);
		await putFormatOptions(parts, OWN, { onRefused: 'mask' }, none);
		const { id } = await parts.put('may.csv', `${NUMBER}\n`);
		await parts.database.knex('format_options').update({ options: MERCHANT });
		const settled = await runAttempt(parts, (await parts.claim())!);
		t.like(settled, { state: 'failed', error: { reason: 'row-altered' } });
		t.regex(settled.error!.message, /^the options of folder GBT are not what an operator has set: .*then retry$/);
		t.deepEqual(await parts.files('tokenized'), []);
		await putFormatOptions(parts, OWN, { onRefused: 'mask' }, none);
		t.true(await requeueFailed(parts.database, await parts.job(id), Date.now()));
		t.is((await runAttempt(parts, (await parts.claim())!)).state, 'done');
	});

	test(`${dialect}: a job whose row was changed where it grants fails before its file is read`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const { knex } = parts.database;
		const broken: BrokenRow[] = [];
		parts.keyRing.seals.onBroken((row) => void broken.push(row));
		const other = await parts.put('other.csv', `${NUMBER}\n`);
		await runAttempt(parts, (await parts.claim())!);
		const changes = [
			{ options: MERCHANT },
			{ account_id: 8 },
			{ user_id: 'mallory' },
			{ filter: 'CSV' },
			{ operation: 'detokenize' },
			{ input_id: other.input_id },
			{ seal: null, seal_key: null },
			{ options: MERCHANT, seal: (await parts.job(other.id)).seal },
		];
		for (const [nth, change] of changes.entries()) {
			const { id, user_id } = await parts.put(`${nth}.csv`, `${NUMBER}\n`);
			t.is(user_id, 'alice');
			await knex('jobs').where({ id }).update(change);
			const settled = await runAttempt(parts, (await parts.claim())!);
			t.like(settled, { state: 'failed', error: { reason: 'row-altered' } }, JSON.stringify(change));
			t.regex(settled.error!.message, /job in \/(de)?tokenize\/(GBT|CSV) are not those it was accepted with/);
			t.like(broken.at(-1), { table: 'jobs', id, why: 'altered' });
		}
		t.is((await parts.files('tokenized')).length, 1);
		t.is((await parts.files('tokenized', 8)).length, 0);
	});

	test(`${dialect}: a job in a thread is looked at there, and one that nobody touched runs after a retry`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const [good, bad] = [await parts.put('good.csv', `${NUMBER}\n`), await parts.put('bad.csv', `${NUMBER}\n`)];
		await parts.database.knex('jobs').where({ id: bad.id }).update({ options: MERCHANT });
		parts.startPool();
		t.is((await parts.ended(good.id)).state, 'done');
		t.like(await parts.ended(bad.id), { state: 'failed', error_reason: 'row-altered' });
	});

	test(`${dialect}: a thread runs a job that was accepted right after a rotation of the seal key`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const { id } = await parts.put('before.csv', `${NUMBER}\n`);
		// The thread has a key ring of its own, which has read the keys a moment before the rotation.
		const { seals } = await openBegunKeyRing(parts.database);
		const broken: BrokenRow[] = [];
		seals.onBroken((row) => void broken.push(row));
		await t.notThrowsAsync(requireIntactJob({ seals }, await parts.job(id)));
		await parts.keyRing.rotate('seal');
		parts.keyRing.seals.forgetKeys();
		const after = await parts.put('after.csv', `${NUMBER}\n`);
		await t.notThrowsAsync(requireIntactJob({ seals }, after));
		t.deepEqual(broken, []);
		await t.throwsAsync(requireIntactJob({ seals }, { ...after, options: MERCHANT }));
		t.like(broken, [{ table: 'jobs', id: after.id, why: 'altered' }]);
	});
}
