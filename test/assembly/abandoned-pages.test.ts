import test from 'ava';
import { discardAbandonedPages } from '../../src/assembly/abandoned-pages.ts';
import { CardNumber } from '../../src/card/card-number.ts';
import type { AccountId, JobId } from '../../src/database/ids.ts';
import { makeUlid, ulidTime } from '../../src/drops/ulid.ts';
import { openBulkStore } from '../../src/vault/bulk-store.ts';
import { fieldsOf } from '../../src/vault/new-card.ts';
import { openVaultRooms } from '../helpers/vault-rooms.ts';

const ACCOUNT = 1 as AccountId;

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
	t.is(ulidTime(killed), clock.now().getTime());
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
