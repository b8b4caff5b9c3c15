import type { OpenUpload, S3Bucket } from '../../outbound/s3/s3-bucket.ts';
import { Turns } from '../../threads/turns.ts';
import type { BlobAppender } from '../blob-store.ts';
import { isMemoryShort, PartBuffer } from './part-buffer.ts';
import type { Readable } from './s3-reader.ts';
import { headName, layOut, objectName, type Segment, type StoredBlob, segmentName, sizeOf } from './segments.ts';

/** So many parts of one blob are on their way at the same time. */
const MOST_FLYING = 3;
/**
 * A segment ends after so many parts, or after this time. A crash loses what was sent of the segment that has not ended,
 * because nobody can read the parts of an object before they are put together.
 */
export const MOST_PARTS = 64;
const LONGEST_SEGMENT_MS = 30 * 60_000;

interface PartsUpload extends OpenUpload {
	readonly tags: string[];
}

export interface AppenderOptions {
	readonly bucket: S3Bucket;
	readonly id: string;
	/** What is stored of the blob; undefined for a new one. */
	readonly stored: StoredBlob | undefined;
	readonly mostParts: number;
	readonly onEnd: () => void;
}

/**
 * A blob that is being written. Bytes are collected until they make a part, and parts until they make a segment; while
 * memory is short, fewer bytes make a segment. Its states:
 * - *open*: it takes bytes. `#publish` makes a segment of all that is not stored.
 * - *failed*: the bucket did not take something. What was published before stays.
 * - *forgotten*: the blob was removed. Nothing is stored any more.
 */
export class S3Appender implements BlobAppender {
	readonly size: number;
	readonly #bucket: S3Bucket;
	readonly #id: string;
	readonly #mostParts: number;
	readonly #onEnd: () => void;
	#segments: Segment[];
	#headBytes: number;
	#readable: Readable;
	/** The segment that is being written: where it begins, and how many of its bytes were sent as parts. */
	#start: number;
	#sent = 0;
	#held = new PartBuffer();
	#upload: PartsUpload | undefined;
	readonly #flying = new Set<Promise<void>>();
	/** True if the blob is not what its segments say. */
	#isChanged: boolean;
	#failure: unknown;
	#isForgotten = false;
	#isClosed = false;
	/** Writing and publishing, which a reader in this process may ask for, never run at the same time. */
	readonly #turns = new Turns();

	constructor({ bucket, id, stored, mostParts, onEnd }: AppenderOptions) {
		this.#bucket = bucket;
		this.#id = id;
		this.#mostParts = mostParts;
		this.#onEnd = onEnd;
		this.#segments = [...(stored?.segments ?? [])];
		this.#headBytes = stored?.headBytes ?? 0;
		this.#readable = this.#read();
		this.#isChanged = stored === undefined;
		this.#start = sizeOf(this.#segments);
		this.size = this.#start;
	}

	/** Makes everything readable, and returns what is. After a failure this is what was published before. */
	async publish(): Promise<() => Readable> {
		await this.#turns.run(() => (this.#isBroken ? undefined : this.#publish()));
		return () => this.#readable;
	}

	/** Replaces the first bytes, which a caller has made sure are there. */
	replaceHead(head: Uint8Array): Promise<void> {
		return this.#turns.run(async () => {
			if (!this.#isBroken) await this.#publish();
			await this.#bucket.put(headName(this.#id), Buffer.from(head), { replaces: true });
			this.#headBytes = head.length;
			this.#readable = this.#read();
		});
	}

	/** Makes sure that a removed blob is not written again, and waits until nothing of it is on its way. */
	async forget(): Promise<void> {
		this.#isForgotten = true;
		await this.#turns.run(() => this.#giveUp());
	}

	write(bytes: Uint8Array, position: number): Promise<void> {
		return this.#turns.run(async () => {
			if (!this.#isWritten()) return;
			if (position < this.#headBytes) await this.#cutHead(position);
			const known = this.#start + this.#sent;
			if (position < known) await this.#beginAt(position, position + bytes.length);
			for (let at = 0; at < bytes.length; ) {
				this.#isChanged = true;
				const offset = position + at - this.#start - this.#sent;
				at += this.#held.write(bytes.subarray(at), offset);
				if (this.#held.isFull) await this.#sendPart();
				else if (at < bytes.length) await this.#publish();
			}
		});
	}

	truncate(size: number): Promise<void> {
		return this.#turns.run(async () => {
			if (!this.#isWritten()) return;
			if (size < this.#headBytes) await this.#cutHead(size);
			if (size >= this.#end) return;
			if (size < this.#start + this.#sent) await this.#beginAt(size, this.#end);
			this.#held.cut(size - this.#start - this.#sent);
			this.#isChanged = true;
		});
	}

	sync(): Promise<void> {
		return this.#turns.run(() => (this.#isWritten() ? this.#publish() : undefined));
	}

	settle(): Promise<void> {
		return this.sync();
	}

	prepare(): Promise<void> {
		return this.sync();
	}

	async storeWithin(): Promise<void> {}

	stored(): void {}

	async close(): Promise<void> {
		if (this.#isClosed) return;
		this.#isClosed = true;
		try {
			await this.#turns.run(() => (this.#isBroken ? this.#giveUp() : this.#publish()));
		} finally {
			this.#held.free();
			this.#onEnd();
		}
	}

	get #end(): number {
		return this.#start + this.#sent + this.#held.length;
	}

	get #isBroken(): boolean {
		return this.#isForgotten || this.#failure !== undefined;
	}

	/** Returns false if the blob was removed, after which nothing of it is stored. @throws what has failed before */
	#isWritten(): boolean {
		if (this.#failure !== undefined) throw this.#failure;
		return !this.#isForgotten;
	}

	#read(): Readable {
		return { pieces: layOut(this.#id, this.#segments), headBytes: this.#headBytes };
	}

	/** Begins a segment inside what was stored or sent. Whoever writes there writes up to the end, or cuts it off. */
	async #beginAt(position: number, until: number): Promise<void> {
		if (until < this.#end) throw new Error('internal error: the middle of a blob in a bucket cannot be replaced');
		await this.#publish();
		this.#start = position;
	}

	/** Shortens the head, which stands in place of the first bytes of the segments, to `size` bytes. */
	async #cutHead(size: number): Promise<void> {
		const head = size > 0 ? await this.#bucket.get(headName(this.#id), 0, size) : undefined;
		if (head === undefined) await this.#bucket.remove([headName(this.#id)]);
		else await this.#bucket.put(headName(this.#id), head, { replaces: true });
		this.#headBytes = size;
		this.#readable = this.#read();
	}

	async #sendPart(): Promise<void> {
		// The first part of a blob is a segment of its own, so that the blob is listed as soon as it takes room.
		if (this.#segments.length === 0 && this.#upload === undefined) return this.#publish();
		const part = this.#held;
		this.#held = new PartBuffer();
		this.#sent += part.length;
		await this.#landed(isMemoryShort() ? 0 : MOST_FLYING - 1);
		const upload = (this.#upload ??= await this.#guard(this.#beginUpload()));
		const number = upload.tags.push('');
		this.#fly(part, async () => {
			upload.tags[number - 1] = await this.#bucket.putPart(upload.name, upload.uploadId, number, part.bytes);
		});
		if (number >= this.#mostParts || Date.now() - upload.startedAtMs > LONGEST_SEGMENT_MS) await this.#publish();
	}

	async #beginUpload(): Promise<PartsUpload> {
		const name = objectName(this.#id, segmentName(this.#nextGeneration, this.#start));
		return { name, uploadId: await this.#bucket.beginUpload(name), startedAtMs: Date.now(), tags: [] };
	}

	/** Lets a part be sent while the next one is collected. */
	#fly(part: PartBuffer, send: () => Promise<void>): void {
		const flight = this.#guard(send())
			.catch(() => {})
			.finally(() => {
				this.#flying.delete(flight);
				part.free();
			});
		this.#flying.add(flight);
	}

	/** Waits until no more than so many parts are on their way. */
	async #landed(most: number): Promise<void> {
		while (this.#flying.size > most) await Promise.race(this.#flying);
		if (this.#failure !== undefined) throw this.#failure;
	}

	/** Makes a segment of everything that is not one yet. */
	async #publish(): Promise<void> {
		await this.#landed(0);
		if (!this.#isChanged) return;
		const name = segmentName(this.#nextGeneration, this.#start);
		const upload = this.#upload;
		await this.#guard(
			upload === undefined
				? this.#bucket.put(objectName(this.#id, name), this.#held.bytes)
				: this.#completeUpload(upload),
		);
		this.#upload = undefined;
		this.#added({ name, generation: this.#nextGeneration, start: this.#start, size: this.#end - this.#start });
		this.#held.free();
		this.#isChanged = false;
	}

	async #completeUpload({ name, uploadId, tags }: PartsUpload): Promise<void> {
		if (this.#held.length > 0) {
			tags.push(await this.#bucket.putPart(name, uploadId, tags.length + 1, this.#held.bytes));
		}
		await this.#bucket.completeUpload(name, uploadId, tags, this.#end - this.#start);
	}

	/** Notes that a segment is stored; the next one begins behind it. Segments of which nothing is left are removed. */
	#added(segment: Segment): void {
		const over = this.#segments.filter(({ start }) => start >= segment.start);
		this.#segments = [...this.#segments.filter(({ start }) => start < segment.start), segment];
		this.#readable = this.#read();
		this.#start += segment.size;
		this.#sent = 0;
		const names = over.map(({ name }) => objectName(this.#id, name));
		// What cannot be removed now goes with the blob.
		if (names.length > 0) void this.#bucket.remove(names).catch(() => {});
	}

	get #nextGeneration(): number {
		return (this.#segments.at(-1)?.generation ?? -1) + 1;
	}

	/** Gives up what is not published. It never fails: uploads in parts that are left are removed later. */
	async #giveUp(): Promise<void> {
		while (this.#flying.size > 0) await Promise.race(this.#flying);
		const upload = this.#upload;
		this.#upload = undefined;
		this.#held.free();
		if (upload) await this.#bucket.abortUpload(upload.name, upload.uploadId).catch(() => {});
	}

	async #guard<Result>(work: Promise<Result>): Promise<Result> {
		try {
			return await work;
		} catch (error) {
			this.#failure ??= error;
			throw error;
		}
	}
}
