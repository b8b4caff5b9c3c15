// Several files may have one name: checks what clients see then (shapes §10).

import test from 'ava';
import { transact } from '../../src/base/database/dialect.ts';
import type { Audit } from '../../src/trail/audit.ts';
import { dropStore, folderOf } from '../../src/work/drops/drop-store.ts';
import { sessionGuards } from '../../src/work/folders/guards.ts';
import { keepFailedInput } from '../../src/work/jobs/attempts/publish.ts';
import type { JobRow } from '../../src/work/jobs/job.ts';
import {
	BYTES,
	get,
	names,
	openView,
	PUT,
	publish,
	put,
	READ,
	RESUME,
	refused,
	type ViewSetting,
} from '../helpers/drops-view.ts';

/** The mode in which scp opens a file, which neither truncates nor appends. */
const IN_PLACE = RESUME;
const APPENDING = { ...RESUME, append: true };

/** Returns the guards of a session of alice's SSH key that write to the given trail. */
function guardsWith(audit: Pick<Audit, 'record'>) {
	const principal = { userId: 'alice', sshKeyId: 3 } as never;
	const standing = { check: () => undefined, release: () => {} };
	return sessionGuards(principal, { standing, audit, address: '192.0.2.1', noteFetch: async () => {} });
}

/** Lets a job fail, and does to its input what a failed job does. */
async function fail({ parts }: ViewSetting, job: JobRow): Promise<void> {
	await parts.database.knex('jobs').where({ id: job.id }).update({ state: 'failed' });
	await transact(parts.database, (transaction) => keepFailedInput(transaction, job, Date.now()));
}

/** Returns the bytes of the file that was accepted last. */
async function lastAccepted({ parts, drops, jobs }: ViewSetting): Promise<Buffer> {
	const input = (await dropStore(parts.database.knex).findById(jobs.at(-1)!.input_id))!;
	const reader = await drops.open(folderOf(input), input);
	try {
		return await reader.read(0, 1e9);
	} finally {
		await reader.close();
	}
}

test('a file that could not be processed is listed as failed; it can be removed, not read back, renamed or gone on with', async (t) => {
	const setting = await openView(t);
	const tree = setting.view();
	await put(tree, '/tokenize/GBT/may.csv');
	await fail(setting, setting.jobs[0]);
	t.deepEqual(await names(tree, '/tokenize/GBT'), ['may.csv.failed']);
	const where = /could not be processed, its report in \/reports\/GBT says why/;
	const path = '/tokenize/GBT/may.csv.failed';
	t.is((await tree.attributes(path)).size, BYTES.length);
	await refused(t, tree.open(path, READ), 'permission-denied', where);
	await refused(t, tree.open(path, { ...RESUME, create: false }), 'permission-denied', where);
	await refused(t, tree.rename(path, '/tokenize/GBT/b.csv', false), 'permission-denied', where);
	setting.wait(1);
	await refused(t, setting.view().attributes('/tokenize/GBT/may.csv'), 'no-such-file', /no such file/);
	await tree.remove(path);
	t.deepEqual(await names(tree, '/tokenize/GBT'), []);
});

test('the uploader is told the received size of a file that failed meanwhile, under the name it was sent as', async (t) => {
	const setting = await openView(t);
	const tree = setting.view();
	await put(tree, '/tokenize/GBT/may.csv');
	await fail(setting, setting.jobs[0]);
	t.is((await tree.attributes('/tokenize/GBT/may.csv')).size, BYTES.length);
});

test('a corrected file is accepted under the name of one that failed, in whatever way it is opened', async (t) => {
	const setting = await openView(t);
	const corrected = Buffer.from('a corrected file');
	let sent = 0;
	for (const mode of [PUT, IN_PLACE, APPENDING, { ...PUT, exclusive: true }]) {
		await put(setting.view(), '/tokenize/GBT/may.csv');
		await fail(setting, setting.jobs.at(-1)!);
		setting.wait(1);
		await put(setting.view(), '/tokenize/GBT/may.csv', corrected, 7, mode);
		t.deepEqual(await lastAccepted(setting), corrected);
		sent += 2;
		t.is(setting.jobs.length, sent);
		await setting.parts.database.knex('drop_files').where({ state: 'accepted' }).delete();
	}
	await put(setting.view(), '/tokenize/GBT/x.part', corrected);
	await setting.view().rename('/tokenize/GBT/x.part', '/tokenize/GBT/may.csv', false);
	t.like(setting.jobs.at(-1), { name: 'may.csv', bytes_total: corrected.length });
});

test('a touch of a file that failed makes no empty one, however it is opened', async (t) => {
	const setting = await openView(t);
	const [tree, other] = [setting.view(), setting.view()];
	await put(tree, '/tokenize/GBT/may.csv');
	await fail(setting, setting.jobs[0]);
	t.is((await other.attributes('/tokenize/GBT/may.csv')).size, BYTES.length);
	for (const mode of [IN_PLACE, { ...RESUME, exclusive: true }, { ...PUT, exclusive: true }]) {
		await (await other.open('/tokenize/GBT/may.csv', mode)).close();
	}
	t.is(setting.jobs.length, 1);
	t.deepEqual(await names(setting.view(), '/tokenize/GBT'), ['may.csv.failed']);
});

test('a file sent in place from its start is accepted anew while an earlier one of its name waits', async (t) => {
	const setting = await openView(t);
	const tree = setting.view();
	await put(tree, '/tokenize/GBT/may.csv');
	await put(tree, '/tokenize/GBT/may.csv', Buffer.from('the second'), 4, IN_PLACE);
	t.deepEqual(
		setting.jobs.map((job) => job.bytes_total),
		[BYTES.length, 10],
	);
	t.deepEqual(await lastAccepted(setting), Buffer.from('the second'));
});

test('the rest of a file that was accepted is never taken for a file', async (t) => {
	const setting = await openView(t);
	const [tree, other] = [setting.view(), setting.view()];
	await put(tree, '/tokenize/GBT/may.csv', Buffer.from('0123456789'));
	await fail(setting, setting.jobs[0]);
	setting.wait(1);
	// These sessions still know the name, so a client that resumes would send only what it takes for missing.
	for (const session of [tree, other]) {
		const opened = session.open('/tokenize/GBT/may.csv', APPENDING);
		await refused(t, opened, 'permission-denied', /send it again from its start/);
	}
	for (const [session, mode] of [
		[tree, IN_PLACE],
		[setting.view(), IN_PLACE],
		[setting.view(), APPENDING],
	] as const) {
		const file = await session.open('/tokenize/GBT/may.csv', mode);
		await file.write(10, Buffer.from('rest'));
		await refused(t, file.close(), 'failure', /bytes 0 to 9 never came/);
		await session.remove('/tokenize/GBT/may.csv');
	}
	t.is(setting.jobs.length, 1);
});

test('opening the name of an accepted file without sending a byte changes nothing', async (t) => {
	const setting = await openView(t);
	const tree = setting.view();
	await put(tree, '/tokenize/GBT/may.csv');
	await (await tree.open('/tokenize/GBT/may.csv', IN_PLACE)).close();
	await setting.parts.database.knex('drop_files').delete();
	await (await tree.open('/tokenize/GBT/may.csv', IN_PLACE)).close();
	t.is(setting.jobs.length, 1);
	t.deepEqual(await names(tree, '/tokenize/GBT'), []);
	await (await setting.view().open('/tokenize/GBT/new.csv', IN_PLACE)).close();
	t.like(setting.jobs[1], { name: 'new.csv', bytes_total: 0 });
});

test('a file sent in place from its start takes nothing over from an upload that broke off', async (t) => {
	const setting = await openView(t);
	for (const bytes of [BYTES.subarray(0, 100), Buffer.from('quite another content')]) {
		const broken = await setting.view().open('/tokenize/GBT/may.csv', PUT);
		await broken.write(0, Buffer.from(BYTES.subarray(0, 70_001)));
		await broken.abandon();
		await put(setting.view(), '/tokenize/GBT/may.csv', bytes, 10, IN_PLACE);
		t.deepEqual(await lastAccepted(setting), bytes);
	}
});

test('an upload that begins anew and breaks off again is gone on with', async (t) => {
	const setting = await openView(t);
	const broken = await setting.view().open('/tokenize/GBT/may.csv', PUT);
	await broken.write(0, Buffer.from('0123456789'));
	await broken.abandon();
	const again = await setting.view().open('/tokenize/GBT/may.csv', IN_PLACE);
	const writes = [again.write(0, Buffer.from('abc')), again.write(3, Buffer.from('def'))];
	await again.abandon();
	await Promise.all(writes);
	const third = setting.view();
	t.is((await third.attributes('/tokenize/GBT/may.csv')).size, 6);
	const file = await third.open('/tokenize/GBT/may.csv', APPENDING);
	await file.write(6, Buffer.from('ghi'));
	await file.close();
	t.deepEqual(await lastAccepted(setting), Buffer.from('abcdefghi'));
});

test('the names of files keep their case: two spellings are two files', async (t) => {
	const setting = await openView(t);
	const tree = setting.view();
	await put(tree, '/tokenize/GBT/May.csv', Buffer.from('one'));
	await put(tree, '/tokenize/GBT/may.csv', Buffer.from('three'));
	t.deepEqual(await names(tree, '/tokenize/GBT'), ['May.csv', 'may.csv']);
});

test('folders are found in any case and listed in one', async (t) => {
	const setting = await openView(t);
	const tree = setting.view();
	await put(tree, '/Tokenize/gbt/may.part');
	t.deepEqual(await names(tree, '/tokenize/GBT'), ['may.part']);
	t.deepEqual(await names(tree, '/TOKENIZE/Gbt'), ['may.part']);
	await tree.rename('/tokenize/gbt/may.part', '/tokenize/GBT/may.csv', false);
	t.like(setting.jobs[0], { filter: 'GBT', name: 'may.csv' });
	await setting.parts.database.knex('drop_files').delete();
	t.is(
		(await tree.attributes('/tokenize/Gbt/may.csv')).size,
		BYTES.length,
		'remembered by the file, not by the spelling',
	);
	t.deepEqual((await names(tree, '/tokenize')).slice(0, 2), ['TADC', 'GBT']);
	t.is((await tree.attributes('/tokenized/gbt')).kind, 'directory');
});

test('every reading of clear card numbers is in the audit trail, however its path is spelled', async (t) => {
	const setting = await openView(t);
	await publish(setting, 'detokenized', 'may.csv', BYTES);
	await publish(setting, 'tokenized', 'may.csv', BYTES);
	const entries: object[] = [];
	const record = async (entry: object) => void entries.push(entry);
	const tree = setting.view(undefined, undefined, undefined, guardsWith({ record } as never));
	const expected = {
		actor: { userId: 'alice', credential: 'ssh-key 3', address: '192.0.2.1' },
		action: 'file.download',
		subject: '/detokenized/GBT/may.csv',
	};
	for (const path of ['/detokenized/GBT/may.csv', '/detokenized/gbt/may.csv', '/DeTokenized/Gbt//may.csv']) {
		t.deepEqual(await get(tree, path), BYTES);
		t.deepEqual(entries.splice(0), [expected], path);
	}
	await tree.rename('/detokenized/gbt/may.csv', '/detokenized/GBT/june.csv', false);
	await get(tree, '/detokenized/gbt/june.csv');
	t.deepEqual(entries.splice(0), [{ ...expected, subject: '/detokenized/GBT/june.csv' }]);
	await get(tree, '/tokenized/gbt/may.csv');
	t.deepEqual(entries, []);
});

test('nothing leaves where the audit trail cannot be written', async (t) => {
	const setting = await openView(t);
	await publish(setting, 'detokenized', 'may.csv', BYTES);
	const record = async () => {
		throw new Error('the trail is away');
	};
	const tree = setting.view(undefined, undefined, undefined, guardsWith({ record } as never));
	await t.throwsAsync(tree.open('/detokenized/gbt/may.csv', READ), { message: /trail is away/ });
});
