import test from 'ava';
import { Drops } from '../../src/work/drops/drops.ts';
import { collect, openFileParts } from '../helpers/file-parts.ts';
import { sealAlone } from '../helpers/seal-alone.ts';
import { until } from '../helpers/until.ts';

const target = {
	folder: { accountId: 1 as never, area: 'tokenize' as const, filter: 'CSV' },
	name: 'may.csv',
	createdBy: 'a',
};

test('the bytes of a discarded upload go while the database takes no write, and its row when it does again', async (t) => {
	const parts = await openFileParts(t);
	const { knex } = parts.database;
	const drops = new Drops({ ...parts, daemonId: 'one', holdMs: 300 });
	t.teardown(() => drops.close());
	const upload = await drops.begin(target);
	await upload.write(null, Buffer.alloc(3_000_000));
	await knex.raw('pragma query_only = on');
	await drops.discard(upload);
	t.deepEqual(await collect(parts.blobs.list()), []);
	t.is((await knex('drop_files')).length, 1);
	await knex.raw('pragma query_only = off');
	await until('the row is gone', async () => (await knex('drop_files')).length === 0);
});

test('discarding an upload that another one of its name has superseded leaves that one alone', async (t) => {
	const parts = await openFileParts(t);
	const drops = new Drops({ ...parts, daemonId: 'one' });
	t.teardown(() => drops.close());
	const [first, second] = [await drops.begin(target), await drops.begin(target)];
	await drops.discard(first);
	await second.write(null, Buffer.from('second'));
	t.is(await sealAlone(second), 6);
	t.is((await collect(parts.blobs.list())).length, 1);
});

test('discarding an upload that its name was gone on with keeps the bytes for whoever does so', async (t) => {
	const parts = await openFileParts(t);
	const drops = new Drops({ ...parts, daemonId: 'one' });
	t.teardown(() => drops.close());
	const first = await drops.begin(target);
	await first.write(null, Buffer.from('first'));
	const second = (await drops.resume(target))!;
	await drops.discard(first);
	await second.write(null, Buffer.from(' and second'));
	t.is(await sealAlone(second), 16);
});
