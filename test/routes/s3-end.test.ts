// A bucket as an end of a route, step by step: what a crash, a lost answer or another writer between two steps leaves.

import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { openPartnerBucket } from '../../src/base/outbound/s3/partner-bucket.ts';
import { PART_BYTES } from '../../src/base/outbound/s3/s3-bucket.ts';
import { readObject } from '../../src/base/outbound/s3/s3-download.ts';
import { partBytes } from '../../src/base/outbound/s3/s3-upload.ts';
import type { TargetNames } from '../../src/work/routes/places/place.ts';
import { s3End } from '../../src/work/routes/places/s3-end.ts';
import { collect } from '../helpers/file-parts.ts';
import { openS3Server } from '../helpers/s3-server.ts';

const NAMES: TargetNames = {
	folder: 'in',
	name: 'may.csv',
	temporaryName: '.may.csv.part',
	mark: 'delivery-1',
	replaces: false,
};
const SMALL = Buffer.from('a few bytes');
const LARGE = Buffer.alloc(PART_BYTES + 1_000, 7);
const TAKEN = { name: 'ServiceError', message: /fileName: the bucket has an object of this name/ };

async function openEnd(t: ExecutionContext, folder = '/feeds/') {
	const server = await openS3Server(t);
	const bucket = await openPartnerBucket(server.place, folder, { allowPrivate: true });
	const end = s3End(bucket, {});
	t.teardown(() => end.close());
	/** Begins a file and writes it; `upload` is what the end has told of it. */
	const begin = async (content: Buffer, more: Partial<TargetNames> = {}) => {
		let upload: string | undefined;
		const names = { ...NAMES, ...more };
		const file = await end.begin(names, async (id) => void (upload = id));
		for (let at = 0; at < content.length; at += 1e6) await file.write(content.subarray(at, at + 1e6));
		return { file, unfinished: { ...names, upload } };
	};
	return { server, bucket, end, begin };
}

for (const [size, content] of [
	['small', SMALL],
	['large', LARGE],
] as const) {
	test(`a ${size} file is seen when it has its name, and is known by its mark and no other`, async (t) => {
		const { server, end, begin } = await openEnd(t);
		const { file, unfinished } = await begin(content);
		t.is(server.objects.size, 0);
		await file.publish(async () => void t.is(server.objects.size, 0, 'it is whole, and nobody sees it'));
		t.true(server.objects.get('feeds/in/may.csv')!.equals(content));
		t.is(await end.findSize('in', 'may.csv'), content.length);
		t.true(await end.isNamed(unfinished, content.length));
		t.false(await end.isNamed({ ...unfinished, mark: 'delivery-2' }, content.length));
		t.false(await end.isNamed(unfinished, content.length + 1));
		await end.clear(unfinished);
		t.is(server.objects.size, 1, 'clearing removes no object');
	});

	test(`a ${size} file takes no name that another writer has taken meanwhile`, async (t) => {
		const { server, end, begin } = await openEnd(t);
		const { file, unfinished } = await begin(content);
		const theirs = Buffer.from('theirs');
		const publishing = file.publish(async () => {
			await end.writeShort('in', 'may.csv', theirs);
		});
		await t.throwsAsync(publishing, TAKEN);
		t.true(server.objects.get('feeds/in/may.csv')!.equals(theirs));
		t.is(server.uploads.size, 0, 'nothing of it stays');
		t.false(await end.isNamed(unfinished, content.length));
		await end.clear(unfinished);
		const replacing = await begin(content, { replaces: true });
		await replacing.file.publish(async () => {});
		t.true(server.objects.get('feeds/in/may.csv')!.equals(content));
	});

	test(`a ${size} file whose last answer is lost is delivered once`, async (t) => {
		const { server, begin } = await openEnd(t);
		const { file } = await begin(content);
		let left = 1;
		server.fault = ({ method, query }) =>
			left > 0 && (query.has('uploadId') ? method === 'POST' : method === 'PUT') && left-- > 0 ? 'cut' : undefined;
		await file.publish(async () => {});
		t.is(left, 0);
		t.deepEqual([...server.objects.keys()], ['feeds/in/may.csv']);
		t.true(server.objects.get('feeds/in/may.csv')!.equals(content));
	});

	test(`a ${size} file that a partner fetches and removes at once counts as delivered`, async (t) => {
		const { server, begin } = await openEnd(t);
		const { file } = await begin(content);
		server.fault = ({ method }) => {
			if (method === 'HEAD') server.objects.clear();
			return undefined;
		};
		await t.notThrowsAsync(file.publish(async () => {}));
	});
}

test('an unfinished upload is given up by its id, and those of others are not', async (t) => {
	const { server, end, begin } = await openEnd(t);
	const { file, unfinished } = await begin(LARGE);
	const theirs = { key: 'feeds/in/may.csv', startedAt: new Date(), parts: new Map() };
	server.uploads.set('theirs', theirs);
	t.true(server.uploads.has(unfinished.upload!));
	file.abandon(new Error('the run was lost'));
	await t.throwsAsync(file.write(SMALL), { message: 'the run was lost' });
	await end.clear(unfinished);
	await end.clear(unfinished);
	t.deepEqual([...server.uploads.keys()], ['theirs']);
	t.is(server.objects.size, 0);
});

test('whoever finds an interrupted delivery without its name makes sure that it does not get it later', async (t) => {
	const { server, end, begin } = await openEnd(t);
	const { file, unfinished } = await begin(LARGE);
	const late = file.publish(async () => {
		// A daemon stands still here, and another one takes over its run.
		t.false(await end.isNamed(unfinished, LARGE.length));
	});
	await t.throwsAsync(late, { name: 'ServiceError' });
	t.is(server.objects.size, 0);
});

test('an object is read in one version, as it is stored', async (t) => {
	const { server, bucket, end } = await openEnd(t);
	const bytes = Buffer.from(Array.from({ length: 1_000 }, (_, nth) => nth % 251));
	await end.writeShort('', 'a', bytes);
	const pieces: Buffer[] = [];
	for await (const piece of readObject(bucket, 'a', 300)) pieces.push(Buffer.from(piece));
	t.deepEqual(
		pieces.map(({ length }) => length),
		[300, 300, 300, 100],
	);
	t.true(Buffer.concat(pieces).equals(bytes));
	for (const change of [
		() => server.objects.set('feeds/a', bytes.subarray(1)),
		() => server.objects.set('feeds/a', Buffer.from(bytes).fill(0, 999)),
		() => server.objects.delete('feeds/a'),
	]) {
		await end.writeShort('', 'a', bytes);
		const reading = readObject(bucket, 'a', 300);
		await reading.next();
		// The second range is asked for while the first is used.
		await reading.next();
		change();
		const rest = collect(reading);
		await t.throwsAsync(rest, { message: /fileName: changed while it was read/ });
	}
	await t.throwsAsync(collect(end.read('b')), { message: /fileName: the partner has no such file/ });
	const packed = gzipSync(bytes);
	server.put('feeds/packed', packed, { 'content-encoding': 'gzip' });
	const [whole] = await collect(readObject(bucket, 'packed', packed.length));
	t.is(whole.length, packed.length, 'what is stored is not unpacked');
});

test('a move that was interrupted after the copy only removes, and a copy has the headers of its source', async (t) => {
	const { server, end } = await openEnd(t);
	server.put('feeds/done/may.csv', Buffer.from('of last month'));
	server.put('feeds/may.csv', SMALL, { 'content-type': 'text/csv', 'x-amz-meta-of': 'theirs' });
	server.fault = ({ method }) => (method === 'DELETE' ? 'denied' : undefined);
	await t.throwsAsync(end.move('may.csv', 'done'), { message: /path: the access key may not do this in the bucket/ });
	server.fault = () => undefined;
	t.is(await end.move('may.csv', 'done'), 'done/may.2.csv');
	t.deepEqual([...server.objects.keys()].sort(), ['feeds/done/may.2.csv', 'feeds/done/may.csv']);
	t.like(server.headersOf.get('feeds/done/may.2.csv'), { 'content-type': 'text/csv', 'x-amz-meta-of': 'theirs' });
	await t.throwsAsync(end.move('may.csv', 'done'), { message: /fileName: the partner has no such file/ });
});

test('a large object is copied in parts, all of one version', async (t) => {
	const { server, bucket } = await openEnd(t);
	const large = Buffer.alloc(11 * 1024 * 1024, 7).fill(1, 0, 6_000_000);
	const options = { mark: 'm', partBytes: 5 * 1024 * 1024 };
	await bucket.put('large', large, { replaces: true });
	const found = (await bucket.find('large'))!;
	await bucket.copy('large', found, 'copy', options);
	t.true(server.objects.get('feeds/copy')!.equals(large));
	t.is((await bucket.find('copy'))?.mark, 'm');
	await bucket.put('large', large.fill(2), { replaces: true });
	await t.throwsAsync(bucket.copy('large', found, 'other', options), { name: 'ObjectChangedError' });
	t.is(server.uploads.size, 0);
	t.false(server.objects.has('feeds/other'));
});

test('a list has the files directly in the folder, page by page, and no name leads out of it', async (t) => {
	const { server, end } = await openEnd(t);
	server.pageSize = 100;
	const names = Array.from({ length: 250 }, (_, nth) => `${1_000 + nth}.csv`);
	for (const name of [...names, 'deeper/a.csv']) await end.writeShort('', name, SMALL);
	for (const name of ['', '.', '..', 'folder/']) server.put(`feeds/${name}`, SMALL);
	server.put('other.csv', SMALL);
	const pages = await collect(end.list());
	t.deepEqual(
		pages.flat().map(({ name }) => name),
		names,
	);
	t.is(pages.length, 3);
	t.like(pages[0][0], { size: SMALL.length });
	const paths = new Set(server.calls.map(({ key }) => key));
	for (const name of ['..', '.', 'a/../../b']) {
		await t.throwsAsync(end.remove(name), { message: /fileName: has \. or \.\. in the place of a folder/ });
	}
	t.deepEqual(new Set(server.calls.map(({ key }) => key)), paths, 'nothing was sent');
});

test('parts grow, so that 10,000 of them are enough for the largest object', (t) => {
	const sizes = Array.from({ length: 10_000 }, (_, nth) => partBytes(nth + 1));
	t.is(sizes[0], PART_BYTES);
	t.true(sizes.reduce((sum, size) => sum + size, 0) >= 5 * 1024 ** 4);
});
