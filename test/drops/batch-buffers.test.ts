import { randomBytes } from 'node:crypto';
import test from 'ava';
import { FRAME_BYTES } from '../../src/base/blobs/sealed-file.ts';
import { createSpool, openSpool, resumeSpool } from '../../src/base/blobs/spool.ts';
import { putBatch, takeBatch } from '../../src/base/blobs/spool-writer.ts';
import { makeUlid } from '../../src/base/database/ulid.ts';
import { inFolder, openFileParts } from '../helpers/file-parts.ts';

const sizeOf = (batches: readonly Buffer[]) => batches.reduce((bytes, { length }) => bytes + length, 0);

test('the buffers of fifty files are large for a few of them, and large again for a few later', (t) => {
	const batches = Array.from({ length: 100 }, takeBatch);
	t.true(sizeOf(batches) < 20 * 1024 * 1024, `${sizeOf(batches)} bytes`);
	t.true(batches.every(({ length }) => length > 2 * FRAME_BYTES));
	for (const batch of batches) putBatch(batch);
	const later = takeBatch();
	t.is(later.length, batches[0].length);
	t.true(later.length > 8 * FRAME_BYTES);
	putBatch(later);
});

test('files that are written at once arrive as they were, also when they were paused', async (t) => {
	const parts = await openFileParts(t);
	const sizes = [0, 1, FRAME_BYTES, FRAME_BYTES + 1, 2 * FRAME_BYTES, 3 * FRAME_BYTES - 1, 8 * FRAME_BYTES, 1_500_001];
	const files = Array.from({ length: 40 }, (_, n) => ({
		id: makeUlid(Date.now()),
		bytes: randomBytes(sizes[n % sizes.length]),
	}));
	// All files are begun before one of them ends.
	const writers = await Promise.all(files.map(({ id }) => createSpool(parts, inFolder(id))));
	await Promise.all(
		files.map(async ({ id, bytes }, n) => {
			const half = Math.floor(bytes.length / 2);
			await writers[n].write(bytes.subarray(0, half));
			await writers[n].suspend();
			const again = await resumeSpool(parts, inFolder(id));
			await again.write(bytes.subarray(half));
			await again.finish();
		}),
	);
	for (const { id, bytes } of files) {
		const reader = await openSpool(parts, inFolder(id));
		t.true((await reader.read(0, bytes.length + 1)).equals(bytes));
		await reader.close();
	}
});
