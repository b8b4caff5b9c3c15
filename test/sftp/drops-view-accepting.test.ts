import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { AccountId } from '../../src/base/database/ids.ts';
import { dropStore, folderOf } from '../../src/work/drops/drop-store.ts';
import { ANY_FILTER, putFormatOptions } from '../../src/work/jobs/format-options.ts';
import { listNewestJobs } from '../../src/work/jobs/job-page-store.ts';
import {
	BYTES,
	get,
	names,
	openView,
	PUT,
	put,
	READ,
	RESUME,
	refused,
	type ViewSetting,
} from '../helpers/drops-view.ts';
import { collect } from '../helpers/file-parts.ts';

/** Removes the inputs of all jobs, as finished jobs do. */
async function consume({ parts, jobs }: ViewSetting): Promise<void> {
	for (const job of jobs) await dropStore(parts.database.knex).remove(job.input_id);
}

test('closing a file under a final name accepts it: one job, bytes as sent, sealed', async (t) => {
	const setting = await openView(t);
	const tree = setting.view();
	await put(tree, '/tokenize/GBT/july.csv');
	const [job] = setting.jobs;
	t.like(job, { name: 'july.csv', filter: 'GBT', operation: 'tokenize', state: 'queued', bytes_total: BYTES.length });
	t.like(job, { account_id: 7, user_id: 'alice' });
	const input = (await dropStore(setting.parts.database.knex).findById(job.input_id))!;
	t.is(input.state, 'accepted');
	const reader = await setting.drops.open(folderOf(input), input);
	t.deepEqual(await reader.read(0, 1e9), BYTES);
	await reader.close();
	for (const shard of await readdir(setting.parts.folder)) {
		for (const blob of await readdir(join(setting.parts.folder, shard))) {
			// The letters l and u never occur in an id, so the name cannot be in it by chance.
			t.notRegex(blob, /july/);
			t.is((await readFile(join(setting.parts.folder, shard, blob))).indexOf('4111111'), -1);
		}
	}
	t.deepEqual(await names(tree, '/tokenize/GBT'), ['july.csv']);
});

test('an accepted file can neither be read back, changed, renamed nor removed', async (t) => {
	const tree = (await openView(t)).view();
	await put(tree, '/tokenize/GBT/may.csv');
	await refused(t, tree.open('/tokenize/GBT/may.csv', READ), 'permission-denied', /appears in \/tokenized\/GBT/);
	for (const mode of [
		{ ...RESUME, append: true },
		{ ...RESUME, create: false },
	]) {
		await refused(t, tree.open('/tokenize/GBT/may.csv', mode), 'permission-denied', /send it again from its start/);
	}
	await refused(t, tree.remove('/tokenize/GBT/may.csv'), 'permission-denied', /cannot be removed/);
	await refused(t, tree.rename('/tokenize/GBT/may.csv', '/tokenize/GBT/b.csv', false), 'permission-denied', /renamed/);
});

const MINUTE_MS = 60_000;

test('the uploader is told the received size after the job has used the file up, and so are other sessions of the user', async (t) => {
	const setting = await openView(t);
	const [tree, other, bob] = [setting.view(), setting.view(), setting.view(undefined, 'bob')];
	await put(tree, '/tokenize/GBT/may.csv');
	await consume(setting);
	for (const each of [tree, other]) t.is((await each.attributes('/tokenize/GBT/may.csv')).size, BYTES.length);
	const gone = /finished files are in \/tokenized\/GBT/;
	await refused(t, bob.attributes('/tokenize/GBT/may.csv'), 'no-such-file', gone);
	await refused(t, tree.attributes('/detokenize/GBT/may.csv'), 'no-such-file', /./);
	t.deepEqual(await names(tree, '/tokenize/GBT'), []);
	setting.wait(9 * MINUTE_MS);
	t.is((await setting.view().attributes('/tokenize/GBT/may.csv')).size, BYTES.length);
	setting.wait(2 * MINUTE_MS);
	await refused(t, setting.view().attributes('/tokenize/GBT/may.csv'), 'no-such-file', gone);
	// A session is told what was sent while it was open, however long that is.
	t.is((await tree.attributes('/tokenize/GBT/may.csv')).size, BYTES.length);
});

test('a file renamed to its final name over one connection is found over another, as newer versions of rclone ask for it', async (t) => {
	const setting = await openView(t);
	const [tree, other] = [setting.view(), setting.view()];
	await put(tree, '/tokenize/GBT/may.csv.a1b2c3d4.partial');
	await other.rename('/tokenize/GBT/may.csv.a1b2c3d4.partial', '/tokenize/GBT/may.csv', true);
	await consume(setting);
	t.is((await tree.attributes('/tokenize/GBT/may.csv')).size, BYTES.length);
	await refused(t, tree.open('/tokenize/GBT/may.csv', { ...PUT, exclusive: true }), 'failure', /exists already/);
});

test('a sent file can be removed by name after its job has used it up, and is gone for every session then', async (t) => {
	const setting = await openView(t);
	const [tree, other] = [setting.view(), setting.view()];
	await put(tree, '/tokenize/GBT/may.csv');
	await consume(setting);
	await other.remove('/tokenize/GBT/may.csv');
	for (const each of [tree, other]) {
		await refused(t, each.attributes('/tokenize/GBT/may.csv'), 'no-such-file', /no such file/);
		await refused(t, each.remove('/tokenize/GBT/may.csv'), 'no-such-file', /no such file/);
	}
	await put(tree, '/tokenize/GBT/may.csv', Buffer.from('anew'));
	await consume(setting);
	t.is((await other.attributes('/tokenize/GBT/may.csv')).size, 4);
});

test('a touch of a file that was used up meanwhile makes no second, empty one; sent anew it is accepted', async (t) => {
	const setting = await openView(t);
	const tree = setting.view();
	await put(tree, '/tokenize/GBT/may.csv');
	await consume(setting);
	const touch = { ...RESUME, exclusive: true };
	await refused(t, tree.open('/tokenize/GBT/may.csv', touch), 'failure', /exists already/);
	t.is(setting.jobs.length, 1);
	await put(tree, '/tokenize/GBT/may.csv');
	t.is(setting.jobs.length, 2);
});

test('a name that is shown after its job has used the file up is there for every call', async (t) => {
	const setting = await openView(t);
	const tree = setting.view();
	const path = '/tokenize/GBT/may.csv';
	const WITHOUT_CREATING = { ...PUT, create: false };
	await refused(t, tree.open(path, WITHOUT_CREATING), 'no-such-file', /no such file/);
	await put(tree, path);
	await consume(setting);
	await refused(t, tree.open(path, READ), 'permission-denied', /accepted: it cannot be read back/);
	await refused(
		t,
		tree.rename(path, '/tokenize/GBT/june.csv', false),
		'permission-denied',
		/accepted: it cannot be renamed/,
	);
	const inPlace = { ...WITHOUT_CREATING, truncate: false };
	await refused(t, tree.open(path, inPlace), 'permission-denied', /accepted: send it again from its start/);
	await put(tree, path, Buffer.from('anew'), undefined, WITHOUT_CREATING);
	t.deepEqual(
		setting.jobs.map(({ bytes_total }) => bytes_total),
		[BYTES.length, 4],
	);
});

const partialName = test.macro({
	title: (_, name: string) => `${name} waits until it is renamed`,
	async exec(t: ExecutionContext, name: string) {
		const setting = await openView(t);
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
for (const name of ['a.csv.filepart', 'a.partial', 'a.part', 'A.TMP', '.a.csv.x7', 'a.csv.writing', 'a.csv.Uploading'])
	test(partialName, name);

test('the same name may be accepted again while its first job waits', async (t) => {
	const setting = await openView(t);
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
	const setting = await openView(t);
	await put(setting.view(), '/tokenize/GBT/empty.csv', Buffer.alloc(0));
	t.is(setting.jobs[0].bytes_total, 0);
});

test('an unfinished upload can be removed and renamed without being accepted', async (t) => {
	const setting = await openView(t);
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
	const blobs = await collect(setting.parts.blobs.list());
	t.is(blobs.length, 1, 'the removed upload left nothing on disk');
});

test('a failure of the database at the moment of accepting leaves an upload that is accepted later', async (t) => {
	const setting = await openView(t);
	const tree = setting.view();
	const file = await tree.open('/tokenize/GBT/may.csv', PUT);
	await file.write(0, Buffer.from(BYTES));
	await setting.parts.database.knex.schema.renameTable('jobs', 'jobs_away');
	await t.throwsAsync(file.close());
	await setting.parts.database.knex.schema.renameTable('jobs_away', 'jobs');
	t.is((await tree.attributes('/tokenize/GBT/may.csv')).size, BYTES.length);
	await (await tree.open('/tokenize/GBT/may.csv', RESUME)).close();
	t.is(setting.jobs[0].bytes_total, BYTES.length);
	t.is((await listNewestJobs(setting.parts.database, { limit: 9 })).length, 1);
});

test('files that accompany another one stay in the folder as they are, and can be removed', async (t) => {
	const setting = await openView(t);
	const tree = setting.view();
	for (const name of ['may.csv.md5', 'may.csv.OK', 'may.csv.sha256']) await put(tree, `/tokenize/GBT/${name}`);
	t.is(setting.jobs.length, 0);
	t.deepEqual(await names(tree, '/tokenize/GBT'), ['may.csv.OK', 'may.csv.md5', 'may.csv.sha256']);
	t.deepEqual(await get(tree, '/tokenize/GBT/may.csv.md5'), BYTES);
	await tree.remove('/tokenize/GBT/may.csv.md5');
	t.deepEqual(await names(tree, '/tokenize/GBT'), ['may.csv.OK', 'may.csv.sha256']);
});

test('a folder says which names are left alone, beside partial ones', async (t) => {
	const setting = await openView(t);
	const { parts } = setting;
	const putOptions = (filter: string, options: object) =>
		putFormatOptions(parts, { accountId: 7 as AccountId, filter }, options, () => {});
	await putOptions(ANY_FILTER, { leaveAlone: [] });
	await putOptions('GBT', { leaveAlone: ['done-*', '*.lock*'] });
	const tree = setting.view();
	for (const name of ['Done-may.csv', 'may.csv.lock', 'may.lock.3', 'x.part']) await put(tree, `/tokenize/GBT/${name}`);
	t.is(setting.jobs.length, 0);
	for (const [filter, name] of [
		['GBT', 'may.md5'],
		['GBT', 'not-done-may.csv'],
		['CSV', 'done-may.csv'],
		['CSV', 'may.writing'],
	]) {
		await put(tree, `/tokenize/${filter}/${name}`);
	}
	await tree.rename('/tokenize/GBT/may.lock.3', '/tokenize/GBT/may.csv', false);
	t.deepEqual(
		setting.jobs.map(({ filter, name }) => `${filter} ${name}`),
		['GBT may.md5', 'GBT not-done-may.csv', 'CSV done-may.csv', 'CSV may.writing', 'GBT may.csv'],
	);
});

test('an empty file that was accepted can be removed again by its sender, and is not processed', async (t) => {
	const setting = await openView(t);
	const [tree, bob] = [setting.view(), setting.view(undefined, 'bob')];
	const path = '/tokenize/GBT/probe';
	await put(tree, path, Buffer.alloc(0));
	await refused(t, bob.remove(path), 'permission-denied', /cannot be removed/);
	await tree.remove(path);
	await refused(t, tree.attributes(path), 'no-such-file', /no such file/);
	t.deepEqual(await listNewestJobs(setting.parts.database, { limit: 9 }), []);
	t.deepEqual(await collect(setting.parts.blobs.list()), []);
	// If its job has begun, it ends as usual, and the name is gone for the sender all the same.
	await put(tree, path, Buffer.alloc(0));
	await setting.parts.database.knex('jobs').update({ state: 'running', attempts: 1 });
	await tree.remove(path);
	t.is((await listNewestJobs(setting.parts.database, { limit: 9 })).length, 1);
	await consume(setting);
	await refused(t, tree.attributes(path), 'no-such-file', /no such file/);
});
