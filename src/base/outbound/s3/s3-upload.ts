// Writes a file to a partner's bucket. Nobody sees an upload in parts until it is completed, so the final name never shows
// a part of a file. A file of less than a part is stored in one call.

import { ServiceError } from '../../errors.ts';
import { told } from '../../failures.ts';
import { BufferPool, giveBack } from '../../threads/buffer-memory.ts';
import { partnerFailure } from '../sftp/sftp-failures.ts';
import { NameTakenError, type Naming, PART_BYTES, type S3Bucket } from './s3-bucket.ts';

/** S3 takes 10,000 parts of an object. After so many, parts are twice as large: those of 5 TB, its limit, are enough. */
const PARTS_OF_A_SIZE = 900;
const FIRST_BYTES = 64 * 1024;
/** So many parts of one file are on their way while the next is collected; several files are written at once. */
const MOST_FLYING = 1;

const parts = new BufferPool(PART_BYTES, 2);

export interface S3UploadTarget extends Naming {
	readonly name: string;
	/** Notes the id of an upload in parts, before the first part is sent. */
	readonly onBegin: (uploadId: string) => Promise<void>;
}

/** Returns the size of a part by its number, which begins at 1. */
export function partBytes(number: number): number {
	return PART_BYTES * 2 ** Math.floor((number - 1) / PARTS_OF_A_SIZE);
}

export class S3Upload {
	readonly #bucket: S3Bucket;
	readonly #target: S3UploadTarget;
	/** What is not sent yet, in a buffer that grows up to the size of a part. */
	#held: Buffer = Buffer.alloc(0);
	#length = 0;
	#size = 0;
	#uploadId: string | undefined;
	/** The tags of the parts, by their order. */
	readonly #tags: string[] = [];
	readonly #flying = new Set<Promise<void>>();
	#failure: unknown;

	constructor(bucket: S3Bucket, target: S3UploadTarget) {
		this.#bucket = bucket;
		this.#target = target;
	}

	/** Takes a copy of the bytes. It resolves late while parts are on their way. @throws what has failed before */
	async write(bytes: Buffer): Promise<void> {
		for (let at = 0; at < bytes.length; ) {
			this.#requireSound();
			const most = partBytes(this.#tags.length + 1);
			const count = Math.min(bytes.length - at, most - this.#length);
			if (this.#length + count > this.#held.length) this.#grow(this.#length + count, most);
			this.#held.set(bytes.subarray(at, at + count), this.#length);
			this.#length += count;
			this.#size += count;
			at += count;
			if (this.#length === most) await this.#sendPart();
		}
	}

	/**
	 * Stores all of it, calls `beforeNaming` and then gives the file its name.
	 * @throws ServiceError if the name is taken
	 */
	async publish(beforeNaming: () => Promise<void>): Promise<void> {
		const { name, replaces, mark } = this.#target;
		const naming = { replaces, mark };
		try {
			if (this.#uploadId !== undefined && this.#length > 0) await this.#sendPart();
			await this.#landed(0);
			await beforeNaming();
			this.#requireSound();
			if (this.#uploadId === undefined) await this.#bucket.put(name, this.#held.subarray(0, this.#length), naming);
			else await this.#bucket.completeUpload(name, this.#uploadId, this.#tags, this.#size, naming);
		} catch (error) {
			if (!(error instanceof NameTakenError)) throw error;
			// It cannot get the name any more, so its parts need not stay until the next try.
			if (this.#uploadId !== undefined) await this.#bucket.abortUpload(name, this.#uploadId).catch(() => {});
			throw nameTaken(error);
		} finally {
			this.#free();
		}
		const found = await this.#bucket.find(name);
		// A partner may have fetched and removed it already, or put another in its place.
		if (found?.mark === mark && found.size !== this.#size) {
			throw partnerFailure('fileName', 'the partner has not stored the whole file');
		}
	}

	/** Gives up: every write fails from now on. What was sent stays invisible until the upload is removed. */
	abandon(reason: unknown): void {
		this.#failure ??= reason ?? new Error('the upload was given up');
		this.#free();
	}

	#grow(least: number, most: number): void {
		const wanted = Math.min(most, Math.max(FIRST_BYTES, this.#held.length * 4, least));
		const larger = wanted === PART_BYTES ? parts.take() : Buffer.allocUnsafeSlow(wanted);
		this.#held.copy(larger, 0, 0, this.#length);
		release(this.#held, this.#length);
		this.#held = larger;
	}

	async #sendPart(): Promise<void> {
		const { name, mark, onBegin } = this.#target;
		if (this.#uploadId === undefined) {
			const uploadId = await this.#bucket.beginUpload(name, mark);
			await onBegin(uploadId).catch(async (error) => {
				await this.#bucket.abortUpload(name, uploadId).catch(() => {});
				throw error;
			});
			this.#uploadId = uploadId;
		}
		await this.#landed(MOST_FLYING - 1);
		const uploadId = this.#uploadId;
		const [held, length] = [this.#held, this.#length];
		this.#held = Buffer.alloc(0);
		this.#length = 0;
		const number = this.#tags.push('');
		const flight = this.#bucket
			.putPart(name, uploadId, number, held.subarray(0, length))
			.then(
				(tag) => void (this.#tags[number - 1] = tag),
				(error) => void (this.#failure ??= error),
			)
			.finally(() => {
				this.#flying.delete(flight);
				release(held, length);
			});
		this.#flying.add(flight);
	}

	/** Waits until no more than so many parts are on their way. @throws what has failed */
	async #landed(most: number): Promise<void> {
		while (this.#flying.size > most) await Promise.race(this.#flying);
		this.#requireSound();
	}

	#requireSound(): void {
		if (this.#failure !== undefined) throw this.#failure;
	}

	#free(): void {
		release(this.#held, this.#length);
		this.#held = Buffer.alloc(0);
		this.#length = 0;
	}
}

/** Frees a buffer, which may have held numbers in clear. */
function release(buffer: Buffer, length: number): void {
	buffer.fill(0, 0, length);
	if (buffer.length === PART_BYTES) parts.put(buffer);
	else giveBack(buffer);
}

function nameTaken(cause: unknown): ServiceError {
	return new ServiceError('bad-input-data', {
		field: 'fileName',
		problem: 'the bucket has an object of this name',
		told: told('name-taken'),
		cause,
	});
}
