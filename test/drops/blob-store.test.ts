// Checks that every store of blobs keeps the contract of `BlobStore`.

import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { BlobStore } from '../../src/base/blobs/blob-store.ts';
import { diskBlobStore } from '../../src/base/blobs/disk.ts';
import { MOST_ROW_BYTES, smallBlobStore, writeHeld } from '../../src/base/blobs/small-blobs.ts';
import { type Dialect, transact } from '../../src/base/database/dialect.ts';
import { makeUlid } from '../../src/base/database/ulid.ts';
import { testBlobContract } from '../helpers/blob-contract.ts';
import { databases, openTestDatabase } from '../helpers/database.ts';
import { collect, makeFolder } from '../helpers/file-parts.ts';

const stores: Record<string, (t: ExecutionContext) => Promise<BlobStore>> = {
	disk: async (t) => diskBlobStore(join(makeFolder(t), 'not', 'there', 'yet')),
	...Object.fromEntries(databases.map((dialect) => [`rows (${dialect})`, (t) => openSmall(t, dialect)])),
};

async function openSmall(t: ExecutionContext, dialect: Dialect): Promise<BlobStore> {
	return smallBlobStore(await openTestDatabase(t, dialect), diskBlobStore(join(makeFolder(t), 'drops')));
}

for (const [name, open] of Object.entries(stores)) testBlobContract(name, open);

test('folders and files on disk are for their owner alone', async (t) => {
	const folder = makeFolder(t);
	const store = diskBlobStore(join(folder, 'drops'));
	for (let i = 0; i < 20; i++) await (await store.create(makeUlid(Date.now()))).close();
	t.is((await stat(join(folder, 'drops'))).mode & 0o777, 0o700);
	t.is((await collect(store.list())).length, 20);
});

test('disk: files leave what is reserved of it, a quarter at most, and say so before they take it', async (t) => {
	const folder = makeFolder(t);
	const { total, free } = await diskBlobStore(join(folder, 'all')).space();
	const store = diskBlobStore(join(folder, 'kept'), 1e15);
	const kept = await store.space();
	t.is(kept.total, total);
	t.true(Math.abs(kept.free - Math.max(0, free - total / 4)) < total / 100, 'others use the disk too');
	const blob = await store.create(makeUlid(Date.now()));
	const write = blob.write(Buffer.alloc(1000), 0);
	if (kept.free > 0) await t.notThrowsAsync(write);
	else await t.throwsAsync(write, { code: 'ENOSPC' });
	await blob.close();
});

test('disk: a look whether it takes files leaves nothing behind', async (t) => {
	const folder = makeFolder(t);
	const store = diskBlobStore(folder);
	await Promise.all([store.checkWritable(), store.checkWritable()]);
	t.deepEqual(readdirSync(folder), []);
	t.deepEqual(await collect(store.list()), []);
});

test('disk: a folder that takes no files is told', async (t) => {
	const folder = makeFolder(t);
	writeFileSync(join(folder, 'file'), '');
	await t.throwsAsync(diskBlobStore(join(folder, 'file')).checkWritable());
	chmodSync(folder, 0o500);
	// The mode of a folder does not keep root out.
	if (process.getuid?.() === 0) await t.notThrowsAsync(diskBlobStore(folder).checkWritable());
	else await t.throwsAsync(diskBlobStore(folder).checkWritable(), { code: 'EACCES' });
	chmodSync(folder, 0o700);
});

for (const dialect of databases) {
	test(`rows (${dialect}): a blob that grows becomes a file, with all its bytes, and its row goes`, async (t) => {
		const database = await openTestDatabase(t, dialect);
		const folder = join(makeFolder(t), 'drops');
		const store = smallBlobStore(database, diskBlobStore(folder));
		const id = makeUlid(Date.now());
		const bytes = Buffer.from(Array.from({ length: MOST_ROW_BYTES + 100 }, (_, n) => n & 0xff));
		const read = async () => {
			const reader = await store.openRead(id);
			const target = Buffer.alloc(reader.size);
			await reader.read(target, 0);
			await reader.close();
			return target;
		};
		const blob = await store.create(id);
		await blob.write(bytes.subarray(0, 1000), 0);
		await blob.sync();
		t.is(Number((await database.knex('small_blobs').count({ rows: '*' }).first())!.rows), 1);
		t.false(existsSync(folder));
		await store.replaceHead(id, Buffer.from('HEAD'));
		await blob.write(bytes.subarray(1000, MOST_ROW_BYTES), 1000);
		await blob.settle();
		await blob.close();
		Buffer.from('HEAD').copy(bytes);
		t.deepEqual(await read(), bytes.subarray(0, MOST_ROW_BYTES));
		const again = await store.append(id);
		// The head is replaced by another daemon, which does not see what this one holds in memory.
		await smallBlobStore(database, diskBlobStore(folder)).replaceHead(id, Buffer.from('NEW!'));
		Buffer.from('NEW!').copy(bytes);
		await again.write(bytes.subarray(MOST_ROW_BYTES), MOST_ROW_BYTES);
		await again.settle();
		await again.close();
		t.deepEqual(await read(), bytes);
		t.is(Number((await database.knex('small_blobs').count({ rows: '*' }).first())!.rows), 0);
		t.deepEqual(
			(await collect(store.list())).map((entry) => entry.id),
			[id],
		);
		await store.remove(id);
		t.deepEqual(await collect(store.list()), []);
	});

	test(`rows (${dialect}): an appended row keeps a head that was replaced meanwhile`, async (t) => {
		const database = await openTestDatabase(t, dialect);
		const [ours, others] = [1, 2].map(() => smallBlobStore(database, diskBlobStore(join(makeFolder(t), 'drops'))));
		const id = makeUlid(Date.now());
		const blob = await ours.create(id);
		await blob.write(Buffer.from('0123456789'), 0);
		await blob.close();
		const appended = await ours.append(id);
		await others.replaceHead(id, Buffer.from('ab'));
		await appended.write(Buffer.from('XYZ'), 8);
		await appended.close();
		const reader = await others.openRead(id);
		const target = Buffer.alloc(reader.size);
		await reader.read(target, 0);
		t.is(target.toString(), 'ab234567XYZ');
	});
}

for (const dialect of databases) {
	test(`rows (${dialect}): blobs that are held are stored by the transaction that names them, or not at all`, async (t) => {
		const database = await openTestDatabase(t, dialect);
		const store = smallBlobStore(database, diskBlobStore(join(makeFolder(t), 'drops')));
		const held = store.holding();
		const [small, large, given] = [1, 2, 3].map((n) => makeUlid(Date.now() + n));
		for (const [id, length] of [
			[small, 100],
			[large, MOST_ROW_BYTES + 1],
			[given, 10],
		] as const) {
			const blob = await held.create(id);
			await blob.write(Buffer.alloc(length, 7), 0);
			await blob.settle();
			await blob.close();
		}
		await held.remove(given);
		const sizes = async (from: BlobStore) =>
			Object.fromEntries((await collect(from.list())).map((entry) => [entry.id, entry.size]));
		t.deepEqual(await sizes(store), { [large]: MOST_ROW_BYTES + 1 });
		const reader = await held.openRead(small);
		t.is(reader.size, 100);
		await t.throwsAsync(
			transact(database, async (transaction) => {
				await writeHeld(transaction, [held]);
				throw new Error('lost');
			}),
			{ message: 'lost' },
		);
		t.deepEqual(await sizes(store), { [large]: MOST_ROW_BYTES + 1 });
		await transact(database, (transaction) => writeHeld(transaction, [held]));
		t.deepEqual(await sizes(store), { [small]: 100, [large]: MOST_ROW_BYTES + 1 });
		const left = await transact(database, (transaction) => store.removeWithin(transaction, [small, large]));
		t.deepEqual(left, [large]);
		t.deepEqual(await sizes(store), { [large]: MOST_ROW_BYTES + 1 });
	});
}

for (const dialect of databases) {
	test(`rows (${dialect}): a blob is settled by the transaction that names it, by the next try, or when it is closed`, async (t) => {
		const database = await openTestDatabase(t, dialect);
		const store = smallBlobStore(database, diskBlobStore(join(makeFolder(t), 'drops')));
		const sizes = async () => (await collect(store.list())).map(({ size }) => size).sort((one, other) => one - other);
		const begin = async (length: number) => {
			const blob = await store.create(makeUlid(Date.now()));
			await blob.write(Buffer.alloc(length, 7), 0);
			return blob;
		};
		const lost = new Error('lost');
		const settled = await begin(100);
		await settled.prepare();
		const losing = transact(database, async (transaction) => {
			await settled.storeWithin(transaction);
			throw lost;
		});
		await t.throwsAsync(losing, { is: lost });
		t.deepEqual(await sizes(), []);
		await transact(database, (transaction) => settled.storeWithin(transaction));
		settled.stored();
		t.deepEqual(await sizes(), [100]);
		await settled.close();
		t.deepEqual(await sizes(), [100]);

		const refused = await begin(200);
		await refused.prepare();
		const refusing = transact(database, async (transaction) => {
			await refused.storeWithin(transaction);
			throw lost;
		});
		await t.throwsAsync(refusing, { is: lost });
		t.deepEqual(await sizes(), [100]);
		await refused.close();
		t.deepEqual(await sizes(), [100, 200]);

		const unnamed = await begin(300);
		await unnamed.prepare();
		await unnamed.close();
		t.deepEqual(await sizes(), [100, 200, 300]);

		const file = await begin(MOST_ROW_BYTES + 1);
		await file.prepare();
		await transact(database, (transaction) => file.storeWithin(transaction));
		file.stored();
		await file.close();
		t.deepEqual(await sizes(), [100, 200, 300, MOST_ROW_BYTES + 1]);
	});
}
