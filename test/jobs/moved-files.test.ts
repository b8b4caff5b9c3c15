// Somebody who can write the database, but has no keys, moves stored files and waiting jobs to another account, another
// direction or another folder: what was sealed for one of them opens in no other.

import test from 'ava';
import { DamagedFileError } from '../../src/base/blobs/sealed-file.ts';
import type { AccountId, JobId } from '../../src/base/database/ids.ts';
import { type DropFolder, folderOf } from '../../src/work/drops/drop-store.ts';
import { runAttempt } from '../../src/work/jobs/attempts/attempt.ts';
import { findOutput } from '../../src/work/jobs/job-files.ts';
import { sealedJobs } from '../../src/work/jobs/job-store.ts';
import { databases } from '../helpers/database.ts';
import { NUMBER, TOKEN } from '../helpers/engine-double.ts';
import { type JobParts, openJobParts } from '../helpers/job-parts.ts';

const [VICTIM, ATTACKER] = [7, 8];
const folder = (accountId: number, area: DropFolder['area'], filter = 'GBT'): DropFolder => ({
	...{ accountId: accountId as AccountId, area, filter },
});

/** Detokenizes a file of the victim, whose output holds card numbers. */
async function detokenize(parts: JobParts) {
	const { id } = await parts.put('may.csv', `${TOKEN}\n`, { accountId: VICTIM, area: 'detokenize' });
	await runAttempt(parts, (await parts.claim())!);
	const [file] = await parts.files('detokenized', VICTIM);
	return { job: await parts.job(id), file };
}

/** Seals a changed row as only somebody with keys could, because even then the file itself must not fit the row. */
async function sealAgain(parts: JobParts, id: JobId) {
	const sealer = await parts.keyRing.seals.sealer();
	await parts.database
		.knex('jobs')
		.where({ id })
		.update(sealer.seal(sealedJobs, await parts.job(id)));
}

for (const dialect of databases) {
	test(`${dialect}: a detokenized file whose row was moved to another account, direction or filter does not open`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const { file } = await detokenize(parts);
		t.is(await parts.read(file), `${NUMBER}\n`);
		const moves = [
			{ account_id: ATTACKER as AccountId },
			{ area: 'tokenized' as const },
			{ area: 'reports' as const },
			{ filter: 'CSV' },
		];
		for (const move of moves) {
			await parts.database.knex('drop_files').where({ id: file.id }).update(move);
			const place = folderOf({ ...file, ...move });
			const found = (await parts.drops.find(place, file.name))!;
			t.is(found.id, file.id, 'it is listed there');
			await t.throwsAsync(parts.drops.open(place, found), { instanceOf: DamagedFileError });
			const partial = await parts.drops.openPartial(place, found);
			await t.throwsAsync(partial.read(0, 10), { instanceOf: DamagedFileError });
			await partial.close();
			const { account_id, area, filter } = file;
			await parts.database.knex('drop_files').where({ id: file.id }).update({ account_id, area, filter });
		}
		t.is(await parts.read(file), `${NUMBER}\n`, 'back in its place it opens');
	});

	test(`${dialect}: a job that was given another account's output does not hand it out`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const { file } = await detokenize(parts);
		const own = await parts.put('own.csv', `${TOKEN}\n`, { accountId: ATTACKER, area: 'detokenize' });
		await runAttempt(parts, (await parts.claim())!);
		const { knex } = parts.database;
		await knex('jobs').where({ id: own.id }).update({ output_id: file.id });
		await knex('drop_files').where({ id: file.id }).update({ job_id: own.id });
		const found = (await findOutput(parts, await parts.job(own.id)))!;
		t.is(found.file.id, file.id);
		await t.throwsAsync(parts.drops.open(found.folder, found.file), { instanceOf: DamagedFileError });
	});

	test(`${dialect}: the blob of another account's file under a row of one's own does not open`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const { file } = await detokenize(parts);
		await parts.put('own.csv', `${TOKEN}\n`, { accountId: ATTACKER, area: 'detokenize' });
		await runAttempt(parts, (await parts.claim())!);
		const [own] = await parts.files('detokenized', ATTACKER);
		await parts.database.knex('drop_files').where({ id: own.id }).update({ blob_id: file.blob_id });
		const [changed] = await parts.files('detokenized', ATTACKER);
		await t.throwsAsync(parts.read(changed), { instanceOf: DamagedFileError });
	});

	test(`${dialect}: a waiting job that was moved to another account detokenizes nothing`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const { id, input_id } = await parts.put('may.csv', `${TOKEN}\n`, { accountId: ATTACKER, area: 'detokenize' });
		const { knex } = parts.database;
		await knex('jobs').where({ id }).update({ account_id: VICTIM });
		await knex('drop_files').where({ id: input_id }).update({ account_id: VICTIM });
		await sealAgain(parts, id);
		t.like(await runAttempt(parts, (await parts.claim())!), {
			...{ state: 'failed', error: { reason: 'input-damaged' } },
		});
		for (const account of [VICTIM, ATTACKER]) t.deepEqual(await parts.files('detokenized', account), []);
	});

	test(`${dialect}: a job whose row alone names another account finds no input`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const { id } = await parts.put('may.csv', `${TOKEN}\n`, { accountId: ATTACKER, area: 'detokenize' });
		await parts.database.knex('jobs').where({ id }).update({ account_id: VICTIM });
		await sealAgain(parts, id);
		t.like(await runAttempt(parts, (await parts.claim())!), {
			...{ state: 'failed', error: { reason: 'input-missing' } },
		});
		t.deepEqual(await parts.files('detokenized', VICTIM), []);
	});

	test(`${dialect}: a file that was put in to be tokenized is not detokenized, whatever its rows say`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const { id, input_id } = await parts.put('may.csv', `${TOKEN}\n`, { area: 'tokenize' });
		const { knex } = parts.database;
		await knex('jobs').where({ id }).update({ operation: 'detokenize' });
		await knex('drop_files').where({ id: input_id }).update({ area: 'detokenize' });
		await sealAgain(parts, id);
		t.like(await runAttempt(parts, (await parts.claim())!), {
			...{ state: 'failed', error: { reason: 'input-damaged' } },
		});
		t.deepEqual(await parts.files('detokenized'), []);
		t.deepEqual(await parts.files('tokenized'), []);
	});

	test(`${dialect}: an unfinished upload that was moved is not gone on with as another account's file`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const target = { folder: folder(VICTIM, 'tokenize') as never, name: 'may.csv', createdBy: 'victim' };
		const upload = await parts.drops.begin(target);
		await upload.write(0, Buffer.from(`${NUMBER}\n`));
		await parts.drops.pause(upload);
		await parts.database.knex('drop_files').where({ id: upload.file.id }).update({ account_id: ATTACKER });
		const place = folder(ATTACKER, 'tokenize');
		const again = (await parts.drops.resume({ ...target, folder: place as never, createdBy: 'attacker' }))!;
		t.is(again.size, 0, 'nothing of it is readable there');
		await again.write(null, Buffer.from('own'));
		t.is((await again.read(0, 100)).toString(), 'own');
		await parts.drops.pause(again);
	});
}
