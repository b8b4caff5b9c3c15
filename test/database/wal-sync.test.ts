import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import fc from 'fast-check';
import { transact } from '../../src/database/dialect.ts';
import { openDatabase } from '../../src/database/open.ts';
import { transactPlainly } from '../../src/database/plain-transaction.ts';
import { type SqliteParts, UNSYNCED } from '../../src/database/sqlite-client.ts';
import { WalSync } from '../../src/database/wal-sync.ts';
import { makeFolder } from '../helpers/drop-rooms.ts';

test('every call waits for a flush that began after it, and calls share one', async (t) => {
	await fc.assert(
		fc.asyncProperty(fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 20 }), async (pauses) => {
			let calls = 0;
			/** For each flush, how many calls there had been when it began. */
			const begun: number[] = [];
			let flushed = 0;
			const sync = new WalSync(async () => {
				begun.push(calls);
				const mine = calls;
				await turn();
				flushed = mine;
			});
			const waiting: Promise<void>[] = [];
			for (const pause of pauses) {
				for (let n = 0; n < pause; n++) await turn();
				const nth = ++calls;
				waiting.push(sync.sync().then(() => void t.true(flushed >= nth)));
			}
			await Promise.all(waiting);
			t.true(begun.length <= pauses.length);
		}),
	);
});

test('many calls at once cost two flushes at most', async (t) => {
	let flushes = 0;
	const sync = new WalSync(async () => {
		flushes += 1;
		await turn();
	});
	await Promise.all(Array.from({ length: 100 }, () => sync.sync()));
	t.true(flushes <= 2);
});

test('a flush that fails is told to those who waited for it, and to nobody else', async (t) => {
	let isBroken = true;
	const sync = new WalSync(async () => {
		if (isBroken) throw Object.assign(new Error('disk'), { code: 'EIO' });
	});
	await t.throwsAsync(sync.sync(), { code: 'EIO' });
	isBroken = false;
	await t.notThrowsAsync(sync.sync());
});

test.serial('what must be durable is synced before it resolves, and nothing else is', async (t) => {
	const file = join(makeFolder(t), 'test.db');
	const database = await openDatabase({ url: file });
	t.teardown(() => database.close());
	const { knex } = database;
	await knex.raw('create table schema_migrations (id integer, batch integer)');
	let syncs = 0;
	const { walSync } = (knex.client.config as { sqliteParts: SqliteParts }).sqliteParts;
	const sync = walSync.sync.bind(walSync);
	walSync.sync = () => {
		syncs += 1;
		return sync();
	};
	const syncsOf = async (work: () => PromiseLike<unknown>) => {
		const before = syncs;
		await work();
		return syncs - before;
	};
	const row = { id: 1, batch: 1 };
	t.is(await syncsOf(() => knex('schema_migrations').insert(row)), 1);
	t.is(await syncsOf(() => knex('schema_migrations').insert(row).returning('*')), 1);
	t.is(await syncsOf(() => knex('schema_migrations').where(row).update({ batch: 2 })), 1);
	t.is(await syncsOf(() => knex('schema_migrations').where(row).delete()), 1);
	t.is(await syncsOf(() => knex('schema_migrations').select()), 0);
	t.is(await syncsOf(() => knex('schema_migrations').insert(row).queryContext(UNSYNCED)), 0);
	const twice = (transaction: Pick<typeof knex, 'raw'>) =>
		transaction.raw('insert into schema_migrations values (1, 1)').then(() => transaction.raw('select 1'));
	t.is(await syncsOf(() => transact(database, twice)), 1);
	t.is(
		await syncsOf(() =>
			transactPlainly(database, async (each) => each.raw('insert into schema_migrations values (1, 1)')),
		),
		1,
	);
	t.true(existsSync(`${file}-wal`));
});
