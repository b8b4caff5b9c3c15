import { randomBytes } from 'node:crypto';
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { HEADER_BYTES, parseHeader } from '../../src/base/blobs/sealed-file.ts';
import { createSpool, openSpool, resumeSpool } from '../../src/base/blobs/spool.ts';
import type { KeyId } from '../../src/base/database/ids.ts';
import { makeUlid } from '../../src/base/database/ulid.ts';
import { countFilesByKey, rewrapFiles } from '../../src/work/drops/rewrap-files.ts';
import { databases } from '../helpers/database.ts';
import { collect, type FileParts, inFolder, openFileParts } from '../helpers/file-parts.ts';

async function store(parts: FileParts, bytes: Buffer): Promise<string> {
	const id = makeUlid(Date.now());
	const writer = await createSpool(parts, inFolder(id));
	await writer.write(bytes);
	await writer.finish();
	return id;
}

async function content(parts: FileParts, id: string): Promise<Buffer> {
	const reader = await openSpool(parts, inFolder(id));
	try {
		return await reader.read(0, reader.size);
	} finally {
		await reader.close();
	}
}

async function allPaths(parts: FileParts): Promise<string[]> {
	const shards = await readdir(parts.folder);
	const names = await Promise.all(shards.map((shard) => readdir(join(parts.folder, shard))));
	return shards.flatMap((shard, at) => names[at].map((name) => join(parts.folder, shard, name)));
}

const pathOf = async (parts: FileParts, id: string) => (await allPaths(parts)).find((path) => path.endsWith(id))!;

for (const dialect of databases) {
	test(`${dialect}: after a sweep no older key wraps a file, and what the files hold was not touched`, async (t) => {
		const parts = await openFileParts(t, dialect);
		const bytes = [randomBytes(0), randomBytes(1000), randomBytes(200_000)];
		const ids = await Promise.all(bytes.map((each) => store(parts, each)));
		const bodies = await Promise.all(
			ids.map(async (id) => (await readFile(await pathOf(parts, id))).subarray(HEADER_BYTES)),
		);
		const old = await parts.keyRing.current('drop');
		const current = await parts.keyRing.rotate('drop');
		const late = await store(parts, bytes[1]);
		t.deepEqual(
			[...(await countFilesByKey(parts.blobs))].sort(),
			[
				[old.id, 3],
				[current.id, 1],
			].sort() as never,
		);
		t.deepEqual(await collect(rewrapFiles(parts)), ['moved', 'moved', 'moved']);
		t.deepEqual([...(await countFilesByKey(parts.blobs))], [[current.id, 4]]);
		t.deepEqual(await collect(rewrapFiles(parts)), []);
		for (const [at, id] of ids.entries()) {
			t.true((await content(parts, id)).equals(bytes[at]));
			t.deepEqual((await readFile(await pathOf(parts, id))).subarray(HEADER_BYTES), bodies[at]);
		}
		t.true((await content(parts, late)).equals(bytes[1]));
		t.is((await allPaths(parts)).length, 4, 'nothing is left beside the files');
	});
}

test('a sweep does not disturb who writes, reads or goes on with a file meanwhile', async (t) => {
	const parts = await openFileParts(t);
	const bytes = randomBytes(700_000);
	const finished = await store(parts, bytes);
	const reader = await openSpool(parts, inFolder(finished));
	const [early, begun, paused] = [makeUlid(1), makeUlid(2), makeUlid(3)];
	const earlyWriter = await createSpool(parts, inFolder(early));
	const writer = await createSpool(parts, inFolder(begun));
	await writer.write(bytes.subarray(0, 300_000));
	await writer.flush();
	const pausing = await createSpool(parts, inFolder(paused));
	await pausing.write(bytes.subarray(0, 100_001));
	await pausing.suspend();
	const current = await parts.keyRing.rotate('drop');
	t.deepEqual(await collect(rewrapFiles(parts)), ['moved', 'moved', 'moved']);
	await writer.write(bytes.subarray(300_000));
	await writer.finish();
	await earlyWriter.write(bytes);
	await earlyWriter.finish();
	const again = await resumeSpool(parts, inFolder(paused));
	await again.write(bytes.subarray(again.size));
	await again.finish();
	t.true((await reader.read(0, reader.size)).equals(bytes));
	await reader.close();
	for (const id of [finished, early, begun, paused]) t.true((await content(parts, id)).equals(bytes));
	// The header of one file was still in memory during the sweep, so the next sweep moves that file.
	t.deepEqual(await collect(rewrapFiles(parts)), ['moved']);
	t.deepEqual([...(await countFilesByKey(parts.blobs))], [[current.id, 4]]);
});

test('a sweep killed at any step loses no file, and the next one leaves nothing behind', async (t) => {
	const parts = await openFileParts(t);
	const bytes = randomBytes(70_000);
	const ids = await Promise.all(Array.from({ length: HEADER_BYTES + 3 }, () => store(parts, bytes)));
	const paths = await Promise.all(ids.map((id) => pathOf(parts, id)));
	const before = await Promise.all(paths.map((path) => readFile(path)));
	const current = await parts.keyRing.rotate('drop');
	await collect(rewrapFiles(parts));
	const heads = await Promise.all(paths.map(async (path) => (await readFile(path)).subarray(0, HEADER_BYTES)));
	// Leaves a file as a kill does: all new bytes are beside it, and the first `count` of them over its beginning.
	const torn = async (at: number, count: number) => {
		await writeFile(`${paths[at]}.head`, heads[at]);
		await writeFile(paths[at], Buffer.concat([heads[at].subarray(0, count), before[at].subarray(count)]));
	};
	for (let count = 0; count <= HEADER_BYTES; count++) await torn(count, count);
	// A kill before the new bytes have their place beside the file leaves a draft, whole or not, which no reader looks for.
	const draft = `${paths[HEADER_BYTES + 1]}.head-00000000-0000-4000-8000-000000000000`;
	await writeFile(draft, heads[0].subarray(0, 10));
	await writeFile(paths[HEADER_BYTES + 1], before[HEADER_BYTES + 1]);
	await utimes(draft, 1, 1);
	// One file is removed, but its new bytes are still there.
	await parts.blobs.remove(ids[HEADER_BYTES + 2]);
	await writeFile(`${paths[HEADER_BYTES + 2]}.head`, heads[HEADER_BYTES + 2]);

	for (let count = 0; count <= HEADER_BYTES; count += 2)
		t.true((await content(parts, ids[count])).equals(bytes), `${count}`);
	const outcomes = await collect(rewrapFiles(parts));
	t.false(outcomes.includes('damaged'));
	for (const id of ids.slice(0, -1)) t.true((await content(parts, id)).equals(bytes));
	t.deepEqual([...(await countFilesByKey(parts.blobs))], [[current.id, ids.length - 1]]);
	t.is((await allPaths(parts)).length, ids.length - 1, 'nothing is left beside the files');
});

test('sweeps and readers at the same time, over several rotations, lose nothing', async (t) => {
	const parts = await openFileParts(t);
	const bytes = randomBytes(3_000);
	const ids = await Promise.all(Array.from({ length: 12 }, () => store(parts, bytes)));
	for (let round = 0; round < 5; round++) {
		await parts.keyRing.rotate('drop');
		const sweeps = [collect(rewrapFiles(parts)), collect(rewrapFiles(parts)), collect(rewrapFiles(parts))];
		for (let i = 0; i < 5; i++) for (const id of ids) t.true((await content(parts, id)).equals(bytes));
		t.false((await Promise.all(sweeps)).flat().includes('damaged'));
	}
	const { id } = await parts.keyRing.current('drop');
	t.deepEqual([...(await countFilesByKey(parts.blobs))], [[id, 12]]);
	t.is((await allPaths(parts)).length, 12);
});

test('a sweep that has not seen the newest key yet moves nothing back from it', async (t) => {
	const parts = await openFileParts(t);
	const old = await parts.keyRing.current('drop');
	await store(parts, randomBytes(10));
	await parts.keyRing.rotate('drop');
	t.deepEqual(await collect(rewrapFiles(parts)), ['moved']);
	t.deepEqual(await collect(rewrapFiles({ ...parts, keyRing: { ...parts.keyRing, current: async () => old } })), []);
});

test('a damaged file and one whose key is gone are counted, and the others go on', async (t) => {
	const parts = await openFileParts(t);
	const bytes = randomBytes(3_000);
	const [damaged, foreign, sound] = await Promise.all([bytes, bytes, bytes].map((each) => store(parts, each)));
	const change = async (id: string, alter: (file: Buffer) => void) => {
		const path = await pathOf(parts, id);
		const file = await readFile(path);
		alter(file);
		await writeFile(path, file);
	};
	const current = await parts.keyRing.rotate('drop');
	await change(damaged, (file) => void (file[40] ^= 1));
	await change(foreign, (file) => void file.writeUInt32BE(0, 8));
	t.deepEqual((await collect(rewrapFiles(parts))).sort(), ['damaged', 'damaged', 'moved']);
	t.is(parseHeader(sound, await readFile(await pathOf(parts, sound))).keyId as KeyId, current.id);
	t.true((await content(parts, sound)).equals(bytes));
});
