// Writes a file to a partner under a temporary name until it is complete, so that the final name never shows a part.

import { randomBytes } from 'node:crypto';
import { posix } from 'node:path';
import type { Stats } from 'ssh2';
import { noneIf, ServiceError } from '../../errors.ts';
import { told } from '../../failures.ts';
import { giveBack } from '../../threads/buffer-memory.ts';
import { isNoSuchFile, isPermissionDenied, isRefusal, partnerFailure, withoutForeignText } from './sftp-failures.ts';
import type { SftpSession } from './sftp-session.ts';

/** A request writes this many bytes, which every server accepts. */
const PIECE_BYTES = 31 * 1024;
/**
 * At most this many bytes wait for an answer: enough for 100 MB/s over 20 ms, and few enough for many files at once.
 */
const MAX_UNANSWERED_BYTES = 2 * 1024 * 1024;

export interface UploadTarget {
	/** The folder, which is absolute or relative to the folder in which the login begins. Empty means that folder. */
	readonly folder: string;
	readonly fileName: string;
	/** True if an existing file with this name may be replaced. */
	readonly replaces: boolean;
	/**
	 * The name under which the file is written until it is complete; the final name for a partner that cannot rename. By
	 * default every attempt has a name of its own, so that leftovers of an earlier one are never mixed in or published.
	 */
	readonly temporaryName?: string;
}

export type Upload = Awaited<ReturnType<typeof beginUpload>>;

/**
 * Begins to write a file to a partner.
 * @throws ServiceError if there is no such folder, if it is not writable, or if the name is taken
 */
export async function beginUpload(session: SftpSession, target: UploadTarget) {
	const { folder, fileName } = target;
	const path = posix.join(folder || '.', fileName);
	const temporaryName = target.temporaryName ?? `.${fileName}.${randomBytes(4).toString('hex')}.part`;
	const temporaryPath = posix.join(folder || '.', temporaryName);
	await requireFolder(session, folder);
	if (!target.replaces && (await session.findAttributes(path).catch(noneIf(isRefusal)))) throw nameTaken();
	const handle = await open(session, temporaryPath, temporaryPath === path && target.replaces ? 'w' : 'wx');
	let position = 0;
	let unanswered = 0;
	let failure: unknown;
	let nextAnswer = Promise.withResolvers<void>();

	const send = (bytes: Buffer) => {
		// If a partner accepts only smaller pieces, ssh2 splits this one and reads its later parts when the partner has
		// answered the earlier ones. By then the caller may have overwritten its buffer, so ssh2 gets a copy.
		const piece = Buffer.allocUnsafeSlow(bytes.length);
		piece.set(bytes);
		const { length } = piece;
		unanswered += length;
		const writing = session.request((sftp, done) => sftp.write(handle, piece, 0, length, position, done));
		position += length;
		const answered = () => {
			piece.fill(0);
			giveBack(piece);
			unanswered -= length;
			nextAnswer.resolve();
			nextAnswer = Promise.withResolvers<void>();
		};
		writing.then(answered, (error) => {
			failure ??= error;
			answered();
		});
	};
	const untilBelow = async (bytes: number) => {
		while (unanswered > bytes && failure === undefined) await nextAnswer.promise;
		if (failure !== undefined) throw writeFailure(failure);
	};
	const close = () => session.request((sftp, done) => sftp.close(handle, done));

	return {
		temporaryPath,
		/**
		 * Writes bytes after copying them. While the partner is slow, the promise resolves late, so that the caller sends no
		 * faster.
		 * @throws if an earlier write failed
		 */
		async write(bytes: Buffer): Promise<void> {
			for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
				await untilBelow(MAX_UNANSWERED_BYTES - PIECE_BYTES);
				send(bytes.subarray(at, at + PIECE_BYTES));
			}
		},
		/** Aborts the upload: every write fails from now on, including one in progress. */
		abandon(reason: unknown): void {
			failure ??= reason;
			nextAnswer.resolve();
		},
		/**
		 * Makes the file durable on the partner's server and checks its size. Then it calls `beforeNaming` and, once that has
		 * resolved, gives the file its final name.
		 */
		async publish(beforeNaming?: () => Promise<void>): Promise<void> {
			await untilBelow(0);
			try {
				await sync(session, handle);
				await close();
			} catch (error) {
				throw writeFailure(error);
			}
			await requireSize(session, temporaryPath, position);
			await beforeNaming?.();
			if (temporaryPath !== path) await rename(session, temporaryPath, path, target.replaces);
		},
		/**
		 * Removes the written file over `through`, which need not be the session of the upload; returns whether nothing is
		 * left. It never throws.
		 */
		async remove(through: SftpSession): Promise<boolean> {
			try {
				if (through === session) await close().catch(() => {});
				await through.request((sftp, done) => sftp.unlink(temporaryPath, done));
				return true;
			} catch (error) {
				return isNoSuchFile(error);
			}
		},
	};
}

async function requireFolder(session: SftpSession, folder: string): Promise<void> {
	let found: Stats | undefined;
	try {
		found = await session.findAttributes(folder || '.');
	} catch (error) {
		// Some servers do not allow reading the attributes of folders; opening the file will show whether the folder
		// exists.
		if (isRefusal(error)) return;
		throw error;
	}
	if (!found?.isDirectory()) throw partnerFailure('path', 'no such folder');
}

function nameTaken(cause?: unknown): ServiceError {
	const problem = 'the partner has a file of this name; overwrite=true replaces it';
	const said = { field: 'fileName', problem, told: told('name-taken') };
	return new ServiceError('bad-input-data', { ...said, cause: withoutForeignText(cause) });
}

/**
 * Creates the file that is written. It is opened exclusively, so that a link that somebody created under the name is not
 * followed, unless it takes the place of an existing file directly.
 */
async function open(session: SftpSession, path: string, flags: 'wx' | 'w'): Promise<Buffer> {
	try {
		return await session.request<Buffer>((sftp, done) => sftp.open(path, flags, { mode: 0o600 }, done));
	} catch (error) {
		if (!isRefusal(error)) throw error;
		if (isNoSuchFile(error)) throw partnerFailure('path', 'no such folder', error);
		if (isPermissionDenied(error)) throw partnerFailure('path', 'may not be written to', error);
		throw partnerFailure('path', 'the partner refused to create a file there', error);
	}
}

async function sync(session: SftpSession, handle: Buffer): Promise<void> {
	try {
		await session.request((sftp, done) => sftp.ext_openssh_fsync(handle, done));
	} catch (error) {
		// A server without the fsync extension cannot make a file durable on request, so its refusal is ignored.
		if (!session.isAlive) throw error;
	}
}

async function requireSize(session: SftpSession, path: string, bytes: number): Promise<void> {
	let found: Stats | undefined;
	try {
		found = await session.findAttributes(path);
	} catch (error) {
		if (isRefusal(error)) return;
		throw error;
	}
	if (found?.size !== bytes) throw partnerFailure('fileName', 'the partner has not stored the whole file');
}

/** Renames a file. Only `posix-rename` replaces a file in one step; SFTP's own rename refuses a name that is taken. */
async function rename(session: SftpSession, from: string, to: string, replaces: boolean): Promise<void> {
	const plainly = () => session.request((sftp, done) => sftp.rename(from, to, done));
	try {
		if (!replaces) await plainly();
		else if (!(await renameOver(session, from, to))) {
			await session.request((sftp, done) => sftp.unlink(to, done)).catch(noneIf(isNoSuchFile));
			await plainly();
		}
	} catch (error) {
		if (!isRefusal(error)) throw error;
		if (!replaces && (await session.findAttributes(to).catch(() => undefined))) throw nameTaken(error);
		throw partnerFailure('fileName', 'the partner refused to rename the file to this name', error);
	}
}

/** Renames a file over another one; returns false if the server does not support that. */
async function renameOver(session: SftpSession, from: string, to: string): Promise<boolean> {
	try {
		await session.request((sftp, done) => sftp.ext_openssh_rename(from, to, done));
		return true;
	} catch (error) {
		if (!session.isAlive || isRefusal(error)) throw error;
		return false;
	}
}

function writeFailure(error: unknown): unknown {
	return isRefusal(error) ? partnerFailure('fileName', 'the partner refused to store more of the file', error) : error;
}
