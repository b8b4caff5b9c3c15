// A daemon whose files are in a bucket works as one whose files are on a disk.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { generate } from '../../bench/generate.ts';
import { recoverUploads } from '../../src/work/drops/recover-uploads.ts';
import { bucketVariables } from '../helpers/bucket-variables.ts';
import { cardJson } from '../helpers/card-calls.ts';
import { openInstallation } from '../helpers/daemon.ts';
import { checkAtRest, settledJobs } from '../helpers/daemon-checks.ts';
import { answer, openSession } from '../helpers/daemon-session.ts';
import { openCommandRunner } from '../helpers/run-command.ts';
import { openS3Server } from '../helpers/s3-server.ts';
import { until } from '../helpers/until.ts';

const MEGABYTE = 1_000_000;
const PATH = '/tokenize/SIMPLECSV/may.csv';

async function openInBucket(t: ExecutionContext) {
	const server = await openS3Server(t, 'drops+of/ü/');
	const installation = await openInstallation(t);
	Object.assign(installation.variables, bucketVariables(server.place, join(installation.folder, 'secret')));
	return { server, installation };
}

async function readiness(opsPort: number) {
	const response = await fetch(`http://127.0.0.1:${opsPort}/readyz`);
	return { status: response.status, text: await response.text() };
}

test.serial(
	'a file goes in and out through a bucket, in which nobody can read it; doctor, /readyz and backup know',
	async (t) => {
		const { server, installation } = await openInBucket(t);
		const daemon = await installation.start();
		const parts = await installation.parts();
		const { path, records } = generate('SIMPLECSV', join(installation.folder, 'may.csv'), 7 * MEGABYTE);
		const clear = await readFile(path);
		const session = await openSession(t, installation, daemon);
		await session.upload(path, PATH);
		const tokens = await session.arrival('/tokenized/SIMPLECSV/may.csv');
		t.is(tokens.toString('latin1').match(/,[0-9a-f]{32},/gi)?.length, records);
		await session.put('/detokenize/SIMPLECSV/may.csv', tokens);
		t.true((await session.arrival('/detokenized/SIMPLECSV/may.csv')).equals(clear));
		t.deepEqual((await session.names('/tokenize/SIMPLECSV')).concat(await session.names('/detokenize/SIMPLECSV')), []);
		await settledJobs(parts);
		await checkAtRest(t, parts);

		const stored = Buffer.concat([...server.objects.values()]);
		t.true(stored.length > 14 * MEGABYTE);
		for (const line of clear.toString().split('\n').slice(1, 200))
			t.false(stored.includes(line), 'the bucket has no line in clear');
		t.false(existsSync(join(installation.dataDir, 'drops')));
		t.true([...server.objects.keys()].every((key) => key.startsWith('drops+of/ü/')));

		t.is((await readiness(daemon.opsPort)).status, 200);
		const metrics = await (await fetch(`http://127.0.0.1:${daemon.opsPort}/metrics`)).text();
		t.regex(metrics, /^tokendrop_drop_store_free_bytes \+Inf$/m);
		const findings = async () => {
			const { stdout } = await installation.command('doctor');
			return new Map<string, { state: string; says: string }>(
				JSON.parse(stdout).findings.map((each: { part: string }) => [each.part, each]),
			);
		};
		t.regex((await findings()).get('drops')!.says, /none is missing/);
		t.regex((await findings()).get('bucket')!.says, /keeps no former versions/);
		server.isVersioned = true;
		t.regex((await findings()).get('bucket')!.says, /keeps former versions of files, also of removed ones/);

		const backup = join(installation.folder, 'backup');
		const made = await installation.json('backup', 'create', backup);
		t.is(made.dropStore, installation.variables.TOKENDROP_DROPS_STORE);
		t.like(await installation.json('backup', 'verify', backup), { isWhole: true, dropStore: made.dropStore });
		const elsewhere = await openCommandRunner(t, {}, { isReady: false })('backup', 'restore', backup);
		t.regex(
			elsewhere.json.error.message,
			/the sealed files of the backup are in s3:.*, and the settings name no drops.store/,
		);

		await session.sftp.end();
		t.is(await daemon.stop(), 0);
		t.notRegex(installation.said(), /a secret key/);
	},
);

test.serial(
	'killed between two parts: nothing is listed as there, the client goes on, and the parts are given up',
	async (t) => {
		const { server, installation } = await openInBucket(t);
		const first = await installation.start();
		const parts = await installation.parts();
		const { path, bytes } = generate('SIMPLECSV', join(installation.folder, 'may.csv'), 14 * MEGABYTE);
		const content = await readFile(path);
		const send = async (daemon: typeof first, from: number, to: number) => {
			const { sftp } = await openSession(t, installation, daemon);
			const handle = await answer<Buffer>((done) => sftp.open(PATH, from > 0 ? 'r+' : 'w', done));
			for (let at = from; at < to; at += 32_768) {
				await answer<void>((done) => sftp.write(handle, content, at, Math.min(32_768, to - at), at, done));
			}
			return () => answer<void>((done) => sftp.close(handle, done));
		};
		await send(first, 0, 12 * MEGABYTE);
		await until('a part is stored', () => [...server.uploads.values()].some(({ parts: sent }) => sent.size > 0));
		await first.kill();
		t.is(server.uploads.size, 1);

		const second = await installation.start();
		const session = await openSession(t, installation, second);
		t.deepEqual(await session.names('/tokenized/SIMPLECSV'), []);
		t.deepEqual(await settledJobs(parts), []);
		const { size } = await answer<{ size: number }>((done) => session.sftp.stat(PATH, done));
		t.true(size > 5 * MEGABYTE && size < 6 * MEGABYTE, `${size} bytes were put together`);
		const close = await send(second, size, bytes);
		t.is([...server.uploads.values()].filter(({ parts: sent }) => sent.size > 0).length, 1, 'the dead one is given up');
		await close();
		await session.arrival('/tokenized/SIMPLECSV/may.csv');
		await settledJobs(parts);
		t.is(server.uploads.size, 0);
		await checkAtRest(t, parts);

		await send(second, 0, 12 * MEGABYTE);
		await second.kill();
		t.is(server.uploads.size, 1);
		const third = await installation.start();
		const { sftp } = await openSession(t, installation, third);
		await answer<void>((done) => sftp.unlink(PATH, done));
		t.is(server.uploads.size, 0, 'they go with the file');
		await checkAtRest(t, parts);
	},
);

test.serial(
	'a bucket that is away stops files, not cards, and says so; what waits is done when it is back',
	async (t) => {
		const { server, installation } = await openInBucket(t);
		const daemon = await installation.start();
		const parts = await installation.parts();
		const key = { 'x-service-api-key': installation.demo.apiKey, accept: 'application/json' };
		const post = (path: string, body: string | Buffer, type: string) =>
			fetch(`${daemon.baseUrl}${path}`, { method: 'POST', body, headers: { ...key, 'content-type': type } });
		const sendFile = (name: string) =>
			post(`/api/files/tokenize?filter=CSV&async=true&name=${name}`, table, 'application/octet-stream');
		const table = Buffer.from(`name,card\n${'Ann,4111111111111111\n'.repeat(5_000)}`);
		t.is((await sendFile('early.csv')).status, 202);
		await settledJobs(parts);

		// A job finds its input gone from reach in the middle of its work.
		server.fault = ({ method }) => (method === 'GET' ? 'denied' : undefined);
		t.is((await sendFile('waiting.csv')).status, 202);
		server.fault = () => 'skewed';
		const { status, text } = await readiness(daemon.opsPort);
		t.is(status, 503);
		t.regex(text, /drops/);
		t.is((await sendFile('refused.csv')).status, 503);
		t.is((await post('/api/payments/paycard', cardJson(), 'application/json')).status, 201);

		server.fault = () => undefined;
		t.is((await readiness(daemon.opsPort)).status, 200);
		t.is((await sendFile('late.csv')).status, 202);
		const jobs = await settledJobs(parts);
		t.deepEqual(
			jobs.map(({ name, state }) => [name, state]),
			['early.csv', 'waiting.csv', 'late.csv'].map((name) => [name, 'done']),
		);
		// What was refused could not be looked after while the bucket was away. The next sweep does.
		t.is(await recoverUploads(parts, Date.now() + 3_600_000), 1);
		await checkAtRest(t, parts);
	},
);
