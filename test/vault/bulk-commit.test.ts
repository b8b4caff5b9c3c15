import test from 'ava';
import type { AccountId } from '../../src/base/database/ids.ts';
import { BulkCommit } from '../../src/vault/cards/bulk-commit.ts';
import { databases, openTestDatabase } from '../helpers/database.ts';

const OWNER = 1 as AccountId;

for (const dialect of databases) {
	test(`${dialect}: rows are in the database once they are flushed, and none are lost or inserted twice`, async (t) => {
		const database = await openTestDatabase(t, dialect);
		const commit = new BulkCommit(database);
		const count = 2 * 4096 + 10;
		for (let page = 0; page < count; page++) {
			commit.add('token_refs', [OWNER, 'mine', page, 0]);
			await commit.drain();
		}
		const [{ before }] = await database.knex('token_refs').count('* as before');
		t.true(Number(before) < count, 'the last rows wait');
		await Promise.all([commit.flush(), commit.flush()]);
		const rows = await database.knex('token_refs').distinct('page_id');
		t.is(rows.length, count);
		t.is((await database.knex('token_refs')).length, count);
	});

	test(`${dialect}: after a failed insert nothing more is inserted, and every call fails with the same error`, async (t) => {
		const database = await openTestDatabase(t, dialect);
		const commit = new BulkCommit(database);
		commit.add('token_refs', [OWNER, null as never, 1, 0]);
		const failure = await t.throwsAsync(() => commit.flush());
		commit.add('fingerprints', [OWNER, Buffer.alloc(32), 1, 0, 1]);
		t.is(await t.throwsAsync(() => commit.flush()), failure);
		for (let page = 0; page < 4096; page++) commit.add('token_refs', [OWNER, 'mine', page, 0]);
		t.is(await t.throwsAsync(() => commit.drain()), failure);
		t.deepEqual(await database.knex('fingerprints'), []);
		t.deepEqual(await database.knex('token_refs'), []);
	});
}
