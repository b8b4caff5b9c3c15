// What every store of blobs promises. Each store runs all of it.

import test, { type ExecutionContext, type TestFn } from 'ava';
import { BlobMissingError, type BlobStore } from '../../src/base/blobs/blob-store.ts';
import { FRAME_BYTES } from '../../src/base/blobs/sealed-file.ts';
import {
	createSpool,
	openSpool,
	openUnfinishedSpool,
	repairSpool,
	resumeSpool,
	shortenSpool,
} from '../../src/base/blobs/spool.ts';
import { makeUlid } from '../../src/base/database/ulid.ts';
import { openBegunDatabase } from './begun-database.ts';
import { collect, inFolder } from './file-parts.ts';

type Open = (t: ExecutionContext) => Promise<BlobStore>;

/** Declares the tests of the contract for a store. `open` opens an empty one. */
export function testBlobContract(name: string, open: Open, declare: TestFn<unknown> = test): void {
	declare(`${name}: what is written is read, at any place, also while it grows`, async (t) => {
		const store = await open(t as ExecutionContext);
		const id = makeUlid(Date.now());
		const blob = await store.create(id);
		await blob.write(Buffer.from('0123456789'), 0);
		const early = await store.openRead(id);
		t.is(early.size, 10);
		await blob.write(Buffer.from('abc'), 8);
		await blob.sync();
		await blob.close();
		await blob.close();
		const target = Buffer.alloc(6);
		t.is(await early.read(target, 7), 4);
		t.is(target.toString('latin1', 0, 4), '7abc');
		t.is(await early.read(target, 100), 0);
		await early.close();
		const again = await store.append(id);
		t.is(again.size, 11);
		await again.truncate(3);
		await again.close();
		const reader = await store.openRead(id);
		t.is(reader.size, 3);
		await reader.close();
		await reader.close();
	});

	declare(`${name}: ids are taken once, missing blobs are told apart, removing twice is no error`, async (t) => {
		const store = await open(t as ExecutionContext);
		const id = makeUlid(Date.now());
		t.deepEqual(await collect(store.list()), []);
		await (await store.create(id)).close();
		await t.throwsAsync(store.create(id).then((again) => again.close()));
		const [entry] = await collect(store.list());
		t.like(entry, { id, size: 0 });
		t.true(Math.abs(entry.modifiedAtMs - Date.now()) < 60_000);
		await store.remove(id);
		await store.remove(id);
		await t.throwsAsync(store.openRead(id), { instanceOf: BlobMissingError });
		await t.throwsAsync(store.append(id), { instanceOf: BlobMissingError });
		t.deepEqual(await collect(store.list()), []);
		const { total, free } = await store.space();
		t.true(total >= free && free > 0);
		await t.notThrowsAsync(store.checkWritable());
	});

	declare(`${name}: the head of a blob is replaced, the rest stays, also under whoever appends to it`, async (t) => {
		const store = await open(t as ExecutionContext);
		const id = makeUlid(Date.now());
		await t.throwsAsync(store.replaceHead(id, Buffer.from('AB')), { instanceOf: BlobMissingError });
		const blob = await store.create(id);
		await blob.write(Buffer.from('0123'), 0);
		await Promise.all(['AB', 'CD', 'EF'].map((head) => store.replaceHead(id, Buffer.from(head))));
		await store.replaceHead(id, Buffer.from('ab'));
		await blob.write(Buffer.from('45'), 4);
		await blob.close();
		const reader = await store.openRead(id);
		const target = Buffer.alloc(6);
		t.is(await reader.read(target, 0), 6);
		t.is(target.toString(), 'ab2345');
		await reader.close();
		await store.finishHead(id);
		await store.finishHeads();
		t.deepEqual(
			(await collect(store.list())).map((entry) => entry.id),
			[id],
		);
	});

	declare(`${name}: a head that is cut off or written over is gone`, async (t) => {
		const store = await open(t as ExecutionContext);
		const id = makeUlid(Date.now());
		const blob = await store.create(id);
		await blob.write(Buffer.from('01234567'), 0);
		await blob.close();
		await store.replaceHead(id, Buffer.from('abcd'));
		const again = await store.append(id);
		await again.truncate(3);
		await again.write(Buffer.from('XYZ'), 2);
		await again.close();
		const reader = await store.openRead(id);
		const target = Buffer.alloc(10);
		t.is(await reader.read(target, 0), 5);
		t.is(target.toString('latin1', 0, 5), 'abXYZ');
		await reader.close();
	});

	declare(`${name}: whoever reads a blob goes on when it is removed, and nobody finds it any more`, async (t) => {
		const store = await open(t as ExecutionContext);
		const id = makeUlid(Date.now());
		const bytes = Buffer.alloc(200_000, 'removed');
		const blob = await store.create(id);
		await blob.write(bytes, 0);
		await blob.close();
		const [one, other] = [await store.openRead(id), await store.openRead(id)];
		await store.remove(id);
		await t.throwsAsync(store.openRead(id), { instanceOf: BlobMissingError });
		t.deepEqual(await collect(store.list()), []);
		await one.close();
		const target = Buffer.alloc(bytes.length);
		t.is(await other.read(target, 0), bytes.length);
		t.true(target.equals(bytes));
		await other.close();
		t.deepEqual(await collect(store.list()), []);
	});

	declare(`${name}: a blob that is removed while it is written is not stored again`, async (t) => {
		const store = await open(t as ExecutionContext);
		const id = makeUlid(Date.now());
		const blob = await store.create(id);
		await blob.write(Buffer.alloc(1000), 0);
		await store.remove(id);
		await blob.write(Buffer.alloc(1000), 1000);
		await blob.close();
		t.deepEqual(await collect(store.list()), []);
	});

	declare(`${name}: a blob of many megabytes is read anywhere, cut and continued`, async (t) => {
		const store = await open(t as ExecutionContext);
		const id = makeUlid(Date.now());
		const size = 17 * 1024 * 1024 + 77;
		const bytes = Buffer.alloc(size);
		for (let at = 0; at + 4 <= size; at += 4) bytes.writeUInt32LE((at * 2_654_435_761) >>> 0, at);
		const step = 700_001;
		const write = async (blob: Awaited<ReturnType<BlobStore['create']>>, from: number, to: number) => {
			for (let at = from; at < to; at += step) await blob.write(bytes.subarray(at, Math.min(to, at + step)), at);
		};
		const check = async (from: number, length: number) => {
			const reader = await store.openRead(id);
			const target = Buffer.alloc(length);
			const read = await reader.read(target, from);
			await reader.close();
			return { size: reader.size, isSame: target.subarray(0, read).equals(bytes.subarray(from, from + read)), read };
		};
		const blob = await store.create(id);
		await write(blob, 0, 12_000_000);
		t.deepEqual(await check(11_000_000, 2_000_000), { size: 12_000_000, isSame: true, read: 1_000_000 });
		await write(blob, 11_500_000, size);
		await blob.settle();
		await blob.close();
		t.deepEqual(await check(0, size + 1), { size, isSame: true, read: size });
		t.deepEqual(await check(5_242_879, 3), { size, isSame: true, read: 3 });
		const again = await store.append(id);
		t.is(again.size, size);
		await again.truncate(6_000_000);
		await again.sync();
		t.deepEqual(await check(4_000_000, 9_000_000), { size: 6_000_000, isSame: true, read: 2_000_000 });
		await write(again, 6_000_000, size);
		await again.truncate(17_000_000);
		await again.close();
		t.deepEqual(await check(0, size), { size: 17_000_000, isSame: true, read: 17_000_000 });
		t.like((await collect(store.list()))[0], { id, size: 17_000_000 });
		await store.remove(id);
		t.deepEqual(await collect(store.list()), []);
	});

	declare(
		`${name}: a sealed file is read while it grows, resumed, shortened, repaired and read at an offset`,
		async (t) => {
			const { keyRing } = await openBegunDatabase(t as ExecutionContext, 'sqlite');
			const spool = { blobs: await open(t as ExecutionContext), keyRing };
			const file = inFolder(makeUlid(Date.now()));
			const bytes = Buffer.alloc(7 * 1024 * 1024 + 123, 'sealed bytes of a file ');
			const writer = await createSpool(spool, file);
			await writer.write(bytes.subarray(0, 1_000_000));
			await writer.flush();
			const growing = await openUnfinishedSpool(spool, file);
			t.true((await growing.read(900_000, 200_000)).equals(bytes.subarray(900_000, 1_000_000)));
			await growing.close();
			await writer.write(bytes.subarray(1_000_000, 6_000_000));
			await writer.suspend();
			const shortened = await shortenSpool(spool, file, 5_500_000);
			await shortened.suspend();
			t.is(await repairSpool(spool, file), 5_500_000);
			const resumed = await resumeSpool(spool, file);
			t.is(resumed.size, 5_500_000);
			await resumed.write(bytes.subarray(5_500_000));
			t.is(await resumed.finish(), bytes.length);
			const reader = await openSpool(spool, file);
			t.is(reader.size, bytes.length);
			t.true(
				(await reader.read(5 * FRAME_BYTES - 1, 2)).equals(bytes.subarray(5 * FRAME_BYTES - 1, 5 * FRAME_BYTES + 1)),
			);
			const chunks: Buffer[] = [];
			for await (const chunk of reader.stream()) chunks.push(chunk);
			t.true(Buffer.concat(chunks).equals(bytes));
			await reader.close();
		},
	);

	declare(`${name}: nothing but an id names a blob`, async (t) => {
		const store = await open(t as ExecutionContext);
		for (const id of ['../../etc/passwd', 'may.csv', '']) await t.throwsAsync(async () => store.openRead(id));
	});
}
