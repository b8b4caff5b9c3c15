// Runs the contract of stores against a real S3 server.

import { s3BlobStore } from '../../src/base/blobs/s3/s3-store.ts';
import { smallBlobStore } from '../../src/base/blobs/small-blobs.ts';
import { makeUlid } from '../../src/base/database/ulid.ts';
import { testBlobContract } from '../helpers/blob-contract.ts';
import { openTestDatabase } from '../helpers/database.ts';
import { collect } from '../helpers/file-parts.ts';
import { type Radosgw, startRadosgw } from '../helpers/radosgw.ts';
import { testNeeding } from '../helpers/test-needing.ts';

const test = testNeeding('an S3 server (radosgw, ceph-mon, ceph-osd)');

let server: Radosgw;
const releases: (() => unknown)[] = [];
test.before(async () => {
	server = await startRadosgw({ teardown: (release) => void releases.push(release) });
});
test.after.always(() => Promise.all(releases.map((release) => release())));

/** The prefixes have what is encoded in one way in a path and in another in a query or in XML. */
const placeOf = () => server.makePlace(`a+b/100%/ü ${makeUlid(Date.now())}/<&'"!(*)>/`);

testBlobContract('radosgw', async () => s3BlobStore(placeOf()), test);
testBlobContract(
	'rows above radosgw',
	async (t) => smallBlobStore(await openTestDatabase(t, 'sqlite'), s3BlobStore(placeOf())),
	test,
);

test('radosgw: objects of others are left alone, and a wrong key is told', async (t) => {
	const place = placeOf();
	const [ours, others] = [s3BlobStore(place), s3BlobStore({ ...place, prefix: `${place.prefix}below/` })];
	const blob = await others.create(makeUlid(Date.now()));
	await blob.write(Buffer.from('theirs'), 0);
	await blob.close();
	t.deepEqual(await collect(ours.list()), []);
	t.is((await collect(others.list())).length, 1);
	const wrong = s3BlobStore({ ...place, accessKeyId: 'NOBODY' });
	await t.throwsAsync(wrong.checkWritable(), { message: /403 InvalidAccessKeyId: it does not know drops.accessKeyId/ });
	const away = s3BlobStore({ ...place, bucket: 'none' });
	await t.throwsAsync(away.checkWritable(), { message: /404 NoSuchBucket: there is no such bucket/ });
});
