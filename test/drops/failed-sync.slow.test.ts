// Those tests of failed-sync.test.ts that take long.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeUlid } from '../../src/base/database/ulid.ts';
import { makeFolder } from '../helpers/file-parts.ts';
import { traceCalls } from '../helpers/strace.ts';
import { traceTest } from './failed-sync.setup.ts';

const STORE = `
	import { diskBlobStore } from ${JSON.stringify(new URL('../../src/base/blobs/disk.ts', import.meta.url).href)};
	const store = diskBlobStore(process.env.FOLDER);
	for (const id of process.env.IDS.split(' ')) {
		const blob = await store.create(id);
		await blob.write(Buffer.from('sealed'), 0);
		await blob.settle();
		await blob.close();
	}
`;

traceTest('the names of a file and of every folder above it are synced before the file counts', async (t) => {
	const root = makeFolder(t);
	const folder = join(root, 'data', 'drops');
	const syncedBy = async (ids: readonly string[]) => {
		const { calls, code, stderr } = await traceCalls(
			['-e', 'trace=fsync,fdatasync'],
			[process.execPath, '--input-type=module', '-e', STORE],
			{ ...process.env, FOLDER: folder, IDS: ids.join(' ') },
		);
		t.is(code, 0, stderr);
		return calls.map(({ given }) => /<(.*)>/.exec(given)![1].slice(root.length));
	};
	const id = makeUlid(Date.now());
	const synced = await syncedBy([id]);
	const shard = `/data/drops/${readdirSync(folder)[0]}`;
	t.deepEqual(synced.toSorted(), ['', '/data', '/data/drops', shard, `${shard}/${id}`]);
	const ids = Array.from({ length: 40 }, () => makeUlid(Date.now()));
	const later = await syncedBy(ids);
	const shards = later.filter((path) => /^\/data\/drops\/..$/.test(path));
	t.is(shards.length, ids.length, 'the folder of each file');
	t.is(later.filter((path) => path === '/data/drops').length, new Set(shards).size, 'each such folder once');
	t.is(later.length, ids.length + shards.length + new Set(shards).size + 1, 'beside the folder above all of them');
});
