import test from 'ava';
import { names } from '../../src/base/database/migrations/0017-names.ts';
import type { Database } from '../../src/base/database/open.ts';
import { coreDatabases } from '../helpers/database.ts';
import { openOlder } from '../helpers/older-database.ts';

async function insertFile({ knex }: Database, more: object): Promise<number> {
	const [{ id }] = await knex('drop_files')
		.insert({ account_id: 7, filter: 'GBT', blob_id: Math.random().toString(36), size: 5, modified_at: 3, ...more })
		.returning('id');
	return id;
}

async function insertJob({ knex }: Database, id: string, more: object): Promise<void> {
	const counts = { attempts: 1, bytes_read: 0, bytes_total: 0, cards: 0, refused: 0, warned: 0 };
	await knex('jobs').insert({
		...{ id, account_id: 7, operation: 'tokenize', filter: 'GBT', name: 'daily.csv', state: 'done', input_id: 0 },
		...{ ...counts, next_run_at: 0, created_at: 0, ...more },
	});
}

for (const dialect of coreDatabases) {
	test(`${dialect}: what an older version left stands under its names: failed inputs and latest reports`, async (t) => {
		const database = await openOlder(t, dialect, names);
		const report = (name: string, job: string) =>
			insertFile(database, { area: 'reports', name, job_id: job, state: 'ready', created_at: 2 });
		for (const job of ['J1', 'J2']) {
			await insertJob(database, job, { report_id: await report(`daily.csv.${job}.json`, job) });
			await insertFile(database, { area: 'tokenize', name: 'daily.csv', job_id: job, state: 'failed', created_at: 1 });
		}
		await report('daily.csv.J1.csv', 'J1');
		await insertJob(database, 'J3', { state: 'queued' });
		await insertFile(database, { area: 'tokenize', name: 'daily.csv', job_id: 'J3', state: 'accepted', created_at: 1 });
		await insertFile(database, { area: 'detokenize', name: 'daily.csv', job_id: 'J9', state: 'failed', created_at: 1 });
		await insertFile(database, { area: 'tokenized', name: 'daily.csv', job_id: 'J0', state: 'ready', created_at: 1 });
		await insertJob(database, 'J4', { account_id: 8, report_id: 99 });

		await names.up(database.knex, dialect);
		const files = await database.knex('drop_files').orderBy('id');
		t.deepEqual(
			files.map(({ area, name, job_id }) => [area, name, job_id]),
			[
				['reports', 'daily.csv.J1.json', 'J1'],
				['tokenize', 'daily.csv.J1.failed', 'J1'],
				['reports', 'daily.csv.J2.json', 'J2'],
				['tokenize', 'daily.csv.failed', 'J2'],
				['reports', 'daily.csv.J1.csv', 'J1'],
				['tokenize', 'daily.csv', 'J3'],
				['detokenize', 'daily.csv.failed', 'J9'],
				['tokenized', 'daily.csv', 'J0'],
				['reports', 'daily.csv.json', 'J2'],
			],
		);
		const [own, latest] = [files[2], files[8]];
		t.like(latest, { blob_id: own.blob_id, size: own.size, modified_at: 3, created_at: 2, state: 'ready' });
	});
}
