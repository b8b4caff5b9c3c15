// Reads a file from a partner in order. Several requests are in progress at a time, and only their answers are in
// memory.

import { posix } from 'node:path';
import type { Stats } from 'ssh2';
import { noneIf } from '../../errors.ts';
import { giveBack } from '../../threads/buffer-memory.ts';
import {
	isEndOfFile,
	isNoSuchFile,
	isPermissionDenied,
	isRefusal,
	noPartnerFile,
	partnerFailure,
	partnerFileChanged,
} from './sftp-failures.ts';
import type { SftpSession } from './sftp-session.ts';

/** A read requests this many bytes, which every server can return in one answer. */
const PIECE_BYTES = 31 * 1024;
const REQUESTS_AHEAD = 64;

export type Download = Awaited<ReturnType<typeof openDownload>>;

/**
 * Opens a file of a partner.
 * @throws ServiceError `uri-not-found` if there is no such file
 */
export async function openDownload(session: SftpSession, folder: string, fileName: string) {
	const path = posix.join(folder || '.', fileName);
	const handle = await open(session, path);
	const before = await findHandleAttributes(session, handle);
	if (before?.isDirectory()) throw partnerFailure('fileName', 'is a folder');
	return {
		/** The size of the file as the partner states it, or undefined if it states none. */
		size: before?.size,
		/**
		 * Yields the bytes of the file; it may be called once. A piece is valid until the next one is requested.
		 * @throws ServiceError when the file changes meanwhile
		 */
		async *read(): AsyncGenerator<Buffer> {
			const reader = new PieceReader(session, handle);
			try {
				let position = 0;
				for (;;) {
					const piece = await reader.next();
					if (piece === null) break;
					position += piece.length;
					yield piece;
				}
				const after = await findHandleAttributes(session, handle);
				if (before && after && (after.mtime !== before.mtime || position !== after.size)) {
					throw partnerFileChanged('read');
				}
			} catch (error) {
				throw isRefusal(error)
					? partnerFailure('fileName', 'the partner refused to send more of the file', error)
					: error;
			} finally {
				await reader.close();
				if (session.isAlive) await session.request((sftp, done) => sftp.close(handle, done)).catch(() => {});
			}
		},
	};
}

async function open(session: SftpSession, path: string): Promise<Buffer> {
	try {
		return await session.request<Buffer>((sftp, done) => sftp.open(path, 'r', done));
	} catch (error) {
		if (!isRefusal(error)) throw error;
		if (isNoSuchFile(error)) throw noPartnerFile(error);
		if (isPermissionDenied(error)) throw partnerFailure('fileName', 'may not be read', error);
		throw partnerFailure('fileName', 'the partner refused to open the file', error);
	}
}

async function findHandleAttributes(session: SftpSession, handle: Buffer): Promise<Stats | undefined> {
	return session.request<Stats>((sftp, done) => sftp.fstat(handle, done)).catch(noneIf(isRefusal));
}

interface Slot {
	readonly buffer: Buffer;
	filling: Promise<number>;
}

/** Reads a file in pieces into a ring of buffers. Several requests are in progress at a time, each for one buffer. */
class PieceReader {
	readonly #session: SftpSession;
	readonly #handle: Buffer;
	readonly #slots: Slot[] = [];
	#position = 0;
	#turn = 0;
	#hasEnded = false;
	#given: Slot | undefined;

	constructor(session: SftpSession, handle: Buffer) {
		this.#session = session;
		this.#handle = handle;
	}

	/** Returns the next bytes of the file, or null at its end. */
	async next(): Promise<Buffer | null> {
		if (this.#slots.length === 0) {
			for (let i = 0; i < REQUESTS_AHEAD; i++) this.#ask({ buffer: Buffer.allocUnsafeSlow(PIECE_BYTES) }, i);
		}
		// The caller no longer needs the piece that was returned last. So its buffer is used for a further request, for
		// the bytes that follow those already requested.
		else if (this.#given && !this.#hasEnded)
			this.#ask(this.#given, this.#turn === 0 ? REQUESTS_AHEAD - 1 : this.#turn - 1);
		if (this.#hasEnded) return null;
		const slot = this.#slots[this.#turn];
		const length = await slot.filling;
		this.#turn = (this.#turn + 1) % REQUESTS_AHEAD;
		this.#given = slot;
		// A piece shorter than requested is the last one, because `#fill` has already completed short answers by further
		// requests.
		this.#hasEnded = length < PIECE_BYTES;
		return length === 0 ? null : slot.buffer.subarray(0, length);
	}

	/** Waits for the requests in progress, because they write into the buffers; then clears and frees the buffers. */
	async close(): Promise<void> {
		await Promise.allSettled(this.#slots.map(({ filling }) => filling));
		for (const { buffer } of this.#slots) giveBack(buffer.fill(0));
	}

	#ask({ buffer }: Pick<Slot, 'buffer'>, at: number): void {
		const filling = this.#fill(buffer, this.#position);
		filling.catch(() => {});
		this.#position += PIECE_BYTES;
		this.#slots[at] = { buffer, filling };
	}

	/** Fills a buffer, with further requests if necessary, because servers may answer with less than was requested. */
	async #fill(buffer: Buffer, position: number): Promise<number> {
		let length = 0;
		while (length < PIECE_BYTES) {
			const read = await this.#read(buffer, length, position + length);
			if (read === 0) break;
			length += read;
		}
		return length;
	}

	#read(buffer: Buffer, offset: number, position: number): Promise<number> {
		return this.#session
			.request<number>((sftp, done) => sftp.read(this.#handle, buffer, offset, PIECE_BYTES - offset, position, done))
			.catch((error) => {
				if (isEndOfFile(error)) return 0;
				throw error;
			});
	}
}
