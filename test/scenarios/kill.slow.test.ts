// The daemon is ended by kill -9 at every bad moment: what was acknowledged is there afterwards, once and whole.

import { createHash, randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { generate } from '../../bench/generate.ts';
import { type OpenedParts, openInstallation, type RunningDaemon } from '../helpers/daemon.ts';
import { checkAtRest, settledJobs } from '../helpers/daemon-checks.ts';
import { demoDoor, opensshSftp } from '../helpers/daemon-clients.ts';
import { answer, openSession, type Session } from '../helpers/daemon-session.ts';
import { sizeOf } from '../helpers/runs.ts';
import { testNeeding } from '../helpers/test-needing.ts';
import { until } from '../helpers/until.ts';

const sshTest = testNeeding('OpenSSH (openssh-client)');

const MEGABYTE = 1_000_000;

const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Makes a booking file of about `bytes` bytes, in which every card number is a different one. */
async function makeFile(folder: string, name: string, bytes: number) {
	const made = generate('SIMPLECSV', join(folder, name), bytes);
	return { name, ...made, digest: digest(await readFile(made.path)) };
}

type MadeFile = Awaited<ReturnType<typeof makeFile>>;

/** Checks that every output is there once, has a token a record and no number, and detokenizes to its exact original. */
async function checkOutputs(t: ExecutionContext, session: Session, parts: OpenedParts, files: readonly MadeFile[]) {
	const names = files.map(({ name }) => name).toSorted();
	t.deepEqual(await session.names('/tokenized/SIMPLECSV'), names);
	t.deepEqual(await session.names('/tokenize/SIMPLECSV'), []);
	for (const file of files) {
		const tokens = `${file.path}.tokens`;
		await session.download(`/tokenized/SIMPLECSV/${file.name}`, tokens);
		const text = await readFile(tokens, 'latin1');
		t.is(text.match(/,[0-9a-f]{32},/gi)?.length, file.records);
		t.notRegex(text, /\d{13}/);
		await session.upload(tokens, `/detokenize/SIMPLECSV/${file.name}`);
	}
	await settledJobs(parts);
	for (const file of files) {
		const back = `${file.path}.back`;
		await session.download(`/detokenized/SIMPLECSV/${file.name}`, back);
		t.is(digest(await readFile(back)), file.digest, `${file.name} comes back`);
	}
	const jobs = await settledJobs(parts);
	t.is(jobs.length, 2 * files.length);
	t.true(jobs.every(({ state }) => state === 'done'));
}

sshTest.serial(
	'killed in the middle of an upload: the client goes on where it was, nothing came out before',
	async (t) => {
		const installation = await openInstallation(t);
		const first = await installation.start();
		const file = await makeFile(installation.folder, 'upload.csv', 3 * MEGABYTE);
		const parts = await installation.parts();
		// At 16 Mbit/s the kill comes well before the end of the upload.
		const put = opensshSftp(
			demoDoor(installation, first),
			[`put ${file.path} /tokenize/SIMPLECSV/upload.csv`],
			['-l', '16000'],
		);
		await until('the upload is under way', async () => (await blobBytes(parts)) > MEGABYTE);
		await first.kill();
		t.not((await put).code, 0);

		const second = await installation.start();
		const session = await openSession(t, installation, second);
		const { size } = await answer<{ size: number }>((done) =>
			session.sftp.stat('/tokenize/SIMPLECSV/upload.csv', done),
		);
		t.true(size > MEGABYTE / 2 && size < file.bytes, `${size} bytes are kept`);
		t.deepEqual(await session.names('/tokenized/SIMPLECSV'), []);
		t.deepEqual(await settledJobs(parts), []);

		const resumed = await opensshSftp(demoDoor(installation, second), [
			`put -a ${file.path} /tokenize/SIMPLECSV/upload.csv`,
		]);
		t.is(resumed.code, 0, resumed.stderr);
		const rest = `"bytesWritten":${file.bytes - size},`;
		await until('the line that says that only the rest was sent again', () => second.log().includes(rest));
		await session.arrival('/tokenized/SIMPLECSV/upload.csv');
		await checkOutputs(t, session, parts, [file]);
		await checkAtRest(t, parts);
	},
);

async function blobBytes({ blobs }: OpenedParts): Promise<number> {
	let bytes = 0;
	for await (const { size } of blobs.list()) bytes += size;
	return bytes;
}

/** Sends a file and kills the daemon in the very callback that says it was taken, before anything else can happen. */
async function sendAndKill(session: Session, { pid }: RunningDaemon, file: MadeFile, way: 'CLOSE' | 'RENAME') {
	const path = `/tokenize/SIMPLECSV/${file.name}`;
	const sentAs = way === 'CLOSE' ? path : `${path}.part`;
	const handle = await answer<Buffer>((done) => session.sftp.open(sentAs, 'w', done));
	const bytes = await readFile(file.path);
	await answer<void>((done) => session.sftp.write(handle, bytes, 0, bytes.length, 0, done));
	const killing = (done: (error?: Error | null) => void) => (error?: Error | null) => {
		process.kill(pid, 'SIGKILL');
		done(error);
	};
	if (way === 'CLOSE') return answer<void>((done) => session.sftp.close(handle, killing(done)));
	await answer<void>((done) => session.sftp.close(handle, done));
	return answer<void>((done) => session.sftp.rename(sentAs, path, killing(done)));
}

test.serial('killed right after CLOSE or RENAME was answered: the file is processed', async (t) => {
	const installation = await openInstallation(t);
	let daemon = await installation.start();
	const files: MadeFile[] = [];
	for (const way of ['CLOSE', 'RENAME', 'CLOSE'] as const) {
		const file = await makeFile(installation.folder, `acknowledged-${files.length}.csv`, MEGABYTE / 4);
		await sendAndKill(await openSession(t, installation, daemon), daemon, file, way);
		await daemon.kill();
		files.push(file);
		daemon = await installation.start();
	}
	const parts = await installation.parts();
	t.is((await settledJobs(parts)).length, 3);
	await checkOutputs(t, await openSession(t, installation, daemon), parts, files);
	await checkAtRest(t, parts);
});

test.serial(
	'stopped in order during a job, with no time to drain: the job loses no attempt and is done after',
	async (t) => {
		const variables = { TOKENDROP_SHUTDOWN_DRAIN_SECONDS: '0' };
		const installation = await openInstallation(t, { variables });
		const first = await installation.start();
		const parts = await installation.parts();
		const file = await makeFile(installation.folder, 'stopped.csv', sizeOf(8 * MEGABYTE));
		const session = await openSession(t, installation, first);
		await session.upload(file.path, '/tokenize/SIMPLECSV/stopped.csv');
		const isWriting = async () => (await parts.database.knex('page_blocks').limit(1)).length > 0;
		await until('the job writes pages', isWriting, { everyMs: 5 });
		t.is(await first.stop(), 0, first.log());
		const [job] = await parts.database.knex('jobs');
		t.like(job, { state: 'queued', attempts: 0, claimed_by: null });
		const second = await installation.start();
		await settledJobs(parts);
		await checkOutputs(t, await openSession(t, installation, second), parts, [file]);
		await checkAtRest(t, parts);
	},
);

test.serial('killed again and again while files are processed: every file comes out once and whole', async (t) => {
	const installation = await openInstallation(t, { variables: { TOKENDROP_WORKERS: '2' } });
	let daemon = await installation.start();
	const parts = await installation.parts();
	const uploading = await openSession(t, installation, daemon);
	const files: MadeFile[] = [];
	for (let n = 0; n < 3; n++) files.push(await makeFile(installation.folder, `job-${n}.csv`, sizeOf(10 * MEGABYTE)));
	const partial = (name: string) => `/tokenize/SIMPLECSV/${name}.filepart`;
	for (const { path, name } of files) await uploading.upload(path, partial(name));
	// The files are accepted together, so that there is work for every kill.
	for (const { name } of files) await uploading.rename(partial(name), `/tokenize/SIMPLECSV/${name}`);
	const { knex } = parts.database;
	const lastPage = async () => Number((await knex('pages').max({ id: 'id' }).first())?.id ?? 0);
	const hits: string[] = [];
	for (let kills = 0; kills < 4; kills++) {
		const before = await lastPage();
		const underWay = await until('an attempt writes pages, or all have ended', async () => {
			const states: string[] = await knex('jobs').distinct().pluck('state');
			if (states.every((state) => state === 'done')) return 'ended';
			return (await lastPage()) > before && 'writing';
		});
		if (underWay === 'ended') break;
		// A file that is alone at a third kill is taken for the cause, and fails (src/work/jobs/queue/crashes.ts).
		if (await knex('jobs').where({ crashes_alone: 2 }).first()) break;
		// The kill may come at the first pages of a job, in its midst, when it publishes, or when the next job starts.
		if (kills > 0) await sleep(randomInt(0, 300));
		await daemon.kill();
		hits.push(...(await knex('jobs').where({ state: 'running' }).pluck('name')));
		daemon = await installation.start();
	}
	t.true(hits.length > 0, 'a kill met a running job');
	t.log(`attempts cut off: ${hits.join(', ')}`);
	await settledJobs(parts, 60_000);
	await checkOutputs(t, await openSession(t, installation, daemon), parts, files);
	await checkAtRest(t, parts);
	t.is((await installation.command('audit', 'verify')).code, 0);
	t.is(await daemon.stop(), 0);
});

/**
 * Uploads a file to each of two daemons that share a database, and silences one of them while it works on a job. The
 * other must take over. If `silence` returns a function, it wakes the daemon again when all jobs have ended.
 */
async function loseOneOfTwo(
	t: ExecutionContext,
	silence: (daemon: RunningDaemon) => Promise<(() => void) | undefined>,
) {
	// The process that was started is then the one that has the job.
	const variables = { TOKENDROP_JOBS_LEASE_SECONDS: '2', TOKENDROP_PROCESSES: '1' };
	const installation = await openInstallation(t, { dialect: 'postgres', variables });
	const daemons = [await installation.start(), await installation.start()];
	const parts = await installation.parts();
	const files: MadeFile[] = [];
	for (let n = 0; n < 2; n++) files.push(await makeFile(installation.folder, `two-${n}.csv`, sizeOf(6 * MEGABYTE)));
	const sessions = await Promise.all(daemons.map((daemon) => openSession(t, installation, daemon)));
	await Promise.all(files.map((file, n) => sessions[n].upload(file.path, `/tokenize/SIMPLECSV/${file.name}`)));
	const claimant = await until(
		'a job writes pages',
		async () => {
			const jobs = parts.database.knex('page_blocks').join('jobs', 'jobs.id', 'page_blocks.job_id');
			const row = await jobs.where({ state: 'running' }).first('claimed_by');
			return row?.claimed_by as string | undefined;
		},
		{ everyMs: 5 },
	);
	const dead = daemons.findIndex(({ pid }) => claimant.split(':')[1] === String(pid));
	const wake = await silence(daemons[dead]);
	const left: { claimed_by: string }[] = await parts.database.knex('jobs').where({ state: 'running' });
	t.true(
		left.some(({ claimed_by }) => claimed_by === claimant),
		'the daemon had a running job',
	);
	const survivor = 1 - dead;
	await settledJobs(parts);
	if (wake) {
		wake();
		t.is(await daemons[dead].stop(), 0);
	}
	t.regex(daemons[survivor].log(), /jobs of a silent daemon are queued again/);
	await checkOutputs(t, sessions[survivor], parts, files);
	await checkAtRest(t, parts);
	t.is(await daemons[survivor].stop(), 0);
}

test.serial('of two daemons on one PostgreSQL one is killed during a job: the other takes it over', async (t) => {
	await loseOneOfTwo(t, async (daemon) => {
		await daemon.kill();
		return undefined;
	});
});

test.serial(
	'of two daemons on one PostgreSQL one stands still for longer than its lease: nothing it does later counts',
	async (t) => {
		await loseOneOfTwo(t, async ({ pid }) => {
			process.kill(pid, 'SIGSTOP');
			return () => process.kill(pid, 'SIGCONT');
		});
	},
);
