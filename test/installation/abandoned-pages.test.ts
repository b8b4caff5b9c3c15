import test from 'ava';
import { CardNumber } from '../../src/base/card/card-number.ts';
import { transact } from '../../src/base/database/dialect.ts';
import type { AccountId, JobId, PassId } from '../../src/base/database/ids.ts';
import { discardAbandonedPages } from '../../src/installation/accounts/abandoned-pages.ts';
import { BulkCommit } from '../../src/vault/cards/bulk-commit.ts';
import { type CardWriter, openCardWriter } from '../../src/vault/cards/card-writer.ts';
import { fieldsOf } from '../../src/vault/cards/new-card.ts';
import type { PageOwner } from '../../src/vault/pages/page-owner.ts';
import { lonePass } from '../../src/work/ledger/ledger.ts';
import { databases } from '../helpers/database.ts';
import { openVaultParts, type VaultParts } from '../helpers/vault-parts.ts';

const ACCOUNT = 1 as AccountId;

const jobRow = (id: JobId) => ({
	...{ id, account_id: ACCOUNT, operation: 'tokenize', filter: 'GBT', name: 'may.csv', state: 'failed', input_id: 0 },
	...{ attempts: 1, bytes_read: 0, bytes_total: 0, cards: 0, refused: 0, warned: 0, next_run_at: 0, created_at: 0 },
});

/** Stores a card under a pass, without adopting it. */
async function store({ database, keyRing, clock }: VaultParts, owner: PageOwner): Promise<void> {
	const whose = { accountId: ACCOUNT, creatorId: ACCOUNT, ...owner };
	const commit = new BulkCommit(database);
	const writer = await openCardWriter({ database, keyRing, ...whose, now: clock.now(), clock, commit });
	await writer.reserve(1);
	writer.place(fieldsOf({ number: new CardNumber('4111111111111111'), expiry: 202912, type: 19 }));
	await writer.flush();
}

for (const dialect of databases) {
	test(`${dialect}: pages of a killed pass go after a day, those of an attempt when its job has ended too`, async (t) => {
		const parts = await openVaultParts(t, dialect);
		const { database, clock } = parts;
		const left = (table: string, column: string) => database.knex(table).orderBy(column).pluck(column);
		const lone = () => lonePass(clock.now().getTime());
		// These ids are from long ago, so that they sort before those that this process makes, whatever its clock says.
		const job = '01j00000000000000000000000' as JobId;
		const attempt = '01j00000000000000000000001' as PassId;
		const orphan = '01j00000000000000000000002' as PassId;
		const gone = '01j00000000000000000000003' as JobId;
		await database.knex('jobs').insert({ ...jobRow(job), state: 'running' });
		await store(parts, { pass: lone() });
		await store(parts, { pass: { id: attempt, jobId: job } });
		await database.knex('page_blocks').insert({ pass_id: orphan, job_id: gone, first: 1_000_000, last: 1_000_063 });
		clock.turn(25 * 3_600_000);
		const underWay = lone();
		await store(parts, { pass: underWay });
		t.is(await discardAbandonedPages({ database, clock }), 2, 'the killed pass, and the job that is gone');
		t.deepEqual(await left('page_blocks', 'pass_id'), [attempt, underWay.id]);
		t.deepEqual(await left('pages', 'written_by'), [job, underWay.id]);
		await database.knex('jobs').update({ state: 'done' });
		t.is(await discardAbandonedPages({ database, clock }), 1);
		t.deepEqual(await left('page_blocks', 'pass_id'), [underWay.id]);
		t.deepEqual(await left('pages', 'written_by'), [underWay.id]);
	});

	test(`${dialect}: what a stalled attempt writes after the next one has begun never becomes permanent`, async (t) => {
		const parts = await openVaultParts(t, dialect);
		const { database, vault, clock } = parts;
		const engine = parts.engine([]);
		const job = '01j00000000000000000000000' as JobId;
		const open = async (id: string) => {
			const whose = { accountId: ACCOUNT, creatorId: ACCOUNT, pass: { id: id as PassId, jobId: job } };
			return openCardWriter({ ...parts, ...whose, now: clock.now(), commit: new BulkCommit(parts.database) });
		};
		const add = async (writer: CardWriter) => {
			await writer.reserve(10);
			for (let n = 0; n < 10; n++)
				writer.place(fieldsOf({ number: new CardNumber('4111111111111111'), expiry: 202912, type: 19 }));
		};
		await database.knex('jobs').insert({ ...jobRow(job), state: 'running' });
		const stalled = await open('01j00000000000000000000001');
		await add(stalled);
		await stalled.flush();
		await add(stalled);
		await engine.discardAttempts(job, { requireOurs: async () => {} });
		t.deepEqual(await database.knex('pages'), []);
		const next = await open('01j00000000000000000000002');
		await add(next);
		// SQLite has one daemon, which stalls as a whole, so there only pages under newly reserved ids can come late.
		if (dialect === 'sqlite') await stalled.reserve(10_000);
		if (dialect === 'postgres') await stalled.flush();
		await next.flush();
		await transact(database, (transaction) => engine.adopt(transaction, ['01j00000000000000000000002' as PassId]));
		t.is((await vault.list(ACCOUNT, { from: 0, num: 100 })).length, 10);
		await database.knex('jobs').update({ state: 'done' });
		clock.turn(25 * 3_600_000);
		await discardAbandonedPages({ database, clock });
		t.is((await vault.list(ACCOUNT, { from: 0, num: 100 })).length, 10);
		t.deepEqual(await database.knex('page_blocks'), []);
	});
}
