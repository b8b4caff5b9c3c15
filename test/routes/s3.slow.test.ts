// Files go to and from buckets of S3: of a server of ours, which checks signatures with another implementation, and of
// Ceph's radosgw.

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { makeUlid } from '../../src/base/database/ulid.ts';
import { PART_BYTES } from '../../src/base/outbound/s3/s3-bucket.ts';
import type { S3Place } from '../../src/base/outbound/s3/s3-calls.ts';
import { bucketPartner } from '../helpers/bucket-partner.ts';
import { makeFolder } from '../helpers/file-parts.ts';
import { type Radosgw, startRadosgw } from '../helpers/radosgw.ts';
import { CSV, openPartners, openRouteParts, TOKENIZE, WHOSE, writeOld } from '../helpers/route-parts.ts';
import { openS3Server } from '../helpers/s3-server.ts';
import { testNeeding } from '../helpers/test-needing.ts';

const TOKENS = /\n[0-9a-f]{32},12,2029,Visa\n$/;
const NONE = { operation: 'none' };

let radosgw: Radosgw | undefined;
const releases: (() => unknown)[] = [];
test.after.always(() => Promise.all(releases.map((release) => release())));
let starting: Promise<Radosgw> | undefined;

type Open = (t: ExecutionContext<unknown>) => Promise<S3Place>;
const servers: readonly (readonly [name: string, test: typeof test, open: Open])[] = [
	['a server of ours', test, async (t) => (await openS3Server(t, 'feeds/ü +/')).place],
	[
		'radosgw',
		testNeeding('an S3 server (radosgw, ceph-mon, ceph-osd)') as typeof test,
		async () => {
			radosgw ??= await (starting ??= startRadosgw({ teardown: (release) => void releases.push(release) }));
			return radosgw.makePlace(`feeds/ü +/${makeUlid(Date.now())}/`);
		},
	],
];

/** Opens an installation with a destination `bucket`. */
async function openBucket(t: ExecutionContext<unknown>, place: S3Place) {
	const parts = await openRouteParts(t);
	const partner = bucketPartner(place);
	const documents = makeFolder(t);
	const putDestination = async (more?: object, secretKey?: string) => {
		const files = partner.destinationFiles(documents, 'bucket', more, secretKey);
		const stored = await parts.run('destination', 'put', ...WHOSE, ...files);
		t.is(stored.code, 0, stored.stderr);
		return stored.json;
	};
	await putDestination();
	return { ...parts, partner, putDestination };
}

/** Returns bytes in which no two parts are the same. */
function manyBytes(length: number): Buffer {
	return Buffer.from(Array.from({ length }, (_, nth) => (nth * 31 + (nth >> 9)) % 256));
}

for (const [server, testOf, open] of servers) {
	testOf(
		`${server}: a file goes from one folder of a bucket to another with tokens, a sum, and its source moved`,
		async (t) => {
			const { partner, put, runNow, route, run } = await openBucket(t, await open(t));
			await partner.put('out/may.csv', CSV);
			await partner.put('out/may.csv.ready', '');
			// A folder as programs mark it, a file below, and one that is not asked for.
			for (const name of ['out/', 'out/deeper/june.csv', 'out/july.txt'])
				await partner.put(name, name.endsWith('/') ? '' : CSV);
			await partner.put('out/done/may.csv', 'of last month');
			const checked = await run('destination', 'check', ...WHOSE, '--name', 'bucket');
			t.like(checked.json, { hostKey: null, isHostKeyExpected: true, entries: 0 }, checked.stderr);
			const from = { destination: 'bucket', path: 'out', files: ['*.csv'], ready: { doneFile: '{name}.ready' } };
			const to = { destination: 'bucket', path: 'in/{filter}', doneFile: '{name}.ok', checksum: 'sha256' };
			await put({ ...from, afterwards: { move: 'done' } }, TOKENIZE, to);
			const looked = (await route('check', '--name', 'r')).json;
			t.like(looked.from, { isReached: true, reason: null, files: [{ path: 'may.csv', size: CSV.length }] });
			t.like(looked.to, { isReached: true, facts: { bucket: partner.place.bucket, endpoint: partner.place.endpoint } });
			const ran = await runNow();
			t.like(ran, { state: 'done', files: [{ path: 'may.csv', cards: 1, state: 'delivered' }] }, JSON.stringify(ran));
			t.deepEqual(await partner.names(), [
				...['in/SIMPLECSV/may.csv', 'in/SIMPLECSV/may.csv.ok'],
				...['out/', 'out/deeper/june.csv', 'out/done/may.2.csv', 'out/done/may.csv', 'out/july.txt'],
			]);
			t.regex(await partner.text('in/SIMPLECSV/may.csv'), TOKENS);
			t.is(await partner.text('out/done/may.2.csv'), CSV);
			const [{ sha256 }] = (await run('audit', 'list', '--kind', 'route.deliver')).json.entries.map(
				({ details }: { details: { sha256: string } }) => details,
			);
			t.is(await partner.text('in/SIMPLECSV/may.csv.ok'), `${sha256}  may.csv\n`);
			t.deepEqual((await runNow()).files, [], 'it goes once');
		},
	);

	testOf(`${server}: a file of several parts and an empty one arrive whole, and come back so`, async (t) => {
		const { folder, partner, put, route, runNow } = await openBucket(t, await open(t));
		const bytes = manyBytes(2 * PART_BYTES + 12_345);
		mkdirSync(join(folder, 'out'));
		for (const [name, content] of Object.entries({
			large: bytes,
			empty: Buffer.alloc(0),
			part: bytes.subarray(0, PART_BYTES),
		}))
			writeOld(join(folder, 'out'), name, content);
		await put({ folder, path: 'out', ready: { empty: 'process' } }, NONE, { destination: 'bucket', path: 'in' });
		const sent = await runNow();
		t.is(sent.state, 'done', JSON.stringify(sent));
		t.deepEqual(await partner.names(), ['in/empty', 'in/large', 'in/part']);
		t.deepEqual(await partner.unfinished(), []);
		t.true((await partner.bytes('in/large')).equals(bytes));
		t.true((await partner.bytes('in/part')).equals(bytes.subarray(0, PART_BYTES)));
		const from = { destination: 'bucket', path: 'in', afterwards: 'delete', ready: { empty: 'process' } };
		await put(from, NONE, { folder, path: 'back' });
		for (const name of ['large', 'empty', 'part']) await route('forget', '--name', 'r', '--file', name);
		const fetched = await runNow();
		t.is(fetched.state, 'done', JSON.stringify(fetched));
		t.true(readFileSync(join(folder, 'back', 'large')).equals(bytes));
		t.is(readFileSync(join(folder, 'back', 'empty')).length, 0);
		t.deepEqual(await partner.names(), []);
	});

	testOf(`${server}: a name that is taken is refused, replaced or numbered`, async (t) => {
		const { folder, partner, put, runNow, route } = await openBucket(t, await open(t));
		mkdirSync(join(folder, 'out'));
		writeOld(join(folder, 'out'), 'may.csv');
		await partner.put('in/may.csv', 'theirs');
		for (const temporaryName of [undefined, false]) {
			await put(
				{ folder, path: 'out' },
				NONE,
				{ destination: 'bucket', path: 'in', temporaryName },
				{ retry: { tries: 1 } },
			);
			const refused = await runNow();
			t.like(refused, { state: 'failed', files: [{ state: 'dead' }] });
			t.regex(refused.files[0].reason, /^fileName: the target has a file of this name/);
			t.is(await partner.text('in/may.csv'), 'theirs');
			await route('forget', '--name', 'r', '--file', 'may.csv');
		}
		await put({ folder, path: 'out' }, NONE, { destination: 'bucket', path: 'in', exists: 'number' });
		t.like(await runNow(), { state: 'done', files: [{ deliveredAs: 'in/may.2.csv' }] });
		await route('forget', '--name', 'r', '--file', 'may.csv');
		await put({ folder, path: 'out' }, NONE, {
			destination: 'bucket',
			path: 'in',
			exists: 'replace',
			temporaryName: false,
		});
		t.like(await runNow(), { state: 'done', files: [{ deliveredAs: 'in/may.csv' }] });
		t.is(await partner.text('in/may.csv'), CSV);
		t.deepEqual(await partner.names(), ['in/may.2.csv', 'in/may.csv']);
	});
}

test('files go from sFTP into a bucket, and from there into a folder of the account', async (t) => {
	const { place } = await openS3Server(t, 'feeds/');
	const { out, put, route, run, runNow } = await openPartners(t);
	const partner = bucketPartner(place);
	t.is((await run('destination', 'put', ...WHOSE, ...partner.destinationFiles(makeFolder(t), 'bucket'))).code, 0);
	writeOld(out, 'may.csv');
	await put({ destination: 'visa', path: 'out', afterwards: 'delete' }, TOKENIZE, {
		destination: 'bucket',
		path: 'in',
	});
	t.like(await runNow(), { state: 'done', files: [{ deliveredAs: 'in/may.csv', cards: 1 }] });
	t.regex(await partner.text('in/may.csv'), TOKENS);
	t.true((await partner.mark('in/may.csv'))!.length > 20);
	await put({ destination: 'bucket', path: 'in', afterwards: 'delete' }, NONE, { drop: '/tokenized/SIMPLECSV' });
	await route('forget', '--name', 'r', '--file', 'may.csv');
	t.like(await runNow(), { state: 'done', files: [{ deliveredAs: 'may.csv' }] });
	t.deepEqual(await partner.names(), []);
});

test('a key that is refused stops the route after three runs, and is shown and written nowhere', async (t) => {
	const { place } = await openS3Server(t);
	const { folder, partner, put, putDestination, run, runNow, route } = await openBucket(t, place);
	await putDestination({}, 'not-the-secret-key');
	await partner.put('may.csv', CSV);
	await put({ destination: 'bucket' }, NONE, { folder, path: 'in' });
	const reason = 'host: the secret key is not that of the access key, or the region is another one';
	for (const state of ['failed', 'failed', 'stopped']) t.like(await runNow(), { state, reason });
	t.like((await route('list')).json, [{ state: 'stopped' }]);
	const checked = await run('destination', 'check', ...WHOSE, '--name', 'bucket');
	t.regex(checked.json.error.message, new RegExp(reason));
	await putDestination({ accessKeyId: 'AKOTHER' });
	t.regex(
		(await run('destination', 'check', ...WHOSE, '--name', 'bucket')).json.error.message,
		/host: the (access|secret) key is not/,
	);
	await putDestination();
	await route('resume', '--name', 'r');
	t.like(await runNow(), { state: 'done' });
	const shown = await run('destination', 'show', ...WHOSE, '--name', 'bucket');
	t.like(shown.json, { kind: 's3', accessKeyId: place.accessKeyId, bucket: place.bucket, hasSecretKey: true });
	const listed = await run.text('destination', 'list', ...WHOSE);
	t.regex(listed.stdout, /bucket +http:\/\/127\.0\.0\.1:\d+\/drops +AKTEST +- +secret key +-/);
	const trail = await run('audit', 'list');
	t.like(trail.json.entries.find(({ action }: { action: string }) => action === 'destination.put').details, {
		kind: 's3',
		bucket: 'drops',
	});
	for (const { stdout, stderr } of [shown, listed, checked, trail])
		t.notRegex(stdout + stderr, /secret key,|a secret key|not-the-secret/);
});

test('a server that is away, busy or in a private network is told apart, and so is a bucket that is none', async (t) => {
	const server = await openS3Server(t);
	const { partner, putDestination, run, put, route, folder } = await openBucket(t, server.place);
	await put({ destination: 'bucket' }, NONE, { folder, path: 'in' });
	const reasonNow = async () => (await route('check', '--name', 'r')).json.from.reason;
	server.fault = () => 'skewed';
	t.is(await reasonNow(), 'host: its clock and the one of this machine differ too much');
	server.fault = () => 'slow-down';
	t.is(await reasonNow(), 'host: the server is busy or out of order');
	server.fault = () => 'denied';
	t.is(await reasonNow(), 'host: the access key may not list the bucket');
	server.fault = () => 'refuse-connection';
	t.is(await reasonNow(), 'host: the connection was closed before the answer was complete');
	server.fault = () => undefined;
	await putDestination({ endpoint: 'http://127.0.0.1:1' });
	t.is(await reasonNow(), 'host: the connection was refused');
	await putDestination();
	const calls = server.calls.length;
	const guarded = await openRouteParts(t, { TOKENDROP_RELAY_ALLOW_PRIVATE: 'false' });
	await guarded.run('destination', 'put', ...WHOSE, ...partner.destinationFiles(makeFolder(t), 'bucket'));
	const refused = await guarded.run('destination', 'check', ...WHOSE, '--name', 'bucket');
	t.regex(refused.json.error.message, /host: the host is not allowed/);
	t.is(server.calls.length, calls, 'nothing was sent there');
	t.is((await run('destination', 'check', ...WHOSE, '--name', 'bucket')).code, 0);
});
