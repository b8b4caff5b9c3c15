// What was kept of an upload that was interrupted: how much it is, its hash, and its end if nobody wants to go on with it.

import { createHash } from 'node:crypto';
import { giveBack } from '../../../../../base/threads/buffer-memory.ts';
import type { DropFile } from '../../../../../work/drops/drop-store.ts';
import type { UploadTarget } from '../../../../../work/drops/drops-options.ts';
import type { PortalParts } from '../../parts.ts';
import type { PortalCall } from '../../portal-page.ts';
import { noteRemoval } from './remove-pages.ts';

/** What is hashed at once. Browsers hash no longer text piece by piece, so the hash of a file is that of its blocks' hashes. */
const BLOCK_BYTES = 1024 * 1024;

type Parts = Pick<PortalParts, 'drops'>;

/** Finds the unfinished upload of a name. */
export async function findKept({ drops }: Parts, { folder, name }: UploadTarget): Promise<DropFile | undefined> {
	const file = await drops.find(folder, name);
	return file?.state === 'partial' || file?.state === 'receiving' ? file : undefined;
}

/**
 * Returns the size and the hash of what was kept, by which a browser knows whether a file of this name is the same one.
 * Whoever still sends this file in this process is interrupted.
 * @throws UploadError if another daemon is receiving the file right now
 */
export async function hashKept({ drops }: Parts, target: UploadTarget): Promise<{ size: number; hash: string }> {
	const upload = await drops.resume(target);
	if (upload) await drops.pause(upload);
	const file = await findKept({ drops }, target);
	const whole = createHash('sha256');
	if (!file || file.size === 0) return { size: 0, hash: whole.digest('hex') };
	const stored = await drops.openPartial(target.folder, file);
	try {
		for (let at = 0; at < file.size; at += BLOCK_BYTES) {
			const block = await stored.read(at, Math.min(BLOCK_BYTES, file.size - at));
			whole.update(createHash('sha256').update(block).digest());
			giveBack(block);
		}
	} finally {
		await stored.close();
	}
	return { size: file.size, hash: whole.digest('hex') };
}

/** Removes what was kept of an upload, with an entry in the audit trail. */
export async function discardKept(
	call: PortalCall,
	{ drops, audit }: Pick<PortalParts, 'drops' | 'audit'>,
	target: UploadTarget,
): Promise<void> {
	const file = await findKept({ drops }, target);
	if (!file) return;
	await noteRemoval(call, audit, `file /${file.area}/${file.filter}/${file.name}`, [file]);
	await drops.remove(file);
}
