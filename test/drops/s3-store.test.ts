// Checks the store in a bucket against a server of ours, for what a real one cannot be told to do.

import test, { type ExecutionContext } from 'ava';
import { isOutOfSpace, StoreAwayError } from '../../src/base/blobs/blob-store.ts';
import { findOutage } from '../../src/base/blobs/outages.ts';
import { s3BlobStore } from '../../src/base/blobs/s3/s3-store.ts';
import { DamagedFileError } from '../../src/base/blobs/sealed-file.ts';
import { makeUlid } from '../../src/base/database/ulid.ts';
import { PART_BYTES } from '../../src/base/outbound/s3/s3-bucket.ts';
import { testBlobContract } from '../helpers/blob-contract.ts';
import { collect } from '../helpers/file-parts.ts';
import { openS3Server, type S3Call, type S3Fault, type S3Server } from '../helpers/s3-server.ts';

testBlobContract('a server of ours', async (t) => s3BlobStore((await openS3Server(t, 'a+b/100%/ü/')).place));

testBlobContract('a busy server of ours, with short lists', async (t) => {
	const server = await openS3Server(t);
	server.pageSize = 2;
	let calls = 0;
	const faults = ['slow-down', undefined, 'cut', undefined, undefined, 'refuse-connection', undefined] as const;
	server.fault = () => faults[calls++ % faults.length];
	const store = s3BlobStore(server.place, { mostParts: 2 });
	// A look whether the bucket can be written repeats nothing, so that it answers at once.
	const checkWritable = async () => {
		server.fault = () => undefined;
		await store.checkWritable();
	};
	return { ...store, checkWritable };
});

// Tests that say which objects there are run one at a time, because all of them share the memory of parts.

async function opened(t: ExecutionContext) {
	const server = await openS3Server(t);
	const store = s3BlobStore(server.place);
	const id = makeUlid(Date.now());
	return { server, store, id, blob: await store.create(id) };
}

/** Lets calls of one kind fail. */
function failing(
	server: S3Server,
	fault: S3Fault,
	isMeant: (call: S3Call) => boolean,
	times = Number.POSITIVE_INFINITY,
) {
	let left = times;
	server.fault = (call) => (isMeant(call) && left-- > 0 ? fault : undefined);
}

const isComplete = ({ method, query }: S3Call) => method === 'POST' && query.has('uploadId');

test('an object whose answer was lost is not taken for one of somebody else, and one of somebody else is not replaced', async (t) => {
	const { server, blob, store, id } = await opened(t);
	failing(server, 'cut', ({ method }) => method === 'PUT', 1);
	await blob.write(Buffer.from('ours'), 0);
	await blob.settle();
	await blob.close();
	const [[key, bytes]] = server.objects;
	t.is(bytes.toString(), 'ours');
	server.objects.delete(key);
	const late = await store.create(id);
	await late.write(Buffer.from('late'), 0);
	server.objects.set(key, Buffer.from('first'));
	await t.throwsAsync(late.settle(), { message: /is in the bucket already/ });
	await late.close();
	t.is(server.objects.get(key)!.toString(), 'first');
});

test.serial('an upload in parts whose end was answered with a failure, or not at all, is there once', async (t) => {
	for (const fault of ['cut', 'late-error', 'slow-down'] as const) {
		const { server, blob, store, id } = await opened(t);
		failing(server, fault, isComplete, 1);
		const bytes = Buffer.alloc(2 * PART_BYTES + 5, fault);
		await blob.write(bytes, 0);
		await blob.settle();
		await blob.close();
		const reader = await store.openRead(id);
		const target = Buffer.alloc(bytes.length);
		t.is(await reader.read(target, 0), bytes.length);
		t.true(target.equals(bytes));
		await reader.close();
		t.is(server.objects.size, 2);
		t.is(server.uploads.size, 0);
	}
});

test('clocks that differ too much are told with both times, at once, and mean that the store is away', async (t) => {
	const { server, store } = await opened(t);
	server.fault = () => 'skewed';
	const error = await t.throwsAsync(store.openRead(makeUlid(Date.now())), { instanceOf: StoreAwayError });
	t.regex(
		error.message,
		/its clock and the one of this machine differ too much \(RequestTimeTooSkewed\): here it is .*Z, there .*Z/,
	);
	t.is(findOutage(error), 'drop-store-unavailable');
	t.is(server.calls.length, 1);
	t.notRegex(error.message, /a secret key/);
});

test('a full bucket is told like a full disk, and a refusal names what to look at', async (t) => {
	const { server, store, blob } = await opened(t);
	server.fault = () => 'full';
	await blob.write(Buffer.from('x'), 0);
	const error = await t.throwsAsync(blob.settle());
	t.true(isOutOfSpace(error));
	await blob.close();
	server.fault = () => 'denied';
	await t.throwsAsync(store.checkWritable(), { message: /403 AccessDenied: drops.accessKeyId may not do this/ });
});

test('a server that is away is told without a wait where somebody asks whether it is there', async (t) => {
	const { server, store } = await opened(t);
	server.fault = () => 'refuse-connection';
	const began = server.calls.length;
	await t.throwsAsync(store.checkWritable(), {
		instanceOf: StoreAwayError,
		message: /cannot be reached: the connection was closed/,
	});
	t.is(server.calls.length, began + 1);
});

test.serial(
	'a blob of which a part could not be sent stores nothing more, and what was stored before stays',
	async (t) => {
		const { server, store, id, blob } = await opened(t);
		await blob.write(Buffer.alloc(PART_BYTES, 'first'), 0);
		failing(server, 'denied', ({ query }) => query.has('partNumber'));
		await blob.write(Buffer.alloc(PART_BYTES, 'second'), PART_BYTES);
		await t.throwsAsync(blob.sync(), { instanceOf: StoreAwayError });
		await t.throwsAsync(blob.write(Buffer.from('more'), 2 * PART_BYTES), { instanceOf: StoreAwayError });
		await blob.close();
		t.is(server.uploads.size, 0, 'it was given up');
		const reader = await store.openRead(id);
		t.is(reader.size, PART_BYTES);
		await reader.close();
	},
);

test.serial('parts that a dead writer left go with their blob, with the next writer, or by their age', async (t) => {
	const { server, store, id, blob } = await opened(t);
	await blob.write(Buffer.alloc(2 * PART_BYTES), 0);
	t.is(server.uploads.size, 1);
	// Nobody ends the blob, as after a kill. Another process looks after what is left.
	const other = s3BlobStore(server.place);
	const [[upload]] = server.uploads;
	const startedAtMs = server.uploads.get(upload)!.startedAt.getTime();
	t.is(await other.removeUnfinished(startedAtMs), 0);
	t.is(await other.removeUnfinished(startedAtMs + 1), 1);
	t.is(server.uploads.size, 0);
	server.uploads.set('left', { key: `${id}/00000001-000000500000`, startedAt: new Date(), parts: new Map() });
	const next = await other.append(id);
	t.is(next.size, PART_BYTES);
	t.is(server.uploads.size, 0);
	await next.close();
	server.uploads.set('left', { key: `${id}/00000001-000000500000`, startedAt: new Date(), parts: new Map() });
	server.objects.clear();
	t.like((await collect(other.list()))[0], { id, size: 0 });
	await other.remove(id);
	t.is(server.uploads.size, 0);
	t.is(await store.removeUnfinished(Date.now()), 0);
	await t.throwsAsync(async () => {
		await blob.settle();
	});
	await blob.close();
});

test.serial('no object has more parts than it may, however large the blob', async (t) => {
	const server = await openS3Server(t);
	const store = s3BlobStore(server.place, { mostParts: 2 });
	const blob = await store.create(makeUlid(Date.now()));
	for (let n = 0; n < 7; n++) await blob.write(Buffer.alloc(PART_BYTES, n), n * PART_BYTES);
	await blob.write(Buffer.from('end'), 7 * PART_BYTES);
	await blob.settle();
	await blob.close();
	t.is(Math.max(...server.calls.map(({ query }) => Number(query.get('partNumber')))), 2);
	t.deepEqual(
		[...server.objects].sort().map(([key, { length }]) => [key.slice(27), length]),
		[
			['00000000-000000000000', PART_BYTES],
			['00000001-000000500000', 2 * PART_BYTES],
			['00000002-000000f00000', 2 * PART_BYTES],
			['00000003-000001900000', 2 * PART_BYTES],
			['00000004-000002300000', 3],
		],
	);
});

test.serial('many uploads at once send what they have instead of filling the memory', async (t) => {
	const { server, store } = await opened(t);
	const bytes = Buffer.alloc(3 * 1024 * 1024, 'kept');
	const blobs = await Promise.all(Array.from({ length: 40 }, () => store.create(makeUlid(Date.now()))));
	for (let at = 0; at < bytes.length; at += 512 * 1024) {
		await Promise.all(blobs.map((blob) => blob.write(bytes.subarray(at, at + 512 * 1024), at)));
	}
	const sent = [...server.objects.values()].reduce((sum, { length }) => sum + length, 0);
	// 40 buffers of 5 MiB are 200 MiB. 24 MiB are allowed, and 1 MiB for each upload.
	t.true(40 * bytes.length - sent < (24 + 40) * 1024 * 1024, `${sent} bytes were sent`);
	for (const blob of blobs) await blob.close();
	for (const { id, size } of await collect(store.list())) {
		t.is(size, bytes.length);
		const reader = await store.openRead(id);
		const target = Buffer.alloc(size);
		await reader.read(target, 0);
		t.true(target.equals(bytes));
		await reader.close();
	}
});

test('a blob that lacks one of its objects is damaged, and one that goes while it is read is told', async (t) => {
	const { server, store, id, blob } = await opened(t);
	await blob.write(Buffer.alloc(PART_BYTES + 1), 0);
	await blob.settle();
	await blob.close();
	const reader = await store.openRead(id);
	const [first] = [...server.objects.keys()].sort();
	server.objects.delete(first);
	await t.throwsAsync(reader.read(Buffer.alloc(10), 0), {
		instanceOf: StoreAwayError,
		message: /was removed from the bucket/,
	});
	await t.throwsAsync(store.openRead(id), { instanceOf: DamagedFileError });
	await reader.close();
});
