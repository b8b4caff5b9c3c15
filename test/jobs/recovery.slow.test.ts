// Those tests of recovery.test.ts that take long.

import test from 'ava';
import { Drops } from '../../src/work/drops/drops.ts';
import { recoverUploads } from '../../src/work/drops/recover-uploads.ts';
import { UploadError } from '../../src/work/drops/upload.ts';
import { openJobParts } from '../helpers/job-parts.ts';
import { folder } from './recovery.setup.ts';

test('an upload held by another living daemon is refused, one whose daemon is silent is gone on with', async (t) => {
	const parts = await openJobParts(t, 'postgres');
	const elsewhere = new Drops({ ...parts, daemonId: 'two', holdMs: 60_000 });
	const target = { folder, name: 'may.csv', createdBy: 'alice' };
	const first = await elsewhere.begin(target);
	await first.write(0, Buffer.from('some bytes'));
	await first.sync();
	t.is(await recoverUploads(parts, Date.now()), 0);
	await t.throwsAsync(parts.drops.resume(target), { instanceOf: UploadError, message: /right now/ });
	await parts.database.knex('drop_files').update({ held_until: Date.now() - 1 });
	const second = (await parts.drops.resume(target))!;
	t.is(second.size, 10);
	await second.write(10, Buffer.from('!'));
	await t.throwsAsync(
		(async () => {
			await first.write(10, Buffer.from('?'));
			await parts.intake.accept(first);
		})(),
		{ instanceOf: UploadError, message: /taken over/ },
	);
	await parts.intake.accept(second);
});
