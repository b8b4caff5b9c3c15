import test from 'ava';
import { runDeletions } from '../../src/installation/accounts/account-deletions.ts';
import { EMPTIED_TABLES } from '../../src/installation/accounts/account-removal-store.ts';
import { databases, openTestDatabase } from '../helpers/database.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { runNextJob } from '../helpers/http-jobs.ts';

const FILE = 'CardNumber,ExpirationMonth,ExpirationYear\n4111111111111111,12,2029\n5555555555554444,12,2029\n';
const SEND = '/api/files/tokenize?filter=SIMPLECSV&async=true&name=may.csv';
const CSV = { headers: { 'content-type': 'application/octet-stream' }, payload: FILE };

for (const dialect of databases) {
	test(`${dialect}: a deleted account leaves its name and the trail, and takes nothing of others along`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const { database, identity, audit, clock, drops } = parts;
		const deleting = { database, audit, clock, blobs: drops.store.blobs };
		const agency = await parts.createCaller('agency');
		const clerk = await parts.createCaller('clerk', { kind: 'sub-user', parent: 'agency' });
		const other = await parts.createCaller('other');
		for (const caller of [agency, clerk, other]) {
			t.is((await caller.inject('POST', SEND, CSV)).statusCode, 202);
			t.is(await runNextJob(parts), 'done');
		}
		const left = async (table: string) => (await database.knex(table)).length;
		const before = { files: await left('drop_files'), keys: await left('keys') };
		await identity.changes.requestDeletion(agency.account, 'operator test', 60_000);
		t.is(await runDeletions(deleting), 0, 'it is not due');
		t.is(await left('jobs'), 3);
		clock.turn(60_001);
		// The deletion waits for the job that a worker has under way.
		await database.knex('jobs').where({ account_id: clerk.account.id }).update({ state: 'running' });
		t.is(await runDeletions(deleting), 0);
		t.is(await left('jobs'), 2);
		await database.knex('jobs').where({ account_id: clerk.account.id }).update({ state: 'done' });
		t.is(await runDeletions(deleting), 1);
		t.is(await runDeletions(deleting), 0, 'done once');

		t.is(await left('jobs'), 1);
		t.is(await left('drop_files'), before.files / 3);
		t.true((await left('keys')) < before.keys);
		t.deepEqual(await database.knex('pages').distinct('account_id').pluck('account_id'), [other.account.id]);
		t.deepEqual(await database.knex('api_keys').pluck('account_id'), [other.account.id]);
		const kept: string[] = await database.knex('drop_files').distinct('blob_id').pluck('blob_id');
		const stored: string[] = [];
		for await (const { id } of drops.store.blobs.list()) stored.push(id);
		t.deepEqual(stored.sort(), kept.sort(), 'its bytes are gone, those of others are there');
		const removed = { cards: 4, jobs: 2, credentials: 2, subAccounts: 1 };
		const entry = await database.knex('audit').where({ action: 'account.deleted' }).first();
		t.like(JSON.parse(entry.details), removed);
		t.is(entry.subject, 'account agency');
		t.like(await audit.verify(), { isWhole: true });
		const again = identity.createAccount({ userId: 'agency' }, 'operator test');
		await t.throwsAsync(again, { message: /./ }, 'the name is not given away again');
		const listed = await other.inject('GET', '/api/jobs', { headers: { accept: 'application/json' } });
		const output = await other.inject('GET', `/api/jobs/${listed.json()[0].id}/output`);
		t.is(output.statusCode, 200);
	});
}

/**
 * Tables that keep rows of a deleted account: the journal of payments, which may be needed as evidence towards the payment
 * provider, and the record of the deletion itself.
 */
const KEPT_TABLES = ['gateway_attempts', 'account_deletions', 'audit'];

test('every table that names an account is emptied of a deleted one, or is known to be kept', async (t) => {
	const { knex } = await openTestDatabase(t, 'sqlite');
	const tables: string[] = await knex('sqlite_master').where({ type: 'table' }).pluck('name');
	const ofAccounts: string[] = [];
	for (const table of tables) {
		const columns: { name: string }[] = await knex.raw(`pragma table_info(${table})`);
		if (columns.some(({ name }) => name === 'account_id')) ofAccounts.push(table);
	}
	t.true(ofAccounts.length > 10);
	const known = [...EMPTIED_TABLES, ...KEPT_TABLES];
	t.deepEqual(
		ofAccounts.filter((table) => !known.includes(table)),
		[],
	);
});
