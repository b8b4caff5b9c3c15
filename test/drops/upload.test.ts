import test from 'ava';
import fc from 'fast-check';
import { createSpool, openSpool, openUnfinishedSpool, shortenSpool } from '../../src/base/blobs/spool.ts';
import { isUlid, makeUlid, ulidTimeMs } from '../../src/base/database/ulid.ts';
import { Upload, UploadError } from '../../src/work/drops/upload.ts';
import { type FileParts, inFolder, openFileParts } from '../helpers/file-parts.ts';
import { sealAlone } from '../helpers/seal-alone.ts';

const CONTENT = Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * 31 + (i >> 8)) & 0xff));

/** Opens an upload of a new file. */
async function openUpload(parts: FileParts, maxBytes = Number.MAX_SAFE_INTEGER) {
	const id = makeUlid(Date.now());
	const writer = await createSpool(parts, inFolder(id));
	const openStored = () => openUnfinishedSpool(parts, inFolder(id));
	const shorten = (size: number) => shortenSpool(parts, inFolder(id), size);
	const file = { blob_id: id, modified_at: 0 } as never;
	return { id, upload: new Upload({ file, writer, maxBytes, openStored, shorten }) };
}

test('however a file is cut, shuffled and repeated within the bound, it arrives as it was', async (t) => {
	const parts = await openFileParts(t);
	const cuts = fc.uniqueArray(fc.nat(CONTENT.length), { maxLength: 20 });
	await fc.assert(
		fc.asyncProperty(cuts, fc.infiniteStream(fc.nat()), async (places, order) => {
			const edges = [0, ...places.sort((a, b) => a - b), CONTENT.length];
			const pieces = edges.slice(1).map((end, i) => [edges[i], end] as const);
			// One piece comes twice, one overlaps two others, and all of them come in any order.
			if (pieces.length > 2) pieces.push(pieces[1], [edges[1], edges[3]]);
			const shuffled = pieces.map((piece) => ({ piece, key: order.next().value })).sort((a, b) => a.key - b.key);
			const { id, upload } = await openUpload(parts);
			await Promise.all(
				shuffled.map(({ piece: [from, to] }) => upload.write(from, Buffer.from(CONTENT.subarray(from, to)))),
			);
			if ((await sealAlone(upload)) !== CONTENT.length) throw new Error('wrong size');
			const reader = await openSpool(parts, inFolder(id));
			if (!(await reader.read(0, CONTENT.length + 1)).equals(CONTENT)) throw new Error('other bytes');
			await reader.close();
			await parts.blobs.remove(id);
		}),
		{ numRuns: 40 },
	);
	t.pass();
});

test('an upload that is shortened and written on, again and again, is what a file in memory would be', async (t) => {
	const parts = await openFileParts(t);
	const step = fc.record({ keep: fc.double({ min: 0, max: 1, noNaN: true }), add: fc.nat(150_000), ahead: fc.nat(9) });
	await fc.assert(
		fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
			const { id, upload } = await openUpload(parts);
			let expected = Buffer.alloc(0);
			for (const [nth, { keep, add, ahead }] of steps.entries()) {
				const size = Math.floor(expected.length * keep);
				// A piece that came before those between is dropped or cut as well.
				if (ahead > 0) await upload.write(expected.length + ahead, Buffer.alloc(10, 0xff));
				await upload.truncate(size);
				if (upload.size !== size || upload.reach !== size) throw new Error(`${upload.size}, not ${size}`);
				const bytes = Buffer.from(CONTENT.map((byte) => byte + nth).subarray(0, add));
				await upload.write(size, bytes);
				expected = Buffer.concat([expected.subarray(0, size), bytes]);
			}
			await sealAlone(upload);
			const reader = await openSpool(parts, inFolder(id));
			if (!(await reader.read(0, expected.length + 1)).equals(expected)) throw new Error('other bytes');
			await reader.close();
			await parts.blobs.remove(id);
		}),
		{ numRuns: 40 },
	);
	const { upload } = await openUpload(parts);
	await upload.write(0, Buffer.from('0123456789'));
	await upload.write(20, Buffer.from('later'));
	await t.throwsAsync(upload.truncate(26), { instanceOf: UploadError, message: /it has 25 bytes, not 26/ });
	await upload.truncate(22);
	await upload.write(10, Buffer.from('abcdefghij'));
	t.deepEqual(await upload.read(0, 100), Buffer.from('0123456789abcdefghijla'));
});

test('after it was superseded an upload takes nothing and finishes nothing', async (t) => {
	const parts = await openFileParts(t);
	for (const keep of [true, false]) {
		const { upload } = await openUpload(parts, 100);
		const written = upload.write(0, Buffer.from('kept'));
		const kept = await upload.supersede(keep);
		if (keep) await written;
		else await t.throwsAsync(written, { instanceOf: UploadError });
		t.is(kept, keep ? 4 : undefined);
		await t.throwsAsync(upload.write(4, Buffer.from('x')), { instanceOf: UploadError, message: /taken over/ });
		await t.throwsAsync(sealAlone(upload), { instanceOf: UploadError });
	}
});

test('ids sort by the order of their making and tell when that was', (t) => {
	const ids = Array.from({ length: 5_000 }, () => makeUlid(Date.now()));
	t.deepEqual([...ids].sort(), ids);
	t.is(new Set(ids).size, ids.length);
	t.true(ids.every(isUlid));
	t.true(Math.abs(ulidTimeMs(ids[0]) - Date.now()) < 60_000);
	t.false(isUlid('../../../etc/passwd'));
});
