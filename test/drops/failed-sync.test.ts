// The disk fails to take a part of an upload: that part counts as not there, although the system could still read it.

import { randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { FRAME_BYTES, frameOffset } from '../../src/base/blobs/sealed-file.ts';
import type { DropFile } from '../../src/work/drops/drop-store.ts';
import { Drops } from '../../src/work/drops/drops.ts';
import { FOLDER, openFileParts } from '../helpers/file-parts.ts';
import { sealAlone } from '../helpers/seal-alone.ts';
import { failCalls } from '../helpers/strace.ts';
import { traceTest } from './failed-sync.setup.ts';

const target = { folder: { ...FOLDER, area: 'tokenize' as const }, name: 'may.csv', createdBy: 'alice' };
const first = randomBytes(3 * FRAME_BYTES + 1000);
const second = randomBytes(5 * FRAME_BYTES);

/** Opens drops whose files are on a disk that can be made to fail. */
async function openOnDisk(t: ExecutionContext) {
	const parts = await openFileParts(t);
	const drops = new Drops({ ...parts, daemonId: 'one' });
	t.teardown(() => drops.close());
	const pathOf = ({ blob_id: id }: DropFile) => {
		const names = readdirSync(parts.folder, { recursive: true }) as string[];
		return join(parts.folder, names.find((name) => name.endsWith(id))!);
	};
	return {
		drops,
		pathOf,
		/** Makes every sync of a file fail while `work` runs. */
		async whileFailing<T>(file: DropFile, work: () => Promise<T>): Promise<T> {
			const stop = await failCalls(t, process.pid, 'fdatasync:error=EIO', pathOf(file));
			try {
				return await work();
			} finally {
				await stop();
			}
		},
		size: async () => (await drops.find(FOLDER, target.name))?.size,
	};
}

traceTest.serial('what came after the last good sync of an upload is not there after a failed one', async (t) => {
	const { drops, pathOf, whileFailing, size } = await openOnDisk(t);
	const upload = await drops.begin(target);
	await upload.write(0, first);
	await upload.sync();
	await upload.write(first.length, second);
	await whileFailing(upload.file, () => t.throwsAsync(upload.sync(), { code: 'EIO' }));
	t.is(await size(), 3 * FRAME_BYTES, 'shown while the upload goes on');
	await t.throwsAsync(upload.write(null, second), { code: 'EIO' }, 'it can only be resumed');
	t.is(statSync(pathOf(upload.file)).size, frameOffset(3), 'cut off on the disk too');
	await drops.pause(upload);
	t.is(await size(), 3 * FRAME_BYTES, 'shown afterwards');
	const resumed = (await drops.resume(target))!;
	t.is(resumed.size, 3 * FRAME_BYTES);
	const whole = Buffer.concat([first, second]);
	await resumed.write(resumed.size, whole.subarray(resumed.size));
	t.is(await sealAlone({ seal: () => drops.seal(resumed) }), whole.length);
	const reader = await drops.openPartial(FOLDER, resumed.file);
	t.deepEqual(await reader.read(0, whole.length), whole);
	await reader.close();
});

traceTest.serial('an upload whose only sync fails at its end has to be sent again', async (t) => {
	const { drops, whileFailing, size } = await openOnDisk(t);
	const upload = await drops.begin(target);
	await upload.write(0, first);
	await upload.write(first.length, second);
	const accept = () => drops.seal(upload);
	await whileFailing(upload.file, () => t.throwsAsync(accept(), { code: 'EIO' }));
	await drops.pause(upload);
	t.is(await size(), 0);
	const resumed = (await drops.resume(target))!;
	t.is(resumed.size, 0);
	await resumed.write(0, first);
	t.is(await sealAlone({ seal: () => drops.seal(resumed) }), first.length);
});

traceTest.serial('a paused upload whose end cannot be synced keeps what it had before, and says so', async (t) => {
	const { drops, whileFailing, size } = await openOnDisk(t);
	const upload = await drops.begin(target);
	await upload.write(0, first);
	await drops.pause(upload);
	t.is(await size(), first.length);
	const paused = (await drops.find(FOLDER, target.name))!;
	await whileFailing(upload.file, () => t.throwsAsync(drops.finishPartial(paused), { code: 'EIO' }));
	t.is(await size(), 3 * FRAME_BYTES, 'its last frame would have been sealed anew');
	t.is((await drops.resume(target))?.size, 3 * FRAME_BYTES);
});
