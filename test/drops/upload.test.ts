import test from 'ava';
import fc from 'fast-check';
import { createSpool, openSpool, openUnfinishedSpool } from '../../src/drops/spool.ts';
import { isUlid, makeUlid, ulidTimeMs } from '../../src/drops/ulid.ts';
import { Upload, UploadError } from '../../src/drops/upload.ts';
import { inFolder, openTestRooms } from '../helpers/drop-rooms.ts';

const CONTENT = Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * 31 + (i >> 8)) & 0xff));

test('however a file is cut, shuffled and repeated within the bound, it arrives as it was', async (t) => {
	const rooms = await openTestRooms(t);
	const open = async () => {
		const id = makeUlid(Date.now());
		const writer = await createSpool(rooms, inFolder(id));
		const openStored = () => openUnfinishedSpool(rooms, inFolder(id));
		const file = { blob_id: id, modified_at: 0 } as never;
		return { id, upload: new Upload({ file, writer, maxBytes: Number.MAX_SAFE_INTEGER, openStored }) };
	};
	const cuts = fc.uniqueArray(fc.nat(CONTENT.length), { maxLength: 20 });
	await fc.assert(
		fc.asyncProperty(cuts, fc.infiniteStream(fc.nat()), async (places, order) => {
			const edges = [0, ...places.sort((a, b) => a - b), CONTENT.length];
			const pieces = edges.slice(1).map((end, i) => [edges[i], end] as const);
			// One piece comes twice, one overlaps two others, and all of them come in any order.
			if (pieces.length > 2) pieces.push(pieces[1], [edges[1], edges[3]]);
			const shuffled = pieces.map((piece) => ({ piece, key: order.next().value })).sort((a, b) => a.key - b.key);
			const { id, upload } = await open();
			await Promise.all(
				shuffled.map(({ piece: [from, to] }) => upload.write(from, Buffer.from(CONTENT.subarray(from, to)))),
			);
			if ((await upload.finish(async (size) => size)) !== CONTENT.length) throw new Error('wrong size');
			const reader = await openSpool(rooms, inFolder(id));
			if (!(await reader.read(0, CONTENT.length + 1)).equals(CONTENT)) throw new Error('other bytes');
			await reader.close();
			await rooms.blobs.remove(id);
		}),
		{ numRuns: 40 },
	);
	t.pass();
});

test('after it was superseded an upload takes nothing and finishes nothing', async (t) => {
	const rooms = await openTestRooms(t);
	for (const keep of [true, false]) {
		const id = makeUlid(Date.now());
		const writer = await createSpool(rooms, inFolder(id));
		const file = { blob_id: id, modified_at: 0 } as never;
		const upload = new Upload({
			file,
			writer,
			maxBytes: 100,
			openStored: () => openUnfinishedSpool(rooms, inFolder(id)),
		});
		const written = upload.write(0, Buffer.from('kept'));
		const kept = await upload.supersede(keep);
		if (keep) await written;
		else await t.throwsAsync(written, { instanceOf: UploadError });
		t.is(kept, keep ? 4 : undefined);
		await t.throwsAsync(upload.write(4, Buffer.from('x')), { instanceOf: UploadError, message: /taken over/ });
		await t.throwsAsync(
			upload.finish(async (size) => size),
			{ instanceOf: UploadError },
		);
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
