import { randomBytes } from 'node:crypto';
import test from 'ava';
import type { BlobStore } from '../../src/base/blobs/blob-store.ts';
import { openSpool, writeSpool } from '../../src/base/blobs/spool.ts';
import type { SpoolReader } from '../../src/base/blobs/spool-reader.ts';
import { makeUlid } from '../../src/base/database/ulid.ts';
import { giveBack } from '../../src/base/threads/buffer-memory.ts';
import { inFolder, openFileParts } from '../helpers/file-parts.ts';

const megabyte = 1024 * 1024;
const pieceBytes = 200_000;

async function opened(blobs: BlobStore, id: string) {
	const blob = await blobs.openRead(id);
	return {
		size: blob.size,
		read: (...range: Parameters<typeof blob.read>) => blob.read(...range),
		close: () => blob.close(),
	};
}

test.serial('sixty files that are read at once come as they are, and keep half a megabyte each', async (t) => {
	const parts = await openFileParts(t);
	const content = randomBytes(3 * megabyte + 7);
	const id = makeUlid(Date.now());
	await writeSpool(parts, inFolder(id), (writer) => writer.write(content));
	const readers: SpoolReader[] = await Promise.all(Array.from({ length: 60 }, () => openSpool(parts, inFolder(id))));
	const before = process.memoryUsage().arrayBuffers;
	let most = 0;
	for (let at = 0; at < content.length; at += pieceBytes) {
		for (const reader of readers) {
			const piece = await reader.read(at, pieceBytes);
			if (!piece.equals(content.subarray(at, at + pieceBytes))) t.fail(`other bytes at ${at}`);
			giveBack(piece);
			most = Math.max(most, process.memoryUsage().arrayBuffers - before);
		}
	}
	await Promise.all(readers.map((reader) => reader.close()));
	t.true(most < 50 * megabyte, `${most} bytes`);
	await t.throwsAsync(readers[0].read(0, 1), { message: /closed/ });
});

test.serial('a reader alone reads ahead again, after many were closed', async (t) => {
	const parts = await openFileParts(t);
	const id = makeUlid(Date.now());
	await writeSpool(parts, inFolder(id), (writer) => writer.write(Buffer.alloc(3 * megabyte, 1)));
	const many = await Promise.all(Array.from({ length: 40 }, () => openSpool(parts, inFolder(id))));
	for (const reader of many) await reader.read(0, 1);
	for (const reader of many) await reader.close();
	let reads = 0;
	const blobs: BlobStore = Object.create(parts.blobs);
	blobs.openRead = async (blob) => {
		const { size, ...rest } = await opened(parts.blobs, blob);
		const read: typeof rest.read = (...range) => {
			reads += 1;
			return rest.read(...range);
		};
		return { size, close: rest.close, read };
	};
	const reader = await openSpool({ ...parts, blobs }, inFolder(id));
	const atOpening = reads;
	await reader.read(0, 1);
	t.is(reads - atOpening, 2);
	await reader.close();
});
