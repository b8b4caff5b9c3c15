import { createHash, createSecretKey, randomBytes } from 'node:crypto';
import { open, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { BlobMissingError } from '../../src/base/blobs/blob-store.ts';
import {
	DamagedFileError,
	encodeHeader,
	FILE_KEY_BYTES,
	FRAME_BYTES,
	FrameCipher,
	fileKeyLabel,
	frameOffset,
	SEALED_FRAME_BYTES,
} from '../../src/base/blobs/sealed-file.ts';
import {
	createSpool,
	openSpool,
	openUnfinishedSpool,
	repairSpool,
	resumeSpool,
	writeSpool,
} from '../../src/base/blobs/spool.ts';
import type { SpoolReader } from '../../src/base/blobs/spool-reader.ts';
import { SpoolWriter } from '../../src/base/blobs/spool-writer.ts';
import type { AccountId } from '../../src/base/database/ids.ts';
import { makeUlid } from '../../src/base/database/ulid.ts';
import { seal } from '../../src/base/keys/seal.ts';
import { AREAS } from '../../src/work/drops/drop-names.ts';
import { rewrapFiles } from '../../src/work/drops/rewrap-files.ts';
import { collect, type FileParts, inFolder, openFileParts } from '../helpers/file-parts.ts';

const MARKER = Buffer.from('4111111111111111');

function content(size: number): Buffer {
	const bytes = Buffer.alloc(size, MARKER);
	for (let at = 0; at < size; at += 997) bytes[at] = at & 0xff;
	return bytes;
}

async function write(writer: SpoolWriter, bytes: Buffer, step: number): Promise<void> {
	for (let at = 0; at < bytes.length; at += step) await writer.write(bytes.subarray(at, at + step));
}

async function store(parts: FileParts, bytes: Buffer, step = 100_000): Promise<string> {
	const id = makeUlid(Date.now());
	const writer = await createSpool(parts, inFolder(id));
	await write(writer, bytes, step);
	await writer.finish();
	return id;
}

async function readAll(reader: SpoolReader): Promise<Buffer> {
	const chunks: Buffer[] = [];
	try {
		for await (const chunk of reader.stream()) chunks.push(chunk);
	} finally {
		await reader.close();
	}
	return Buffer.concat(chunks);
}

async function pathOf(parts: FileParts, id: string): Promise<string> {
	for (const shard of await readdir(parts.folder)) {
		if ((await readdir(join(parts.folder, shard))).includes(id)) return join(parts.folder, shard, id);
	}
	throw new Error('not stored');
}

const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const SIZES = [
	0,
	1,
	FRAME_BYTES - 1,
	FRAME_BYTES,
	FRAME_BYTES + 1,
	2 * FRAME_BYTES,
	8 * FRAME_BYTES,
	8 * FRAME_BYTES + 1,
	17 * FRAME_BYTES - 1,
	17 * FRAME_BYTES,
];
const STEPS = [999, 32_768, FRAME_BYTES, FRAME_BYTES + 1, 3 * FRAME_BYTES, 20 * FRAME_BYTES];

const roundTrip = test.macro({
	title: (_, size: number) => `a file of ${size} bytes comes back whatever the size of its writes`,
	async exec(t: ExecutionContext, size: number) {
		const parts = await openFileParts(t);
		const bytes = content(size);
		for (const step of STEPS) {
			const reader = await openSpool(parts, inFolder(await store(parts, bytes, step)));
			t.is(reader.size, size);
			t.is(digest(await readAll(reader)), digest(bytes), `written in steps of ${step}`);
		}
	},
});
for (const size of SIZES) test(roundTrip, size);

const resumes = test.macro({
	title: (_, size: number) => `a file paused at ${size} bytes is gone on with`,
	async exec(t: ExecutionContext, size: number) {
		const parts = await openFileParts(t);
		const bytes = content(20 * FRAME_BYTES);
		const id = makeUlid(Date.now());
		const first = await createSpool(parts, inFolder(id));
		await write(first, bytes.subarray(0, size), 40_000);
		t.is(await first.suspend(), size);
		t.is(digest(await readAll(await openUnfinishedSpool(parts, inFolder(id)))), digest(bytes.subarray(0, size)));
		await t.throwsAsync(openSpool(parts, inFolder(id)), { instanceOf: DamagedFileError }, 'not taken for a whole file');
		const second = await resumeSpool(parts, inFolder(id));
		t.is(second.size, size);
		await write(second, bytes.subarray(size), 70_000);
		await second.finish();
		t.is(digest(await readAll(await openSpool(parts, inFolder(id)))), digest(bytes));
		const third = await resumeSpool(parts, inFolder(id));
		await third.write(MARKER);
		await third.finish();
		t.is(digest(await readAll(await openSpool(parts, inFolder(id)))), digest(Buffer.concat([bytes, MARKER])));
	},
});
for (const size of SIZES) test(resumes, size);

test('a piece of a file is wiped and freed as soon as the next one is requested, or when its reader stops', async (t) => {
	const parts = await openFileParts(t);
	const bytes = content(5 * FRAME_BYTES + 100_000);
	const id = await store(parts, bytes);
	const reader = await openSpool(parts, inFolder(id));
	const hash = createHash('sha256');
	let before: Buffer | undefined;
	for await (const piece of reader.pieces()) {
		if (before) t.is(before.length, 0);
		hash.update(piece);
		before = piece;
	}
	t.is(hash.digest('hex'), digest(bytes));
	let last: Buffer | undefined;
	for await (const piece of reader.pieces()) {
		last = piece;
		break;
	}
	t.is(last?.length, 0);
	await reader.close();
});

test('any range reads as it was written, also out of order and at once', async (t) => {
	const parts = await openFileParts(t);
	const bytes = content(11 * FRAME_BYTES + 77);
	const reader = await openSpool(parts, inFolder(await store(parts, bytes)));
	const range = fc.tuple(fc.nat(bytes.length + 10), fc.nat(3 * FRAME_BYTES));
	await fc.assert(
		fc.asyncProperty(fc.array(range, { maxLength: 12 }), async (ranges) => {
			const parts = await Promise.all(ranges.map(([offset, length]) => reader.read(offset, length)));
			for (const [i, [offset, length]] of ranges.entries()) {
				if (!parts[i].equals(bytes.subarray(offset, offset + length))) throw new Error(`${offset}+${length}`);
			}
		}),
		{ numRuns: 60 },
	);
	await reader.close();
	t.pass();
});

test('an unfinished file is readable up to its last flush while it is written', async (t) => {
	const parts = await openFileParts(t);
	const id = makeUlid(Date.now());
	const writer = await createSpool(parts, inFolder(id));
	const bytes = content(FRAME_BYTES + 10);
	for (const end of [5, 10, FRAME_BYTES, bytes.length]) {
		await writer.write(bytes.subarray(writer.size, end));
		await writer.flush();
		t.true((await readAll(await openUnfinishedSpool(parts, inFolder(id)))).equals(bytes.subarray(0, end)));
	}
	await writer.finish();
	t.true((await readAll(await openSpool(parts, inFolder(id)))).equals(bytes));
});

test('no clear byte reaches the disk', async (t) => {
	const parts = await openFileParts(t);
	const id = await store(parts, Buffer.alloc(3 * FRAME_BYTES, MARKER));
	const stored = await readFile(await pathOf(parts, id));
	t.true(stored.length > 3 * FRAME_BYTES);
	for (let i = 0; i < MARKER.length - 3; i++)
		t.is(stored.indexOf(Buffer.concat([MARKER, MARKER]).subarray(i, i + 8)), -1);
});

type Damage = (stored: Buffer) => Buffer;
const frame = (stored: Buffer, index: number) => stored.subarray(frameOffset(index), frameOffset(index + 1));
const damages: Record<string, Damage> = {
	'a flipped bit in the header': (stored) => flip(stored, 20),
	'another key id': (stored) => flip(stored, 11),
	'a flipped bit in a nonce': (stored) => flip(stored, frameOffset(1) + 2),
	'a flipped bit in a frame': (stored) => flip(stored, frameOffset(2) + 5000),
	'a flipped bit in a tag': (stored) => flip(stored, frameOffset(1) - 1),
	'a missing last byte': (stored) => stored.subarray(0, -1),
	'a cut at the edge of a frame': (stored) => stored.subarray(0, frameOffset(3)),
	'a cut in the middle of a frame': (stored) => stored.subarray(0, frameOffset(2) + 100),
	'a cut in a tag': (stored) => stored.subarray(0, frameOffset(2) + 20),
	'a cut in the header': (stored) => stored.subarray(0, 50),
	'no bytes at all': () => Buffer.alloc(0),
	'two frames swapped': (stored) =>
		Buffer.concat([
			stored.subarray(0, frameOffset(0)),
			frame(stored, 1),
			frame(stored, 0),
			stored.subarray(frameOffset(2)),
		]),
	'a frame left out': (stored) => Buffer.concat([stored.subarray(0, frameOffset(1)), stored.subarray(frameOffset(2))]),
	'a frame twice': (stored) => Buffer.concat([stored.subarray(0, frameOffset(2)), stored.subarray(frameOffset(1))]),
	'a byte too many': (stored) => Buffer.concat([stored, Buffer.alloc(1)]),
};

function flip(stored: Buffer, at: number): Buffer {
	const copy = Buffer.from(stored);
	copy[at] ^= 1;
	return copy;
}

const detects = test.macro({
	title: (_, name: string) => `detected: ${name}`,
	async exec(t: ExecutionContext, name: string) {
		const parts = await openFileParts(t);
		const id = await store(parts, content(4 * FRAME_BYTES - 500));
		const path = await pathOf(parts, id);
		await writeFile(path, damages[name](await readFile(path)));
		const error = await t.throwsAsync(async () => readAll(await openSpool(parts, inFolder(id))));
		t.true(error instanceof DamagedFileError || error?.name === 'RootKeyError', String(error));
	},
});
for (const name of Object.keys(damages)) test(detects, name);

test('a sealed file under the name of another one does not open', async (t) => {
	const parts = await openFileParts(t);
	const one = await store(parts, content(100));
	const other = await store(parts, content(100));
	await writeFile(await pathOf(parts, one), await readFile(await pathOf(parts, other)));
	await t.throwsAsync(openSpool(parts, inFolder(one)), { instanceOf: DamagedFileError });
});

test('frames of one file do not open in another one', async (t) => {
	const parts = await openFileParts(t);
	const bytes = content(3 * FRAME_BYTES);
	const [one, other] = [await store(parts, bytes), await store(parts, bytes)];
	const path = await pathOf(parts, one);
	const stored = await readFile(path);
	frame(await readFile(await pathOf(parts, other)), 1).copy(stored, frameOffset(1));
	await writeFile(path, stored);
	await t.throwsAsync(async () => readAll(await openSpool(parts, inFolder(one))), { instanceOf: DamagedFileError });
});

test('a file whose writer died is cut to its intact beginning', async (t) => {
	const parts = await openFileParts(t);
	const bytes = content(12 * FRAME_BYTES + 300);
	const cases: [number, (path: string) => Promise<void>][] = [
		[bytes.length, async () => {}],
		[12 * FRAME_BYTES, (path) => truncate(path, frameOffset(12) + 200)],
		[12 * FRAME_BYTES, (path) => truncate(path, frameOffset(12) + 20)],
		[3 * FRAME_BYTES, (path) => zeroes(path, frameOffset(3), SEALED_FRAME_BYTES)],
		[0, (path) => truncate(path, 30)],
		[0, (path) => truncate(path, 0)],
	];
	for (const [expected, damage] of cases) {
		const id = makeUlid(Date.now());
		const writer = await createSpool(parts, inFolder(id));
		await write(writer, bytes, 50_000);
		await writer.suspend();
		await damage(await pathOf(parts, id));
		t.is(await repairSpool(parts, inFolder(id)), expected);
		if (expected === 0) continue;
		const again = await resumeSpool(parts, inFolder(id));
		t.is(again.size, expected);
		await again.write(bytes.subarray(expected));
		await again.finish();
		t.is(digest(await readAll(await openSpool(parts, inFolder(id)))), digest(bytes));
	}
});

async function zeroes(path: string, from: number, length: number): Promise<void> {
	const file = await open(path, 'r+');
	await file.write(Buffer.alloc(length), 0, length, from);
	await file.close();
}

test('a failed write fails every later call alike, and finish too', async (t) => {
	const parts = await openFileParts(t);
	const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
	let writes = 0;
	const blobs = {
		...parts.blobs,
		create: async (id: string) => {
			const blob = await parts.blobs.create(id);
			const failing = async (bytes: Uint8Array, position: number) => {
				if (++writes > 1) throw full;
				await blob.write(bytes, position);
			};
			return {
				size: 0,
				write: failing,
				truncate: blob.truncate.bind(blob),
				sync: () => blob.sync(),
				settle: () => blob.settle(),
				prepare: () => blob.prepare(),
				storeWithin: (transaction: Parameters<typeof blob.storeWithin>[0]) => blob.storeWithin(transaction),
				stored: () => blob.stored(),
				close: () => blob.close(),
			};
		},
	};
	const writer = await createSpool({ blobs, keyRing: parts.keyRing }, inFolder(makeUlid(Date.now())));
	await t.throwsAsync(write(writer, content(60 * FRAME_BYTES), 100_000), { is: full });
	await t.throwsAsync(writer.write(MARKER), { is: full });
	await t.throwsAsync(writer.finish(), { is: full });
	await writer.discard();
});

test('a file that is not there is told apart from one that is damaged', async (t) => {
	const parts = await openFileParts(t);
	await t.throwsAsync(openSpool(parts, inFolder(makeUlid(1))), { instanceOf: BlobMissingError });
	await parts.blobs.remove(makeUlid(1));
	t.true((await parts.blobs.space()).free > 0);
});

test('files sealed before a rotation of the drop key open after it', async (t) => {
	const parts = await openFileParts(t);
	const bytes = randomBytes(1000);
	const before = await store(parts, bytes);
	await parts.keyRing.rotate('drop');
	const after = await store(parts, bytes);
	t.true((await readAll(await openSpool(parts, inFolder(before)))).equals(bytes));
	t.true((await readAll(await openSpool(parts, inFolder(after)))).equals(bytes));
});

const folders = fc.record(
	{
		accountId: fc.integer({ min: 1, max: 20 }) as fc.Arbitrary<AccountId & number>,
		area: fc.constantFrom(...AREAS),
		filter: fc.oneof(fc.constantFrom('GBT', 'CSV', ''), fc.string()),
	},
	// An object without a prototype would count as different from another one for the same folder.
	{ noNullPrototype: true },
);

test('a file opens in the folder it was made for and in no other', async (t) => {
	const parts = await openFileParts(t);
	await fc.assert(
		fc.asyncProperty(folders, folders, fc.constantFrom(0, 10, FRAME_BYTES), async (own, other, size) => {
			const id = makeUlid(Date.now());
			const bytes = content(size);
			await writeSpool(parts, { id, folder: own }, (writer) => writer.write(bytes));
			t.true((await readAll(await openSpool(parts, { id, folder: own }))).equals(bytes));
			if (isDeepStrictEqual(own, other)) return;
			await t.throwsAsync(openSpool(parts, { id, folder: other }), { instanceOf: DamagedFileError });
		}),
		{ numRuns: 60 },
	);
});

/** Stores a file in the way of an earlier version, whose frames did not name the folder. */
async function storeEarlier(parts: FileParts, bytes: Buffer, isFinished = true): Promise<string> {
	const id = makeUlid(Date.now());
	const { id: keyId, secret } = await parts.keyRing.current('drop');
	const material = randomBytes(FILE_KEY_BYTES);
	const header = encodeHeader({ version: 1, keyId, wrappedKey: seal(secret, material, fileKeyLabel(id, keyId)) });
	const cipher = new FrameCipher(inFolder(id), { key: createSecretKey(material), version: 1 });
	const writer = new SpoolWriter(await parts.blobs.create(id), cipher, header);
	await write(writer, bytes, 50_000);
	await (isFinished ? writer.finish() : writer.suspend());
	return id;
}

test('files from before folders were named open as they did, are gone on with and get new keys', async (t) => {
	const parts = await openFileParts(t);
	const bytes = content(2 * FRAME_BYTES + 5);
	const id = await storeEarlier(parts, bytes);
	t.is((await readFile(await pathOf(parts, id))).toString('latin1', 0, 8), 'TDSEAL01');
	t.true((await readAll(await openSpool(parts, inFolder(id)))).equals(bytes));
	const paused = await storeEarlier(parts, bytes, false);
	const again = await resumeSpool(parts, inFolder(paused));
	await again.write(MARKER);
	await again.finish();
	await parts.keyRing.rotate('drop');
	t.deepEqual(await collect(rewrapFiles(parts)), ['moved', 'moved']);
	t.true((await readAll(await openSpool(parts, inFolder(id)))).equals(bytes));
	t.true((await readAll(await openSpool(parts, inFolder(paused)))).equals(Buffer.concat([bytes, MARKER])));
});

test('a file cannot be passed off as an older version by its header', async (t) => {
	const parts = await openFileParts(t);
	const ids = [await store(parts, content(100)), await storeEarlier(parts, content(100))];
	for (const [at, id] of ids.entries()) {
		const path = await pathOf(parts, id);
		const stored = await readFile(path);
		t.is(stored.toString('latin1', 0, 8), at === 0 ? 'TDSEAL02' : 'TDSEAL01');
		stored.write(at === 0 ? 'TDSEAL01' : 'TDSEAL02', 'latin1');
		await writeFile(path, stored);
		await t.throwsAsync(openSpool(parts, inFolder(id)), { instanceOf: DamagedFileError });
	}
});
