import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { AccountId } from '../../src/database/ids.ts';
import type { BlobStore } from '../../src/drops/blob-store.ts';
import { dropStore, type NewDropFile } from '../../src/drops/drop-store.ts';
import { Drops } from '../../src/drops/drops.ts';
import { createSpool } from '../../src/drops/spool.ts';
import { makeUlid } from '../../src/drops/ulid.ts';
import { MAX_REORDERED_BYTES } from '../../src/drops/upload.ts';
import { openIntake } from '../../src/jobs/intake.ts';
import type { JobRow } from '../../src/jobs/job.ts';
import { jobStore } from '../../src/jobs/job-store.ts';
import { openDropsView } from '../../src/sftp/drops-view.ts';
import type { OpenMode, Tree, TreeEntry, TreeError, TreeFailure } from '../../src/sftp/tree.ts';
import { collect, openTestRooms, type TestRooms } from '../helpers/drop-rooms.ts';

const FILTERS = ['TADC', 'GBT', 'SIMPLECSV', 'SIMPLEJSON', 'AIR', 'IUR', 'CSV'];
const READ: OpenMode = { read: true, write: false, append: false, create: false, truncate: false, exclusive: false };
const PUT: OpenMode = { ...READ, read: false, write: true, create: true, truncate: true };
const RESUME: OpenMode = { ...PUT, truncate: false };
const BYTES = Buffer.from('a line that could hold 4111111111111111\n'.repeat(5000));

interface Setting {
	readonly rooms: TestRooms;
	readonly drops: Drops;
	readonly jobs: JobRow[];
	view(permissions?: string[], userId?: string, accountId?: number): Tree;
}

async function setUp(
	t: ExecutionContext,
	options: { maxFileBytes?: number; wrap?: (blobs: BlobStore) => BlobStore } = {},
): Promise<Setting> {
	const rooms = await openTestRooms(t);
	const { database, keyRing } = rooms;
	const blobs = options.wrap?.(rooms.blobs) ?? rooms.blobs;
	const drops = new Drops({ database, keyRing, blobs, daemonId: 'one', maxFileBytes: options.maxFileBytes });
	const jobs: JobRow[] = [];
	const intake = openIntake({ database, drops, onAccepted: (job) => jobs.push(job) });
	const view = (permissions = ['FileTokenize', 'FileDetokenize'], userId = 'alice', accountId = 7) =>
		openDropsView({
			drops,
			intake,
			filters: FILTERS,
			principal: { accountId: accountId as AccountId, userId, permissions: new Set(permissions) as never },
		});
	return { rooms, drops, jobs, view };
}

async function put(tree: Tree, path: string, bytes = BYTES, step = 32_768, mode = PUT): Promise<void> {
	const file = await tree.open(path, mode);
	const writes = [];
	for (let at = 0; at < bytes.length; at += step)
		writes.push(file.write(at, Buffer.from(bytes.subarray(at, at + step))));
	await Promise.all(writes);
	await file.close();
}

async function get(tree: Tree, path: string): Promise<Buffer> {
	const file = await tree.open(path, READ);
	const chunks = [];
	for (let at = 0; ; at += chunks.at(-1)!.length) {
		chunks.push(await file.read(at, 50_000));
		if (chunks.at(-1)!.length === 0) break;
	}
	await file.close();
	return Buffer.concat(chunks);
}

async function names(tree: Tree, path: string): Promise<string[]> {
	const entries: TreeEntry[] = [];
	for await (const page of tree.list(path)) entries.push(...page);
	return entries.map((entry) => entry.name);
}

async function refused(
	t: ExecutionContext,
	work: Promise<unknown>,
	failure: TreeFailure,
	message: RegExp,
): Promise<void> {
	const error = (await t.throwsAsync(work)) as TreeError | undefined;
	t.is(error?.name, 'TreeError', String(error?.stack));
	t.is(error?.failure, failure);
	t.regex(error!.message, message);
	t.notRegex(error!.message, /4111/);
}

/** A file as a job publishes it. */
async function publish({ rooms }: Setting, area: NewDropFile['area'], name: string, bytes: Buffer): Promise<void> {
	const blobId = makeUlid(Date.now());
	const writer = await createSpool(rooms, blobId);
	await writer.write(bytes);
	await writer.finish();
	await dropStore(rooms.database.knex).insert({
		...{ account_id: 7 as AccountId, area, filter: 'GBT', name, blob_id: blobId, size: bytes.length, state: 'ready' },
		...{ created_by: null, job_id: null, writer: null, held_by: null, held_until: null, created_at: 1, modified_at: 1 },
	});
}

/** What a finished job does to its input. */
async function consume({ rooms, jobs }: Setting): Promise<void> {
	for (const job of jobs) await dropStore(rooms.database.knex).remove(job.input_id);
}

test('the tree is the five areas with a folder for each filter', async (t) => {
	const tree = (await setUp(t)).view();
	t.deepEqual(await names(tree, '/'), ['tokenize', 'tokenized', 'detokenize', 'detokenized', 'reports']);
	for (const area of await names(tree, '/')) t.deepEqual(await names(tree, `/${area}`), FILTERS);
	t.deepEqual(await names(tree, '/reports/GBT'), []);
	t.is((await tree.attributes('/tokenize/GBT')).kind, 'directory');
	await refused(t, tree.attributes('/etc'), 'no-such-file', /there are only \/tokenize/);
	await refused(t, tree.attributes('/tokenize/gbt'), 'no-such-file', /folders in \/tokenize are TADC, GBT/);
	await refused(t, tree.attributes('/tokenize/GBT/a/b'), 'no-such-file', /there are only/);
	await refused(t, tree.makeDirectory('/tokenize/NEW'), 'permission-denied', /\/tokenize\/<FILTER>/);
	await refused(t, tree.removeDirectory('/tokenize/GBT'), 'permission-denied', /folders are fixed/);
	await refused(t, tree.open('/upload.csv', PUT), 'no-such-file', /there are only/);
	await refused(t, tree.open('/tokenize/GBT', PUT), 'permission-denied', /this is a folder/);
});

test('closing a file under a final name accepts it: one job, bytes as sent, sealed', async (t) => {
	const setting = await setUp(t);
	const tree = setting.view();
	await put(tree, '/tokenize/GBT/may.csv');
	const [job] = setting.jobs;
	t.like(job, { name: 'may.csv', filter: 'GBT', operation: 'tokenize', state: 'queued', bytes_total: BYTES.length });
	t.like(job, { account_id: 7, user_id: 'alice' });
	const input = (await dropStore(setting.rooms.database.knex).findById(job.input_id))!;
	t.is(input.state, 'accepted');
	const reader = await setting.drops.open(input);
	t.deepEqual(await reader.read(0, 1e9), BYTES);
	await reader.close();
	for (const shard of await readdir(setting.rooms.folder)) {
		for (const blob of await readdir(join(setting.rooms.folder, shard))) {
			t.notRegex(blob, /may/);
			t.is((await readFile(join(setting.rooms.folder, shard, blob))).indexOf('4111111'), -1);
		}
	}
	t.deepEqual(await names(tree, '/tokenize/GBT'), ['may.csv']);
});

test('an accepted file can neither be read back, changed, renamed nor removed', async (t) => {
	const tree = (await setUp(t)).view();
	await put(tree, '/tokenize/GBT/may.csv');
	await refused(t, tree.open('/tokenize/GBT/may.csv', READ), 'permission-denied', /appears in \/tokenized\/GBT/);
	await refused(t, tree.open('/tokenize/GBT/may.csv', RESUME), 'permission-denied', /send it again from its start/);
	await refused(t, tree.remove('/tokenize/GBT/may.csv'), 'permission-denied', /cannot be removed/);
	await refused(t, tree.rename('/tokenize/GBT/may.csv', '/tokenize/GBT/b.csv', false), 'permission-denied', /renamed/);
});

test('the uploader is told the received size after the job has used the file up, others are not', async (t) => {
	const setting = await setUp(t);
	const [tree, other] = [setting.view(), setting.view()];
	await put(tree, '/tokenize/GBT/may.csv');
	await consume(setting);
	t.is((await tree.attributes('/tokenize/GBT/may.csv')).size, BYTES.length);
	await refused(t, other.attributes('/tokenize/GBT/may.csv'), 'no-such-file', /finished files are in \/tokenized\/GBT/);
	t.deepEqual(await names(tree, '/tokenize/GBT'), []);
	await tree.remove('/tokenize/GBT/may.csv');
	await refused(t, tree.attributes('/tokenize/GBT/may.csv'), 'no-such-file', /no such file/);
});

const partialName = test.macro({
	title: (_, name: string) => `${name} waits until it is renamed`,
	async exec(t: ExecutionContext, name: string) {
		const setting = await setUp(t);
		const tree = setting.view();
		await put(tree, `/tokenize/CSV/${name}`);
		t.is(setting.jobs.length, 0);
		t.is((await tree.attributes(`/tokenize/CSV/${name}`)).size, BYTES.length);
		t.deepEqual(await get(tree, `/tokenize/CSV/${name}`), BYTES);
		await tree.rename(`/tokenize/CSV/${name}`, '/tokenize/CSV/done.csv', false);
		t.like(setting.jobs[0], { name: 'done.csv', bytes_total: BYTES.length });
		t.is((await tree.attributes('/tokenize/CSV/done.csv')).size, BYTES.length);
		await refused(t, tree.attributes(`/tokenize/CSV/${name}`), 'no-such-file', /no such file/);
	},
});
for (const name of ['a.csv.filepart', 'a.partial', 'a.part', 'A.TMP', '.a.csv.x7']) test(partialName, name);

test('an upload whose connection went away is kept, and gone on with by offset or by appending', async (t) => {
	const setting = await setUp(t);
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
		const input = (await dropStore(setting.rooms.database.knex).findById(job.input_id))!;
		const reader = await setting.drops.open(input);
		t.deepEqual(await reader.read(0, 1e9), BYTES);
		await reader.close();
	}
});

test('an unfinished file is read back only by the user who sent it', async (t) => {
	const setting = await setUp(t);
	await put(setting.view(), '/tokenize/GBT/a.part');
	await refused(
		t,
		setting.view(undefined, 'bob').open('/tokenize/GBT/a.part', READ),
		'permission-denied',
		/only the user/,
	);
});

test('writes that arrive out of order are put in order', async (t) => {
	const setting = await setUp(t);
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
	const setting = await setUp(t);
	const tree = setting.view();
	const file = await tree.open('/tokenize/GBT/may.csv', PUT);
	await file.write(0, Buffer.from('0123456789'));
	await file.write(20, Buffer.from('later'));
	await refused(t, file.close(), 'failure', /bytes 10 to 19 never came/);
	t.is(setting.jobs.length, 0);
	t.is((await tree.attributes('/tokenize/GBT/may.csv')).size, 10);
	const again = await tree.open('/tokenize/GBT/may.csv', RESUME);
	await again.write(10, Buffer.from('abc'));
	await again.close();
	t.is(setting.jobs[0].bytes_total, 13);
});

test('writing far ahead is refused', async (t) => {
	const setting = await setUp(t);
	const file = await setting.view().open('/tokenize/GBT/may.csv', PUT);
	await refused(t, file.write(MAX_REORDERED_BYTES, Buffer.from('x')), 'failure', /byte 0 is still missing/);
	await refused(t, file.close(), 'failure', /byte 0 is still missing/);
	t.is(setting.jobs.length, 0);
});

test('bytes sent again are fine when they are the same, and refused when they are not', async (t) => {
	const setting = await setUp(t);
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
	const setting = await setUp(t, { maxFileBytes: 1000 });
	const file = await setting.view().open('/tokenize/GBT/may.csv', PUT);
	await file.write(0, Buffer.alloc(1000));
	await refused(t, file.write(1000, Buffer.alloc(1)), 'failure', /1000 bytes at most/);
	await refused(t, file.close(), 'failure', /1000 bytes at most/);
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
				close: () => blob.close(),
			};
		},
	});
	const setting = await setUp(t, { wrap });
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
	const reader = await setting.drops.open(
		(await dropStore(setting.rooms.database.knex).findById(setting.jobs[0].input_id))!,
	);
	t.true((await reader.read(0, 1e9)).equals(bytes));
	await reader.close();
});

test('a second upload of the name supersedes the first, whose bytes never mix in', async (t) => {
	const setting = await setUp(t);
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

test('going on with an upload another session left hanging keeps every byte it was acknowledged', async (t) => {
	const setting = await setUp(t);
	const [one, two] = [setting.view(), setting.view()];
	const first = await one.open('/tokenize/GBT/may.csv', PUT);
	await first.write(0, Buffer.from(BYTES.subarray(0, 70_001)));
	t.is((await two.attributes('/tokenize/GBT/may.csv')).size, 70_001);
	const second = await two.open('/tokenize/GBT/may.csv', RESUME);
	await second.write(70_001, Buffer.from(BYTES.subarray(70_001)));
	await second.close();
	await first.abandon();
	t.is(setting.jobs.length, 1);
	const reader = await setting.drops.open(
		(await dropStore(setting.rooms.database.knex).findById(setting.jobs[0].input_id))!,
	);
	t.deepEqual(await reader.read(0, 1e9), BYTES);
	await reader.close();
});

test('the same name may be accepted again while its first job waits', async (t) => {
	const setting = await setUp(t);
	const tree = setting.view();
	await put(tree, '/tokenize/GBT/may.csv', Buffer.from('one'));
	await put(tree, '/tokenize/GBT/may.csv', Buffer.from('two!'));
	await put(tree, '/tokenize/GBT/x.filepart', Buffer.from('three'));
	await tree.rename('/tokenize/GBT/x.filepart', '/tokenize/GBT/may.csv', false);
	t.deepEqual(
		setting.jobs.map((job) => job.bytes_total),
		[3, 4, 5],
	);
	t.deepEqual(await names(tree, '/tokenize/GBT'), ['may.csv']);
	t.is((await tree.attributes('/tokenize/GBT/may.csv')).size, 5);
});

test('an empty file is accepted like any other', async (t) => {
	const setting = await setUp(t);
	await put(setting.view(), '/tokenize/GBT/empty.csv', Buffer.alloc(0));
	t.is(setting.jobs[0].bytes_total, 0);
});

test('outputs and reports are read at any place, renamed in their folder, removed, and never written', async (t) => {
	const setting = await setUp(t);
	const tree = setting.view();
	await publish(setting, 'tokenized', 'may.csv', BYTES);
	await publish(setting, 'tokenized', 'june.csv', BYTES);
	await publish(setting, 'reports', 'may.csv.1.json', Buffer.from('{}'));
	const file = await tree.open('/tokenized/GBT/may.csv', READ);
	t.deepEqual(await file.read(131_000, 500), BYTES.subarray(131_000, 131_500));
	t.is((await file.read(BYTES.length, 10)).length, 0);
	t.is((await file.attributes()).size, BYTES.length);
	await refused(t, file.write(0, Buffer.from('x')), 'permission-denied', /reading only/);
	await tree.remove('/tokenized/GBT/may.csv');
	t.deepEqual(await file.read(0, 10), BYTES.subarray(0, 10), 'an open file stays readable');
	await file.close();
	await refused(t, tree.open('/tokenized/GBT/x.csv', PUT), 'permission-denied', /put yours into \/tokenize\/GBT/);
	await refused(
		t,
		tree.rename('/tokenized/GBT/june.csv', '/tokenized/CSV/june.csv', false),
		'permission-denied',
		/within/,
	);
	await tree.rename('/tokenized/GBT/june.csv', '/tokenized/GBT/june.done', false);
	await publish(setting, 'tokenized', 'june.csv', Buffer.from('new'));
	await refused(
		t,
		tree.rename('/tokenized/GBT/june.csv', '/tokenized/GBT/june.done', false),
		'failure',
		/exists already/,
	);
	await tree.rename('/tokenized/GBT/june.csv', '/tokenized/GBT/june.done', true);
	t.deepEqual(await get(tree, '/tokenized/GBT/june.done'), Buffer.from('new'));
	await tree.remove('/reports/GBT/may.csv.1.json');
	t.deepEqual(await names(tree, '/reports/GBT'), []);
});

test('an unfinished upload can be removed and renamed without being accepted', async (t) => {
	const setting = await setUp(t);
	const tree = setting.view();
	await put(tree, '/tokenize/GBT/a.part');
	await tree.rename('/tokenize/GBT/a.part', '/tokenize/GBT/b.part', false);
	t.is(setting.jobs.length, 0);
	await tree.remove('/tokenize/GBT/b.part');
	t.deepEqual(await names(tree, '/tokenize/GBT'), []);
	const open = await tree.open('/tokenize/GBT/c.csv', PUT);
	await refused(t, tree.rename('/tokenize/GBT/c.csv', '/tokenize/GBT/d.csv', false), 'failure', /close it first/);
	await refused(t, tree.open('/tokenize/GBT/c.csv', READ), 'failure', /being received/);
	await refused(t, tree.open('/tokenize/GBT/c.csv', { ...PUT, exclusive: true }), 'failure', /exists already/);
	await open.abandon();
	const blobs = await collect(setting.rooms.blobs.list());
	t.is(blobs.length, 1, 'the removed upload left nothing on disk');
});

test('folders ask for their permission by name, and stay visible without it', async (t) => {
	const setting = await setUp(t);
	await publish(setting, 'detokenized', 'may.csv', BYTES);
	const tree = setting.view(['FileTokenize']);
	t.is((await tree.attributes('/detokenize/GBT')).kind, 'directory');
	await refused(
		t,
		tree.open('/detokenize/GBT/a.csv', PUT),
		'permission-denied',
		/Permission FileDetokenize is required/,
	);
	await refused(t, tree.open('/detokenized/GBT/may.csv', READ), 'permission-denied', /FileDetokenize/);
	await refused(t, names(tree, '/detokenized/GBT'), 'permission-denied', /FileDetokenize/);
	await refused(t, tree.remove('/detokenized/GBT/may.csv'), 'permission-denied', /FileDetokenize/);
	await refused(t, setting.view([]).open('/tokenize/GBT/a.csv', PUT), 'permission-denied', /FileTokenize/);
	await put(setting.view(['FileDetokenize']), '/detokenize/GBT/a.csv');
	t.is(setting.jobs[0].operation, 'detokenize');
});

test('an account sees its own files only', async (t) => {
	const setting = await setUp(t);
	await put(setting.view(undefined, 'alice', 7), '/tokenize/GBT/a.part');
	t.deepEqual(await names(setting.view(undefined, 'eve', 8), '/tokenize/GBT'), []);
	await refused(
		t,
		setting.view(undefined, 'eve', 8).open('/tokenize/GBT/a.part', READ),
		'no-such-file',
		/no such file/,
	);
});

const badName = test.macro({
	title: (_, what: string) => `a name is refused that has ${what}`,
	async exec(t: ExecutionContext, _what: string, name: string, message: RegExp) {
		const tree = (await setUp(t)).view();
		await refused(t, tree.open(`/tokenize/GBT/${name}`, PUT), 'failure', message);
		await put(tree, '/tokenize/GBT/ok.part');
		await refused(t, tree.rename('/tokenize/GBT/ok.part', `/tokenize/GBT/${name}`, false), 'failure', message);
	},
});
test(badName, 'too many bytes', 'ä'.repeat(101), /200 bytes/);
test(badName, 'control characters', 'a\u0007b', /control characters/);
test(badName, 'a card number', 'card-4111 1111 1111 1111.csv', /card numbers/);

test('a folder of many names is listed in pages, in order, each name once', async (t) => {
	const setting = await setUp(t);
	const rows = Array.from({ length: 1234 }, (_, i) => ({
		...{
			account_id: 7,
			area: 'tokenized',
			filter: 'GBT',
			name: `f${String(i).padStart(5, '0')}`,
			blob_id: `b${i}`,
			size: 1,
		},
		...{ state: 'ready', created_at: 1, modified_at: 1 },
	}));
	await setting.rooms.database.knex.batchInsert('drop_files', rows, 100);
	const pages: number[] = [];
	for await (const page of setting.view().list('/tokenized/GBT')) pages.push(page.length);
	t.deepEqual(pages, [500, 500, 234]);
	t.deepEqual(
		await names(setting.view(), '/tokenized/GBT'),
		rows.map((row) => row.name),
	);
});

test('a failure of the database at the moment of accepting leaves an upload that is accepted later', async (t) => {
	const setting = await setUp(t);
	const tree = setting.view();
	const file = await tree.open('/tokenize/GBT/may.csv', PUT);
	await file.write(0, Buffer.from(BYTES));
	await setting.rooms.database.knex.schema.renameTable('jobs', 'jobs_away');
	await t.throwsAsync(file.close());
	await setting.rooms.database.knex.schema.renameTable('jobs_away', 'jobs');
	t.is((await tree.attributes('/tokenize/GBT/may.csv')).size, BYTES.length);
	await (await tree.open('/tokenize/GBT/may.csv', RESUME)).close();
	t.is(setting.jobs[0].bytes_total, BYTES.length);
	t.is((await jobStore(setting.rooms.database.knex).list({ limit: 9 })).length, 1);
});
