import test from 'ava';
import type { BlobStore } from '../../src/base/blobs/blob-store.ts';
import { dropStore, folderOf } from '../../src/work/drops/drop-store.ts';
import { MAX_REORDERED_BYTES } from '../../src/work/drops/upload.ts';
import { BYTES, get, openView, PUT, publish, put, READ, RESUME, refused } from '../helpers/drops-view.ts';
import { collect } from '../helpers/file-parts.ts';

test('an upload whose connection went away is kept, and gone on with by offset or by appending', async (t) => {
	const setting = await openView(t);
	for (const mode of [RESUME, { ...RESUME, append: true }, { ...RESUME, append: true, create: false }]) {
		const first = setting.view();
		const file = await first.open('/tokenize/GBT/may.csv', PUT);
		await file.write(0, Buffer.from(BYTES.subarray(0, 70_001)));
		await file.abandon();
		await first.close();
		t.is(setting.jobs.length, 0);
		const second = setting.view();
		t.is((await second.attributes('/tokenize/GBT/may.csv')).size, 70_001);
		t.deepEqual(await get(second, '/tokenize/GBT/may.csv'), BYTES.subarray(0, 70_001));
		const again = await second.open('/tokenize/GBT/may.csv', mode);
		await again.write(mode.append ? 0 : 70_001, Buffer.from(BYTES.subarray(70_001)));
		await again.close();
		const job = setting.jobs.pop()!;
		const input = (await dropStore(setting.parts.database.knex).findById(job.input_id))!;
		const reader = await setting.drops.open(folderOf(input), input);
		t.deepEqual(await reader.read(0, 1e9), BYTES);
		await reader.close();
	}
});

test('an unfinished file is read back only by the user who sent it', async (t) => {
	const setting = await openView(t);
	await put(setting.view(), '/tokenize/GBT/a.part');
	await refused(
		t,
		setting.view(undefined, 'bob').open('/tokenize/GBT/a.part', READ),
		'permission-denied',
		/only the user/,
	);
});

test('writes that arrive out of order are put in order', async (t) => {
	const setting = await openView(t);
	const tree = setting.view();
	const file = await tree.open('/tokenize/GBT/may.csv', { ...PUT, read: true });
	const steps = Array.from({ length: Math.ceil(BYTES.length / 10_000) }, (_, i) => i);
	steps.sort((a, b) => ((a * 7) % 5) - ((b * 7) % 5));
	await Promise.all(
		steps.map((i) => file.write(i * 10_000, Buffer.from(BYTES.subarray(i * 10_000, (i + 1) * 10_000)))),
	);
	t.deepEqual(await file.read(0, BYTES.length), BYTES);
	t.is((await file.attributes()).size, BYTES.length);
	await file.close();
	t.is(setting.jobs[0].bytes_total, BYTES.length);
});

test('a gap at the end keeps the file unaccepted, and what came before the gap', async (t) => {
	const setting = await openView(t);
	const tree = setting.view();
	const file = await tree.open('/tokenize/GBT/may.csv', PUT);
	await file.write(0, Buffer.from('0123456789'));
	await file.write(20, Buffer.from('later'));
	await refused(t, file.close(), 'failure', /bytes 10 to 19 never came/);
	t.is(setting.jobs.length, 0);
	t.is((await tree.attributes('/tokenize/GBT/may.csv')).size, 10);
	const short = await tree.open('/tokenize/GBT/may.csv', RESUME);
	await short.write(10, Buffer.from('abc'));
	await refused(t, short.close(), 'failure', /bytes 13 to 24 never came/);
	const again = await tree.open('/tokenize/GBT/may.csv', RESUME);
	await again.write(13, Buffer.from('defghijlater'));
	await again.close();
	t.is(setting.jobs[0].bytes_total, 25);
});

test('a hole in an upload under a partial name is told when it is closed and when it is renamed, in every session', async (t) => {
	const setting = await openView(t);
	const [tree, other] = [setting.view(), setting.view()];
	const [part, final] = ['/tokenize/GBT/may.csv.part', '/tokenize/GBT/may.csv'];
	const file = await tree.open(part, PUT);
	await file.write(0, Buffer.from(BYTES.subarray(0, 200)));
	await file.write(300, Buffer.from(BYTES.subarray(300, 549)));
	await refused(t, file.close(), 'failure', /bytes 200 to 299 never came: the file is not accepted/);
	const told = /bytes 200 to 548 never came: the file is not accepted/;
	for (const each of [tree, other]) await refused(t, each.rename(part, final, false), 'failure', told);
	await tree.rename(part, '/tokenize/GBT/june.csv.filepart', false);
	await refused(t, tree.rename('/tokenize/GBT/june.csv.filepart', final, true), 'failure', told);
	t.is(setting.jobs.length, 0);
	// Another session sends the rest, and breaks off before the end.
	const more = await other.open('/tokenize/GBT/june.csv.filepart', { ...RESUME, append: true });
	await more.write(200, Buffer.from(BYTES.subarray(200, 400)));
	await more.abandon();
	await refused(t, tree.rename('/tokenize/GBT/june.csv.filepart', final, false), 'failure', /bytes 400 to 548/);
	const rest = await other.open('/tokenize/GBT/june.csv.filepart', RESUME);
	await rest.write(400, Buffer.from(BYTES.subarray(400, 549)));
	await rest.close();
	await tree.rename('/tokenize/GBT/june.csv.filepart', final, false);
	t.is(setting.jobs[0].bytes_total, 549);
});

test('the end of a partial file that was written too far ahead or beyond the limit is missing when it is renamed', async (t) => {
	const setting = await openView(t, { maxFileBytes: 10_000_000 });
	const tree = setting.view();
	for (const offset of [MAX_REORDERED_BYTES + 10, 9_999_999]) {
		const file = await tree.open('/tokenize/GBT/may.part', PUT);
		await file.write(0, Buffer.from('0123456789'));
		await refused(t, file.write(offset, Buffer.from('later')), 'failure', /still missing|at most/);
		await refused(t, file.close(), 'failure', /still missing|at most/);
		const told = new RegExp(`bytes 10 to ${offset + 4} never came`);
		await refused(t, tree.rename('/tokenize/GBT/may.part', '/tokenize/GBT/may.csv', false), 'failure', told);
	}
	t.is(setting.jobs.length, 0);
});

test('of an upload that contradicts what it sent before nothing is left to be renamed or resumed', async (t) => {
	const setting = await openView(t);
	const tree = setting.view();
	for (const name of ['may.part', 'may.csv']) {
		const file = await tree.open(`/tokenize/GBT/${name}`, PUT);
		await file.write(0, Buffer.from('0123456789'));
		await refused(t, file.write(4, Buffer.from('XX')), 'failure', /send the file again from its start/);
		await refused(t, file.close(), 'failure', /send the file again from its start/);
		await refused(t, tree.rename(`/tokenize/GBT/${name}`, '/tokenize/GBT/june.csv', false), 'no-such-file', /./);
	}
	t.is(setting.jobs.length, 0);
	t.deepEqual(await collect(setting.parts.blobs.list()), []);
});

test('writing far ahead is refused', async (t) => {
	const setting = await openView(t);
	const file = await setting.view().open('/tokenize/GBT/may.csv', PUT);
	await refused(t, file.write(MAX_REORDERED_BYTES, Buffer.from('x')), 'failure', /byte 0 is still missing/);
	await refused(t, file.close(), 'failure', /byte 0 is still missing/);
	t.is(setting.jobs.length, 0);
});

test('bytes sent again are fine when they are the same, and refused when they are not', async (t) => {
	const setting = await openView(t);
	const tree = setting.view();
	const file = await tree.open('/tokenize/GBT/may.csv', PUT);
	await file.write(0, Buffer.from('0123456789'));
	await file.write(5, Buffer.from('56789ABC'));
	await file.write(0, Buffer.from('01'));
	await file.close();
	t.is(setting.jobs[0].bytes_total, 13);
	const other = await tree.open('/tokenize/GBT/june.csv', PUT);
	await other.write(0, Buffer.from('0123456789'));
	await refused(t, other.write(4, Buffer.from('XX')), 'failure', /send the file again from its start/);
	await refused(t, other.close(), 'failure', /cannot be changed/);
	t.is(setting.jobs.length, 1);
});

test('a file over the limit is refused while it is sent', async (t) => {
	const setting = await openView(t, { maxFileBytes: 1000 });
	const file = await setting.view().open('/tokenize/GBT/may.csv', PUT);
	await file.write(0, Buffer.alloc(1000));
	await refused(t, file.write(1000, Buffer.alloc(1)), 'failure', /1000 bytes at most/);
	await refused(t, file.close(), 'failure', /1000 bytes at most/);
	t.is(setting.jobs.length, 0);
});

test('a file beyond the quota of its account is refused by name of the quota, while it is sent and when it is closed', async (t) => {
	const setting = await openView(t, { quotas: { maxBytesPerAccount: 1000, maxFilesPerAccount: 10 } });
	const tree = setting.view();
	const file = await tree.open('/tokenize/GBT/may.csv', PUT);
	await file.write(0, Buffer.alloc(1000));
	const told = /the files of the account may have 1000 bytes together: remove some/;
	await refused(t, file.write(1000, Buffer.alloc(1)), 'failure', told);
	await refused(t, file.close(), 'failure', told);
	await refused(t, tree.attributes('/tokenize/GBT/may.csv'), 'no-such-file', /./);
	t.is(setting.jobs.length, 0);
});

test('a full disk is told as such, nothing is accepted, and the upload goes on once there is room', async (t) => {
	let isFull = false;
	const wrap = (blobs: BlobStore): BlobStore => ({
		...blobs,
		async create(id) {
			const blob = await blobs.create(id);
			return {
				size: blob.size,
				async write(bytes, position) {
					if (isFull) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
					await blob.write(bytes, position);
				},
				truncate: (size) => blob.truncate(size),
				sync: () => blob.sync(),
				settle: () => blob.settle(),
				prepare: () => blob.prepare(),
				storeWithin: (transaction) => blob.storeWithin(transaction),
				stored: () => blob.stored(),
				close: () => blob.close(),
			};
		},
	});
	const setting = await openView(t, { wrap });
	const tree = setting.view();
	const bytes = Buffer.concat(Array.from({ length: 20 }, () => BYTES));
	const file = await tree.open('/tokenize/GBT/may.csv', PUT);
	await file.write(0, Buffer.from(bytes.subarray(0, 1_500_000)));
	await file.sync();
	isFull = true;
	await refused(
		t,
		(async () => {
			for (let at = 1_500_000; at < bytes.length; at += 100_000) {
				await file.write(at, Buffer.from(bytes.subarray(at, at + 100_000)));
			}
		})(),
		'out-of-space',
		/no space left/,
	);
	await refused(t, file.close(), 'out-of-space', /no space left/);
	t.is(setting.jobs.length, 0);
	isFull = false;
	const { size } = await tree.attributes('/tokenize/GBT/may.csv');
	t.true(size >= 1_500_000 - 65_536 && size <= 1_600_000, `${size}`);
	const again = await tree.open('/tokenize/GBT/may.csv', RESUME);
	await again.write(size, Buffer.from(bytes.subarray(size)));
	await again.close();
	const input = (await dropStore(setting.parts.database.knex).findById(setting.jobs[0].input_id))!;
	const reader = await setting.drops.open(folderOf(input), input);
	t.true((await reader.read(0, 1e9)).equals(bytes));
	await reader.close();
});

test('no file is begun on a store without room: a client that ignores a refused CLOSE would take it for stored', async (t) => {
	let free = 0;
	const wrap = (blobs: BlobStore): BlobStore => ({ ...blobs, space: async () => ({ total: 1e9, free }) });
	const setting = await openView(t, { wrap });
	const tree = setting.view();
	await refused(t, tree.open('/tokenize/GBT/may.csv', PUT), 'out-of-space', /no space left/);
	t.deepEqual(await collect(setting.parts.blobs.list()), []);
	free = 1_000_000;
	const file = await tree.open('/tokenize/GBT/may.csv', PUT);
	await file.write(0, BYTES);
	await file.close();
	t.is(setting.jobs.length, 1);
});

test('a second upload of the name supersedes the first, whose bytes never mix in', async (t) => {
	const setting = await openView(t);
	const [one, two] = [setting.view(), setting.view()];
	const first = await one.open('/tokenize/GBT/may.csv', PUT);
	await first.write(0, Buffer.from('first'));
	const second = await two.open('/tokenize/GBT/may.csv', PUT);
	await second.write(0, Buffer.from('second'));
	await refused(t, first.write(5, Buffer.from(' more')), 'failure', /taken over/);
	await second.close();
	await refused(t, first.close(), 'failure', /taken over/);
	t.is(setting.jobs.length, 1);
	t.is(setting.jobs[0].bytes_total, 6);
});

test('an upload under a partial name is told when another one has taken it over, from its start or at its end', async (t) => {
	const setting = await openView(t);
	const [one, two] = [setting.view(), setting.view()];
	for (const mode of [PUT, RESUME]) {
		const first = await one.open('/tokenize/GBT/may.part', PUT);
		await first.write(0, Buffer.from('first'));
		const second = await two.open('/tokenize/GBT/may.part', mode);
		await refused(t, first.close(), 'failure', /taken over/);
		await second.write(mode.truncate ? 0 : 5, Buffer.from('second'));
		await second.close();
	}
	await two.rename('/tokenize/GBT/may.part', '/tokenize/GBT/may.csv', false);
	t.is(setting.jobs[0].bytes_total, 11);
});

test('whoever takes over an upload with a hole must send all that its first sender had', async (t) => {
	const setting = await openView(t);
	const [one, two] = [setting.view(), setting.view()];
	const first = await one.open('/tokenize/GBT/may.part', PUT);
	await first.write(0, Buffer.from('0123'));
	await first.write(8, Buffer.from('89'));
	const second = await two.open('/tokenize/GBT/may.part', RESUME);
	await second.write(4, Buffer.from('45'));
	await refused(t, second.close(), 'failure', /bytes 6 to 9 never came/);
	t.is(setting.jobs.length, 0);
});

test('going on with an upload another session left hanging keeps every byte it was acknowledged', async (t) => {
	const setting = await openView(t);
	const [one, two] = [setting.view(), setting.view()];
	const first = await one.open('/tokenize/GBT/may.csv', PUT);
	await first.write(0, Buffer.from(BYTES.subarray(0, 70_001)));
	t.is((await two.attributes('/tokenize/GBT/may.csv')).size, 70_001);
	const second = await two.open('/tokenize/GBT/may.csv', RESUME);
	await second.write(70_001, Buffer.from(BYTES.subarray(70_001)));
	await second.close();
	await first.abandon();
	t.is(setting.jobs.length, 1);
	const input = (await dropStore(setting.parts.database.knex).findById(setting.jobs[0].input_id))!;
	const reader = await setting.drops.open(folderOf(input), input);
	t.deepEqual(await reader.read(0, 1e9), BYTES);
	await reader.close();
});

test('a key that may only tokenize reads back an unfinished file that its own session sent, and no other', async (t) => {
	const { view } = await openView(t);
	const sender = view(['FileTokenize']);
	const path = '/tokenize/CSV/a.csv.part';
	await put(sender, path);
	t.deepEqual(await get(sender, path), BYTES);
	const other = view(['FileTokenize']);
	await refused(t, other.open(path, READ), 'permission-denied', /FileDetokenize/);
	await refused(t, other.open(path, { ...RESUME, read: true }), 'permission-denied', /FileDetokenize/);
	// A session may send the rest of a file that another one began, but must not read it for that.
	await put(other, path, BYTES, 32_768, { ...RESUME, append: true });
	await refused(t, other.open(path, READ), 'permission-denied', /FileDetokenize/);
	t.deepEqual(await get(view(), path), Buffer.concat([BYTES, BYTES]));
});

test('an upload that is open is shortened to the size that its client sets, and not made longer', async (t) => {
	const setting = await openView(t);
	const tree = setting.view();
	const file = await tree.open('/tokenize/GBT/may.csv', PUT);
	await file.write(0, BYTES);
	await file.truncate(BYTES.length);
	await refused(t, file.truncate(BYTES.length + 1), 'failure', /grows by what is written: it has 200000 bytes/);
	await file.truncate(70_001);
	t.is((await file.attributes()).size, 70_001);
	await file.write(70_001, Buffer.from('the end'));
	await file.close();
	t.is(setting.jobs[0].bytes_total, 70_008);
	const input = (await dropStore(setting.parts.database.knex).findById(setting.jobs[0].input_id))!;
	const reader = await setting.drops.open(folderOf(input), input);
	t.deepEqual(await reader.read(0, 1e9), Buffer.concat([BYTES.subarray(0, 70_001), Buffer.from('the end')]));
	await reader.close();
});

test('an unfinished upload that nobody has open is shortened by name, and no other file is', async (t) => {
	const setting = await openView(t);
	const tree = setting.view();
	const [part, final] = ['/tokenize/GBT/may.part', '/tokenize/GBT/may.csv'];
	await refused(t, tree.truncate(part, 0), 'no-such-file', /no such file/);
	const file = await tree.open(part, PUT);
	await file.write(0, Buffer.from(BYTES.subarray(0, 100)));
	await file.write(200, Buffer.from('later'));
	await refused(t, tree.truncate(part, 10), 'failure', /being received/);
	await refused(t, file.close(), 'failure', /never came/);
	await refused(t, tree.truncate(part, 300), 'failure', /it has 205 bytes, not 300/);
	// The client says that its file ends here, so nothing is missing any more.
	await tree.truncate(part, 100);
	await tree.truncate(part, 99);
	t.is((await tree.attributes(part)).size, 99);
	await tree.rename(part, final, false);
	t.is(setting.jobs[0].bytes_total, 99);
	await tree.truncate(final, 99);
	await refused(t, tree.truncate(final, 98), 'permission-denied', /was accepted: send it again from its start/);
	await setting.parts.database.knex('drop_files').delete();
	await tree.truncate(final, 99);
	await refused(t, tree.truncate(final, 0), 'permission-denied', /was accepted: send it again from its start/);
	await publish(setting, 'tokenized', 'out.csv', BYTES);
	await tree.truncate('/tokenized/GBT/out.csv', BYTES.length);
	await refused(t, tree.truncate('/tokenized/GBT/out.csv', 1), 'permission-denied', /size of this file cannot/);
	const output = await tree.open('/tokenized/GBT/out.csv', READ);
	await output.truncate(BYTES.length);
	await refused(t, output.truncate(1), 'permission-denied', /size of this file cannot/);
	await output.close();
	await refused(t, tree.truncate('/tokenize/GBT', 5), 'permission-denied', /this is a folder/);
});
