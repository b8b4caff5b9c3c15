import { copyFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import fc from 'fast-check';
import { isUnavailable, transact } from '../../src/base/database/dialect.ts';
import { openDatabase } from '../../src/base/database/open.ts';
import { transactPlainly, transactUnsynced } from '../../src/base/database/plain-transaction.ts';
import { execute, queryRows } from '../../src/base/database/sql.ts';
import { partsOf } from '../../src/base/database/sqlite-connection.ts';
import { UnsyncedError, WalSync } from '../../src/base/database/wal-sync.ts';
import { threadMemory } from '../../src/base/database/write-turn.ts';
import { makeFolder } from '../helpers/file-parts.ts';
import { traceCalls } from '../helpers/strace.ts';
import { testNeeding } from '../helpers/test-needing.ts';

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

test('a long log is moved into the database, but never after a failed sync, nor once SQLite has found one', async (t) => {
	const memory = threadMemory();
	const moved: string[] = [];
	const logOf = (frames: number, code?: string) => ({
		frames: () => frames,
		checkpoint() {
			moved.push(code ?? 'moved');
			if (code !== undefined) throw Object.assign(new Error('the disk'), { code });
		},
	});
	const sync = new WalSync(async () => {}, memory);
	sync.checkpoint(logOf(999));
	t.deepEqual(moved, []);
	sync.checkpoint(logOf(1_000));
	for (const code of ['SQLITE_FULL', 'SQLITE_BUSY']) sync.checkpoint(logOf(1_000, code));
	await t.notThrowsAsync(sync.sync());
	sync.checkpoint(logOf(1_000, 'SQLITE_IOERR_FSYNC'));
	t.deepEqual(moved, ['moved', 'SQLITE_FULL', 'SQLITE_BUSY', 'SQLITE_IOERR_FSYNC']);
	await t.throwsAsync(sync.sync(), { instanceOf: UnsyncedError });
	new WalSync(async () => {}, memory).checkpoint(logOf(1_000));
	t.is(moved.length, 4, 'no thread moves the log any more');
});

test('the log of a database stays short, though SQLite itself never moves it', async (t) => {
	const file = join(makeFolder(t), 'long.sqlite');
	const database = await openDatabase({ url: `sqlite:${file}` });
	t.teardown(() => database.close());
	const { knex } = database;
	t.deepEqual(await queryRows(knex, 'pragma wal_autocheckpoint'), [{ wal_autocheckpoint: 0 }]);
	await execute(knex, 'create table long (piece blob)');
	for (let n = 0; n < 40; n++) {
		await transact(database, (transaction) =>
			execute(transaction, 'insert into long values (?)', [Buffer.alloc(1 << 20)]),
		);
	}
	t.true(statSync(file).size > 30 << 20);
	t.true(statSync(`${file}-wal`).size < 16 << 20);
});

test('after a flush that fails nothing is acknowledged any more, in no thread', async (t) => {
	const memory = threadMemory();
	const file = await open(join(makeFolder(t), 'log'), 'w');
	t.teardown(() => file.close());
	const device = await open('/dev/null', 'r+');
	t.teardown(() => device.close());
	let written = device;
	let flushes = 0;
	const sync = new WalSync(async () => {
		flushes += 1;
		await written.datasync();
	}, memory);
	const other = new WalSync(() => file.datasync(), memory);
	const failed = other.failed();
	await t.notThrowsAsync(other.sync());
	// No device of characters can be synced, so this is an error of the system.
	const waiting = [sync.sync(), sync.sync()];
	for (const each of waiting) {
		const error = await t.throwsAsync(each, { instanceOf: UnsyncedError, code: 'SQLITE_IOERR_FSYNC' });
		t.like(error.cause, { code: 'EINVAL', syscall: 'fdatasync' });
		t.true(isUnavailable(error));
	}
	written = file;
	await t.throwsAsync(sync.sync(), { instanceOf: UnsyncedError });
	await t.throwsAsync(other.sync(), { instanceOf: UnsyncedError });
	t.is(flushes, 1, 'a disk that has failed once is not asked again');
	t.true((await failed) instanceof UnsyncedError);
	t.true((await sync.failed()) instanceof UnsyncedError);
});

const traceTest = testNeeding('strace, with the right to trace');

/** Opens the database of the variable DATABASE and closes it, as a program of its own. */
const OPEN = `
	import { openDatabase } from ${JSON.stringify(new URL('../../src/base/database/open.ts', import.meta.url).href)};
	const database = await openDatabase({ url: process.env.DATABASE });
	await database.ping();
	process.exit();
`;

traceTest('what an earlier process left in the log is written to the disk anew before anything else', async (t) => {
	const folder = makeFolder(t);
	const database = await openDatabase({ url: join(folder, 'first.db') });
	t.teardown(() => database.close());
	const { knex } = database;
	await knex.raw('create table kept (id integer, text text)');
	const fill = (rows: number) =>
		knex.raw(`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${rows})
			insert into kept select i, hex(randomblob(1000)) from n`);
	await fill(3000);
	// All of the log is copied, so that it begins again at its start and frames of the old log stand behind those of the new one.
	await knex.raw('pragma wal_checkpoint(PASSIVE)');
	await fill(400);
	const frames = (await knex.raw('pragma wal_checkpoint(NOOP)'))[0].log as number;
	for (const ending of ['', '-wal']) copyFileSync(join(folder, `first.db${ending}`), join(folder, `left.db${ending}`));
	const log = join(folder, 'left.db-wal');
	const before = readFileSync(log);
	const { calls, code, stderr } = await traceCalls(
		['-e', 'trace=pwrite64,fdatasync', '-P', log],
		[process.execPath, '--input-type=module', '-e', OPEN],
		{ ...process.env, DATABASE: join(folder, 'left.db') },
	);
	t.is(code, 0, stderr);
	const synced = calls.findIndex(({ name }) => name === 'fdatasync');
	t.is(calls[synced].returned, '0');
	const written = calls.slice(0, synced).reduce((sum, { returned }) => sum + Number(returned), 0);
	t.true(frames > 100, `${frames} frames`);
	t.is(written, 32 + frames * (24 + 8192), 'the header, and every frame that counts');
	t.true(before.length > written, 'frames of the old log are left alone');
	t.true(readFileSync(log).equals(before));
	const left = await openDatabase({ url: join(folder, 'left.db') });
	t.teardown(() => left.close());
	t.is((await left.knex('kept').count({ rows: '*' }))[0].rows, 3400);
});

traceTest('a log that cannot be written to the disk anew lets nobody open the database', async (t) => {
	const file = join(makeFolder(t), 'test.db');
	const database = await openDatabase({ url: file });
	t.teardown(() => database.close());
	await database.knex.raw('create table kept (id integer)');
	const { code, stderr } = await traceCalls(
		['-e', 'trace=fdatasync', '-e', 'inject=fdatasync:error=EIO', '-P', `${file}-wal`],
		[process.execPath, '--input-type=module', '-e', OPEN],
		{ ...process.env, DATABASE: file },
	);
	t.is(code, 1);
	t.regex(stderr, /UnsyncedError: the disk did not take what was written to the database/);
});

test.serial('what must be durable is synced before it resolves, and nothing else is', async (t) => {
	const file = join(makeFolder(t), 'test.db');
	const database = await openDatabase({ url: file });
	t.teardown(() => database.close());
	const { knex } = database;
	await knex.raw('create table schema_migrations (id integer, batch integer)');
	let syncs = 0;
	const { walSync } = partsOf(knex)!;
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
	const insert = 'insert into schema_migrations values (1, 1)';
	t.is(await syncsOf(() => execute(knex, insert)), 1);
	t.is(await syncsOf(() => queryRows(knex, `${insert} returning *`)), 1);
	t.is(await syncsOf(() => execute(knex, insert, [], 'unsynced')), 0);
	t.is(await syncsOf(() => queryRows(knex, 'select 1')), 0);
	const twice = (transaction: Pick<typeof knex, 'raw'>) =>
		transaction.raw(insert).then(() => transaction.raw('select 1'));
	t.is(await syncsOf(() => transact(database, twice)), 1);
	t.is(await syncsOf(() => transactPlainly(database, (each) => execute(each, insert))), 1);
	t.is(await syncsOf(() => transactUnsynced(database, (each) => execute(each, insert))), 0);
	t.true(existsSync(`${file}-wal`));
});
