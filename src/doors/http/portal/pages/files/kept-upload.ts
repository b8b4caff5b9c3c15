// What was kept of an upload that was interrupted: how much it is, its hash, and its end if nobody wants to go on with it.

import { createHash } from 'node:crypto';
import { giveBack } from '../../../../../base/threads/buffer-memory.ts';
import type { DropFile } from '../../../../../work/drops/drop-store.ts';
import type { UploadTarget } from '../../../../../work/drops/drops-options.ts';
import { type Upload, UploadError } from '../../../../../work/drops/upload.ts';
import type { PortalParts } from '../../parts.ts';
import type { PortalCall } from '../../portal-page.ts';
import { noteRemoval } from './remove-pages.ts';

/** What is hashed at once. Browsers hash no longer text piece by piece, so the hash of a file is that of its blocks' hashes. */
const BLOCK_BYTES = 1024 * 1024;

type Parts = Pick<PortalParts, 'drops'>;

export async function findKept({ drops }: Parts, { folder, name }: UploadTarget): Promise<DropFile | undefined> {
	const file = await drops.find(folder, name);
	return file?.state === 'partial' || file?.state === 'receiving' ? file : undefined;
}

/** This error means that another daemon receives the file, or has not noticed yet that its sender is gone. */
export class HeldError extends UploadError {}

/**
 * Goes on with an unfinished upload; returns undefined if there is none.
 * @throws HeldError if another daemon holds it
 */
export async function resumeKept({ drops }: Parts, target: UploadTarget): Promise<Upload | undefined> {
	try {
		return await drops.resume(target);
	} catch (error) {
		if (!(error instanceof UploadError) || error.problem !== 'superseded') throw error;
		throw new HeldError(error.problem, error.message);
	}
}

/**
 * Finds what was kept of an upload, once all of it is stored. Whoever still sends this file in this process is interrupted,
 * because the size of a file that grows is none to go on from.
 * @throws HeldError if another daemon holds the upload, or this one is about to store it
 */
export async function settleKept(parts: Parts, target: UploadTarget): Promise<DropFile | undefined> {
	const file = await findKept(parts, target);
	if (file?.state !== 'receiving') return file;
	const upload = await resumeKept(parts, target);
	if (upload) await parts.drops.pause(upload);
	return findKept(parts, target);
}

/**
 * Returns the size and the hash of what was kept, by which a browser knows whether a file of this name is the same one.
 * @throws HeldError as `settleKept`
 */
export async function hashKept(parts: Parts, target: UploadTarget): Promise<{ size: number; hash: string }> {
	const { drops } = parts;
	const file = await settleKept(parts, target);
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
