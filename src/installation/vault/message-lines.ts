// Reads the lines of an encrypted file as they are decrypted, so that no clear text reaches a disk.

import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { ServiceError } from '../../base/errors.ts';
import type { NamedKey } from '../../base/openpgp/message-task.ts';
import type { MessageThreads } from '../../base/openpgp/message-threads.ts';
import { readPieces } from '../../engine/file-source.ts';
import { writeAll } from '../../work/pgp/messages.ts';

/** A place in what was decrypted: the number of a line, from 1, and the bytes before it. */
export interface Place {
	readonly line: number;
	readonly offset: number;
}

export interface NumberedLine extends Place {
	readonly text: string;
}

export interface MessageLines {
	readonly path: string;
	/** The secret key that opens the message. */
	readonly key: NamedKey;
	/** Gets some lines; the next ones come when the promise resolves. */
	take(lines: readonly NumberedLine[]): Promise<void>;
	onProgress(bytes: number, total: number): void;
}

/** The longest line that is read, in bytes. The longest record has texts of 96 KiB, of which JSON escapes each byte. */
const LONGEST_LINE = 1024 * 1024;
const LINES_AT_ONCE = 2048;
const CHARACTERS_AT_ONCE = 4 * 1024 * 1024;
const PIECE_BYTES = 262_144;
const LF = 0x0a;
/** As for files of accounts: a message may unpack to this multiple of its size, and always to this much. */
const MOST_UNPACKED = 100;
const FREE_UNPACKED_BYTES = 256 * 2 ** 20;

/**
 * Decrypts a file and hands its lines over. Returns the SHA-256 of the encrypted file. Lines come before the message is
 * known to be whole.
 * @throws ServiceError that says up to which line the file could be read, if it is refused
 */
export async function readMessageLines(threads: MessageThreads, given: MessageLines): Promise<string> {
	const { path, key, onProgress } = given;
	const { size } = await stat(path);
	const hash = createHash('sha256');
	const lines = new LineSplitter(given.take);
	let read = 0;
	const source = async function* () {
		for await (const piece of readPieces(path, PIECE_BYTES)) {
			hash.update(piece);
			read += piece.length;
			onProgress(read, size);
			yield piece;
		}
	};
	const maxUnpackedBytes = Math.max(FREE_UNPACKED_BYTES, size * MOST_UNPACKED);
	const task = { kind: 'decrypt', keys: [key], signers: [], unsigned: 'accept', maxUnpackedBytes } as const;
	try {
		await writeAll(await threads.begin(task, (bytes) => lines.feed(bytes)), source());
		await lines.end();
	} catch (error) {
		if (!(error instanceof ServiceError) || error.at || lines.count === 0) throw error;
		throw new ServiceError(error.reason, { ...error.said, at: { line: lines.count, offset: read }, cause: error });
	} finally {
		lines.wipe();
	}
	return hash.digest('hex');
}

class LineSplitter {
	readonly #take: MessageLines['take'];
	#rest = Buffer.alloc(0);
	#ready: NumberedLine[] = [];
	#count = 0;
	#characters = 0;
	/** The bytes of the lines that were read so far. */
	#offset = 0;

	constructor(take: MessageLines['take']) {
		this.#take = take;
	}

	get count(): number {
		return this.#count;
	}

	async feed(bytes: Uint8Array): Promise<void> {
		const all = this.#rest.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#rest, bytes]);
		this.#rest.fill(0);
		let at = 0;
		for (let end = all.indexOf(LF); end >= 0; end = all.indexOf(LF, at)) {
			this.#add(all.toString('utf8', at, end), end + 1 - at);
			at = end + 1;
			if (this.#ready.length === LINES_AT_ONCE || this.#characters > CHARACTERS_AT_ONCE) await this.#hand();
		}
		this.#rest = Buffer.from(all.subarray(at));
		all.fill(0);
		if (this.#rest.length > LONGEST_LINE) {
			const moreInfo = `a line is longer than ${LONGEST_LINE} bytes, as none of an export is`;
			throw new ServiceError('file-malformed', { moreInfo, at: { line: this.#count + 1, offset: this.#offset } });
		}
	}

	async end(): Promise<void> {
		if (this.#rest.length > 0) this.#add(this.#rest.toString(), this.#rest.length);
		await this.#hand();
	}

	wipe(): void {
		this.#rest.fill(0);
		this.#ready = [];
	}

	#add(text: string, bytes: number): void {
		this.#ready.push({ line: ++this.#count, offset: this.#offset, text });
		this.#offset += bytes;
		this.#characters += text.length;
	}

	async #hand(): Promise<void> {
		const ready = this.#ready;
		this.#ready = [];
		this.#characters = 0;
		if (ready.length > 0) await this.#take(ready);
	}
}
