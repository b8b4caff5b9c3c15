import { setImmediate } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../src/base/clock.ts';
import type { Dialect } from '../../src/base/database/dialect.ts';
import { AccountQuotas, type QuotaLimits } from '../../src/work/drops/account-quotas.ts';
import { Drops } from '../../src/work/drops/drops.ts';
import { type Upload, UploadError } from '../../src/work/drops/upload.ts';
import { databases } from '../helpers/database.ts';
import { collect, openFileParts } from '../helpers/file-parts.ts';
import { sealAlone } from '../helpers/seal-alone.ts';

async function open(t: ExecutionContext, dialect: Dialect, quotas: QuotaLimits) {
	const parts = await openFileParts(t, dialect);
	const drops = new Drops({ ...parts, daemonId: 'one', quotas });
	t.teardown(() => drops.close());
	const target = (name: string, account = 1) => ({
		...{ folder: { accountId: account as never, area: 'tokenize' as const, filter: 'CSV' }, name, createdBy: 'a' },
	});
	return { parts, drops, target };
}

const OVER = { instanceOf: UploadError, message: /remove some, then send this one again/ };

for (const dialect of databases) {
	test(`${dialect}: uploads of an account share its bytes, and one too many leaves nothing behind`, async (t) => {
		const { parts, drops, target } = await open(t, dialect, { maxBytesPerAccount: 1000, maxFilesPerAccount: 10 });
		const one = await drops.begin(target('one'));
		const two = await drops.begin(target('two'));
		await one.write(null, Buffer.alloc(600));
		await t.throwsAsync(two.write(null, Buffer.alloc(401)), OVER);
		await t.throwsAsync(sealAlone(two), OVER);
		await drops.pause(two);
		t.is(await parts.database.knex('drop_files').where({ name: 'two' }).first(), undefined);
		t.is((await collect(parts.blobs.list())).length, 1);
		const other = await drops.begin(target('other', 2));
		await other.write(null, Buffer.alloc(1000));
		await one.write(null, Buffer.alloc(400));
		await drops.pause(one);
		await t.throwsAsync(drops.begin(target('three')), OVER);
	});

	test(`${dialect}: an account has as many files as it may, and room again when one is removed`, async (t) => {
		const { drops, target } = await open(t, dialect, { maxBytesPerAccount: null, maxFilesPerAccount: 2 });
		const [one] = [await drops.begin(target('one')), await drops.begin(target('two'))];
		await t.throwsAsync(drops.begin(target('three')), {
			instanceOf: UploadError,
			message: /as many files as it may, 2/,
		});
		await drops.begin(target('other', 2));
		await drops.remove(one.file);
		await t.notThrowsAsync(drops.begin(target('three')));
	});
}

test('bytes that a client sends twice count once', async (t) => {
	const { drops, target } = await open(t, 'sqlite', { maxBytesPerAccount: 1000, maxFilesPerAccount: 10 });
	const upload = await drops.begin(target('one'));
	for (let turn = 0; turn < 5; turn += 1) await upload.write(0, Buffer.alloc(600));
	await upload.write(500, Buffer.alloc(500));
	t.is(await sealAlone(upload), 1000);
});

test('a paused upload that is gone on with is held to the bytes of its account', async (t) => {
	const { drops, target } = await open(t, 'sqlite', { maxBytesPerAccount: 1000, maxFilesPerAccount: 10 });
	const upload = await drops.begin(target('one'));
	await upload.write(null, Buffer.alloc(900));
	await drops.pause(upload);
	const again = (await drops.resume(target('one')))!;
	await again.write(null, Buffer.alloc(100));
	await t.throwsAsync(again.write(null, Buffer.alloc(1)), OVER);
});

test('an upload that is paused while its account is summed up counts all the same', async (t) => {
	const parts = await openFileParts(t, 'sqlite');
	const { promise: paused, resolve: letGo } = Promise.withResolvers<void>();
	const space = async () => paused.then(() => ({ total: 2000, free: 2000 }));
	const quotas = new AccountQuotas(
		{ ...parts, blobs: { space } as never, clock: systemClock, liveUploads: () => [] },
		{ maxBytesPerAccount: null, maxFilesPerAccount: 10 },
	);
	const folder = { accountId: 1 as never, area: 'tokenize' as const, filter: 'CSV' };
	const drops = new Drops({ ...parts, daemonId: 'one' });
	t.teardown(() => drops.close());
	const upload = await drops.begin({ folder, name: 'one', createdBy: 'a' });
	await upload.write(null, Buffer.alloc(1000));
	// The rows are read before the pause, and do not hold these bytes yet; after it, the upload is no longer under way.
	quotas.charge(folder.accountId, 0);
	const ended = quotas.keepCounting(upload);
	await drops.pause(upload);
	ended();
	letGo();
	await setImmediate();
	await t.throwsAsync(quotas.requireSpace(folder.accountId), OVER);
});

test('an upload counts, and counts once, while its size is being written to its row', async (t) => {
	const parts = await openFileParts(t, 'sqlite');
	const live: Upload[] = [];
	const quotas = new AccountQuotas(
		{ ...parts, clock: systemClock, liveUploads: () => live },
		{ maxBytesPerAccount: 1000, maxFilesPerAccount: 10 },
	);
	const folder = { accountId: 1 as never, area: 'tokenize' as const, filter: 'CSV' };
	const drops = new Drops({ ...parts, daemonId: 'one' });
	t.teardown(() => drops.close());
	const upload = await drops.begin({ folder, name: 'one', createdBy: 'a' });
	await upload.write(null, Buffer.alloc(999));
	live.push(upload);
	const ended = quotas.keepCounting(upload);
	live.pop();
	await quotas.requireSpace(folder.accountId);
	t.throws(() => quotas.charge(folder.accountId, 2), OVER, 'it counts before its row has its size');
	await drops.pause(upload);
	ended();
	await quotas.requireSpace(folder.accountId);
	t.notThrows(() => quotas.charge(folder.accountId, 1), 'it counts once');
	t.throws(() => quotas.charge(folder.accountId, 1), OVER);
});

test('an account is held to its bytes while others are summed up, also right after one of its files was removed', async (t) => {
	const parts = await openFileParts(t, 'sqlite');
	const quotas = new AccountQuotas(
		{ ...parts, clock: systemClock, liveUploads: () => [] },
		{ maxBytesPerAccount: 1000, maxFilesPerAccount: 10 },
	);
	const [one, other] = [1, 2] as never[];
	await quotas.requireSpace(one);
	quotas.charge(one, 900);
	quotas.forget(one);
	await quotas.requireSpace(other);
	t.throws(() => quotas.charge(one, 101), OVER);
});
