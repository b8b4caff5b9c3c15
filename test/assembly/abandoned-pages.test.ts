import test from 'ava';
import { discardAbandonedPages } from '../../src/assembly/abandoned-pages.ts';
import { CardNumber } from '../../src/card/card-number.ts';
import type { AccountId, JobId } from '../../src/database/ids.ts';
import { lonePasses } from '../../src/database/migrations/0043-lone-passes.ts';
import { makeUlid, ulidTimeMs } from '../../src/drops/ulid.ts';
import { lonePass } from '../../src/ledger/lone-pass.ts';
import { openBulkStore } from '../../src/vault/bulk-store.ts';
import { fieldsOf } from '../../src/vault/new-card.ts';
import type { LonePass, PageOwner } from '../../src/vault/page-owner.ts';
import { databases, openTestDatabase } from '../helpers/database.ts';
import { openVaultRooms } from '../helpers/vault-rooms.ts';

const ACCOUNT = 1 as AccountId;

const jobRow = (id: JobId) => ({
	...{ id, account_id: ACCOUNT, operation: 'tokenize', filter: 'GBT', name: 'may.csv', state: 'failed', input_id: 0 },
	...{ attempts: 1, bytes_read: 0, bytes_total: 0, cards: 0, refused: 0, warned: 0, next_run_at: 0, created_at: 0 },
});

test('pages of a killed pass go after a day, those of a pass under way stay', async (t) => {
	const { database, keyRing, clock } = await openVaultRooms(t);
	const store = async (jobId: JobId) => {
		const owner = { accountId: ACCOUNT, creatorId: ACCOUNT, jobId };
		const bulk = await openBulkStore({ database, keyRing, ...owner, now: clock.now() });
		await bulk.reserve(1);
		bulk.add(fieldsOf({ number: new CardNumber('4111111111111111'), expiry: 202912, type: 19 }));
		await bulk.flush();
	};
	const killed = makeUlid(clock.now().getTime()) as JobId;
	t.is(ulidTimeMs(killed), clock.now().getTime());
	await store(killed);
	t.is(await discardAbandonedPages({ database, clock }), 0);
	clock.turn(25 * 3_600_000);
	const underWay = makeUlid(clock.now().getTime()) as JobId;
	await store(underWay);
	t.is(await discardAbandonedPages({ database, clock }), 1);
	t.deepEqual(
		(await database.knex('pages').select('job_id')).map((row) => row.job_id),
		[underWay],
	);
	t.is((await database.knex('page_blocks').where({ job_id: killed })).length, 0);
});

for (const dialect of databases) {
	test(`${dialect}: a pass that is no job is known by what it reserved, a job by its row`, async (t) => {
		const { database, keyRing, clock } = await openVaultRooms(t, dialect);
		const reserve = async (owner: PageOwner) => {
			const whose = { accountId: ACCOUNT, creatorId: ACCOUNT, ...owner };
			await (await openBulkStore({ database, keyRing, ...whose, now: clock.now() })).reserve(1);
		};
		const left = async () => (await database.knex('page_blocks').orderBy('job_id')).map(({ job_id }) => job_id);
		const pass = (): PageOwner & { pass: LonePass } => ({ pass: lonePass(clock.now().getTime()) });
		const killed = pass();
		// Long before: ids of one process only grow, whatever its clock says.
		const job = '01j00000000000000000000000' as JobId;
		await database.knex('jobs').insert(jobRow(job));
		for (const owner of [killed, { jobId: job }]) await reserve(owner);
		clock.turn(25 * 3_600_000);
		const underWay = pass();
		await reserve(underWay);
		t.is(await discardAbandonedPages({ database, clock }), 1);
		t.deepEqual(await left(), [job, underWay.pass.id]);
		await database.knex('jobs').delete();
		t.is(await discardAbandonedPages({ database, clock }), 1);
		t.deepEqual(await left(), [underWay.pass.id]);
	});

	test(`${dialect}: what was reserved before passes had a time is a job's or has a day from the upgrade`, async (t) => {
		const database = await openTestDatabase(t, dialect);
		await database.knex.raw('alter table page_blocks drop column begun_at');
		await database.knex('jobs').insert(jobRow('01job' as JobId));
		for (const job_id of ['01job', '01stream'])
			await database.knex('page_blocks').insert({ job_id, first: 1, last: 2 });
		const before = Date.now();
		await lonePasses.up(database.knex, dialect);
		const [job, stream] = await database.knex('page_blocks').orderBy('job_id');
		t.is(job.begun_at, null);
		t.true(Number(stream.begun_at) >= before);
	});
}
