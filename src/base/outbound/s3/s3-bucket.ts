// What can be asked of one folder of a bucket of S3: objects, their lists, and uploads in parts. Whoever uses the bucket says
// how its failures are told.

import { randomUUID } from 'node:crypto';
import type { HeaderPair } from '../headers.ts';
import type { OutboundAnswer } from '../http-client.ts';
import { encodeStrictly } from '../sigv4.ts';
import { encodedText, findText, innerTexts, type Refusal } from './s3-answers.ts';
import { type S3Access, type S3Call, type S3Place, s3Calls } from './s3-calls.ts';

export interface S3Object {
	readonly name: string;
	readonly size: number;
	readonly modifiedAtMs: number;
}

/** What the server says of one object. */
export interface FoundObject {
	readonly size: number;
	/** The ETag, which is another one for each content. */
	readonly tag: string;
	/** What its writer has marked it with. */
	readonly mark: string | undefined;
	readonly headers: readonly HeaderPair[];
}

/** A range of an object, with the ETag and the size of the whole. */
export interface S3Range {
	readonly bytes: Buffer;
	readonly tag: string;
	readonly size: number;
}

/** An upload in parts that was neither completed nor given up. */
export interface OpenUpload {
	readonly name: string;
	readonly uploadId: string;
	readonly startedAtMs: number;
}

/** An object that was to be new is there already. */
export class NameTakenError extends Error {
	override readonly name = 'NameTakenError';
}

/** An object is not the one any more that was meant. */
export class ObjectChangedError extends Error {
	override readonly name = 'ObjectChangedError';
}

/** How an object gets its name. */
export interface Naming {
	/** True if it may take the place of another object. */
	readonly replaces: boolean;
	readonly mark: string;
}

/** A header of an object that tells which call or delivery has stored it. */
const MARK = 'x-amz-meta-written-by';
/** S3 takes no smaller part, except the last one of an object. */
export const PART_BYTES = 5 * 1024 * 1024;
/** Larger objects are copied in parts of this size, so that no call takes long. S3 itself demands parts beyond 5 GB. */
const COPY_PART_BYTES = 256 * 1024 * 1024;
/** These headers belong to an object, and a copy has them too. */
const KEPT_HEADER = /^(cache-control|content-(disposition|encoding|language|type)|expires|x-amz-meta-.*)$/;
const IF_NONE: HeaderPair = ['if-none-match', '*'];

/** A folder of a bucket. */
export class S3Bucket {
	readonly #place: S3Place;
	readonly #access: S3Access;
	readonly #calls: ReturnType<typeof s3Calls>;

	constructor(place: S3Place, access: S3Access) {
		this.#place = place;
		this.#access = access;
		this.#calls = s3Calls(place, access);
	}

	get isClosed(): boolean {
		return this.#calls.signal.aborted;
	}

	/** Ends all calls, and makes no more. It may be called twice. */
	close(): void {
		this.#calls.close();
	}

	/**
	 * Asks for the first name of the folder, once, to see whether the bucket can be used.
	 * @throws the errors of the user
	 */
	async probe(deadlineMs: number): Promise<void> {
		const query: HeaderPair[] = [
			['list-type', '2'],
			['max-keys', '1'],
			['prefix', this.#place.prefix],
		];
		await this.#send({ method: 'GET', query, patienceMs: 0, deadlineMs });
	}

	/**
	 * Stores an object. It does not replace one that has the name already, unless that is wanted.
	 * @throws NameTakenError
	 */
	async put(name: string, body: Buffer, options: Partial<Naming> & { patienceMs?: number } = {}): Promise<void> {
		const { replaces = false, patienceMs } = options;
		const mark = options.mark ?? (replaces ? undefined : randomUUID());
		const headers = namingHeaders({ replaces, mark });
		const { refusal, tries } = await this.#calls.send({ method: 'PUT', name, body, headers, patienceMs });
		if (!isTaken(refusal)) return this.#check(refusal);
		await this.#requireOurs(name, mark, tries);
	}

	/** @throws NameTakenError unless an earlier try has stored the object, although its answer never came */
	async #requireOurs(name: string, mark: string | undefined, tries: number): Promise<void> {
		if (tries > 1 && mark !== undefined && (await this.find(name))?.mark === mark) return;
		throw new NameTakenError(`the object ${name} is in the bucket already`);
	}

	/** Looks an object up; undefined if there is none. */
	async find(name: string): Promise<FoundObject | undefined> {
		const { answer, refusal } = await this.#calls.send({ method: 'HEAD', name });
		if (refusal?.status === 404) return undefined;
		this.#check(refusal);
		const size = Number(headerOf(answer, 'content-length'));
		const { headers } = answer;
		return { size, tag: headerOf(answer, 'etag') ?? '', mark: headerOf(answer, MARK), headers };
	}

	/** Returns a range of an object, which is shorter at its end; undefined if there is no such object. */
	async get(name: string, from: number, length: number): Promise<Buffer | undefined> {
		if (length === 0) return Buffer.alloc(0);
		return (await this.getRange(name, from, length))?.bytes;
	}

	/**
	 * Returns a range as `get` does, with what the whole object is. With a tag, the object must still have it.
	 * @throws ObjectChangedError
	 */
	async getRange(name: string, from: number, length: number, tag?: string): Promise<S3Range | undefined> {
		const headers: HeaderPair[] = [['range', `bytes=${from}-${from + length - 1}`]];
		if (tag !== undefined) headers.push(['if-match', tag]);
		const { answer, refusal } = await this.#calls.send({ method: 'GET', name, headers });
		if (refusal?.status === 404 && refusal.code !== 'NoSuchBucket') return undefined;
		const found = headerOf(answer, 'etag') ?? '';
		if (refusal?.status === 416) return { bytes: Buffer.alloc(0), tag: found, size: from };
		if (refusal?.status === 412) throw new ObjectChangedError(`the object ${name} was replaced`);
		this.#check(refusal);
		if (tag !== undefined && found !== tag) throw new ObjectChangedError(`the object ${name} was replaced`);
		// A server that ignores the range sends the object from its beginning.
		const { status, body } = answer;
		if (status !== 206) return { bytes: body.subarray(from, from + length), tag: found, size: body.length };
		const size = Number(/\/(\d+)$/.exec(headerOf(answer, 'content-range') ?? '')?.[1]);
		return { bytes: body, tag: found, size };
	}

	/**
	 * Copies an object that was found, with its headers, under another name and with a mark of its own. It takes the place of
	 * one that has the name already.
	 * @throws ObjectChangedError if it is not the one any more that was found
	 */
	async copy(
		name: string,
		found: FoundObject,
		to: string,
		{ mark, partBytes = COPY_PART_BYTES }: { mark: string; partBytes?: number },
	): Promise<void> {
		const source: HeaderPair[] = [
			['x-amz-copy-source', `/${encodeStrictly(this.#place.bucket)}/${this.#calls.encoded(name)}`],
			['x-amz-copy-source-if-match', found.tag],
		];
		const own = found.headers.filter(([header]) => KEPT_HEADER.test(header) && header !== MARK);
		const send = async (call: S3Call) => {
			const { answer, refusal } = await this.#calls.send(call);
			if (refusal?.status === 412) throw new ObjectChangedError(`the object ${name} was replaced`);
			this.#check(refusal);
			return findText(answer.body.toString(), 'ETag') ?? '';
		};
		const marked: HeaderPair[] = [...own, [MARK, mark]];
		if (found.size <= partBytes) {
			const headers: HeaderPair[] = [...source, ['x-amz-metadata-directive', 'REPLACE'], ...marked];
			await send({ method: 'PUT', name: to, headers });
			return;
		}
		const uploadId = await this.#beginUpload(to, marked);
		try {
			const tags: string[] = [];
			for (let from = 0; from < found.size; from += partBytes) {
				const range = `bytes=${from}-${Math.min(from + partBytes, found.size) - 1}`;
				const headers: HeaderPair[] = [...source, ['x-amz-copy-source-range', range]];
				tags.push(await send({ method: 'PUT', name: to, query: partQuery(uploadId, tags.length + 1), headers }));
			}
			await this.completeUpload(to, uploadId, tags, found.size);
		} catch (error) {
			await this.abortUpload(to, uploadId).catch(() => {});
			throw error;
		}
	}

	/** Removes objects; one that is not there is not an error. */
	async remove(names: readonly string[], patienceMs?: number): Promise<void> {
		await Promise.all(
			names.map(async (name) => {
				const { refusal } = await this.#calls.send({ method: 'DELETE', name, patienceMs });
				if (refusal?.code !== 'NoSuchKey') this.#check(refusal);
			}),
		);
	}

	/** Yields the objects whose names begin with `start`, in the order of their names. */
	async *list(start = ''): AsyncGenerator<S3Object> {
		for await (const page of this.listPages(start)) yield* page;
	}

	/** Yields what `list` yields, a page of the server at a time. With a delimiter, objects are left out that have it in what follows `start`. */
	async *listPages(start = '', delimiter?: string): AsyncGenerator<S3Object[]> {
		for (let token: string | undefined; ; ) {
			const query: HeaderPair[] = [['list-type', '2'] as const, ['prefix', this.#place.prefix + start] as const];
			if (delimiter !== undefined) query.push(['delimiter', delimiter]);
			if (token !== undefined) query.push(['continuation-token', token]);
			const xml = await this.#ask(query);
			const page: S3Object[] = [];
			for (const each of innerTexts(xml, 'Contents')) {
				const name = this.#nameIn(each);
				const size = Number(findText(each, 'Size'));
				if (name !== undefined) page.push({ name, size, modifiedAtMs: timeIn(each, 'LastModified') });
			}
			yield page;
			token = findText(xml, 'IsTruncated') === 'true' ? findText(xml, 'NextContinuationToken') : undefined;
			if (token === undefined) return;
		}
	}

	/** Begins an upload in parts, and returns its id. The object will have the mark. */
	beginUpload(name: string, mark?: string): Promise<string> {
		return this.#beginUpload(name, mark === undefined ? [] : [[MARK, mark]]);
	}

	async #beginUpload(name: string, headers: readonly HeaderPair[]): Promise<string> {
		const { body } = await this.#send({ method: 'POST', name, query: [['uploads', '']], headers });
		const id = findText(body.toString(), 'UploadId');
		if (!id) throw this.#access.errors.away('it began an upload without an id');
		return id;
	}

	/** Stores a part, whose number begins at 1, and returns the tag with which the upload is completed. */
	async putPart(name: string, uploadId: string, number: number, body: Buffer): Promise<string> {
		const answer = await this.#send({ method: 'PUT', name, query: partQuery(uploadId, number), body });
		return headerOf(answer, 'etag') ?? '';
	}

	/**
	 * Makes an object of the parts of an upload. With `naming`, which has the mark with which the upload began, it does not
	 * replace another object unless that is wanted.
	 * @throws NameTakenError
	 */
	async completeUpload(
		name: string,
		uploadId: string,
		tags: readonly string[],
		size: number,
		naming?: Naming,
	): Promise<void> {
		const parts = tags.map(
			(tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${encodedText(tag)}</ETag></Part>`,
		);
		const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
		const headers = naming && !naming.replaces ? [IF_NONE] : [];
		const call = { method: 'POST', name, body, headers, query: [['uploadId', uploadId]] } as const;
		const { refusal, tries } = await this.#calls.send(call);
		if (isTaken(refusal)) return this.#requireOurs(name, naming?.mark, tries);
		// An earlier try may have completed the upload, although its answer never came.
		if (refusal?.code === 'NoSuchUpload' && tries > 1) {
			const found = await this.find(name);
			if (found?.size === size && (naming === undefined || found.mark === naming.mark)) return;
		}
		this.#check(refusal);
	}

	/** Gives up an upload with its parts; one that is not there is not an error. */
	async abortUpload(name: string, uploadId: string): Promise<void> {
		const { refusal } = await this.#calls.send({ method: 'DELETE', name, query: [['uploadId', uploadId]] });
		if (refusal?.code !== 'NoSuchUpload') this.#check(refusal);
	}

	/** Yields the uploads in parts that are under way, or were left so, of names that begin with `start`. */
	async *listUploads(start = ''): AsyncGenerator<OpenUpload> {
		for (let markers: readonly HeaderPair[] = []; ; ) {
			const xml = await this.#ask([['uploads', ''], ['prefix', this.#place.prefix + start], ...markers]);
			for (const each of innerTexts(xml, 'Upload')) {
				const name = this.#nameIn(each);
				const uploadId = findText(each, 'UploadId');
				if (name !== undefined && uploadId) yield { name, uploadId, startedAtMs: timeIn(each, 'Initiated') };
			}
			if (findText(xml, 'IsTruncated') !== 'true') return;
			markers = [
				['key-marker', findText(xml, 'NextKeyMarker') ?? ''],
				['upload-id-marker', findText(xml, 'NextUploadIdMarker') ?? ''],
			];
		}
	}

	/** Tells whether the bucket keeps objects that were removed, as former versions. */
	async isVersioned(): Promise<boolean> {
		return findText(await this.#ask([['versioning', '']]), 'Status') === 'Enabled';
	}

	/** Makes a call about the bucket, and returns its answer. */
	async #ask(query: readonly HeaderPair[]): Promise<string> {
		return (await this.#send({ method: 'GET', query })).body.toString();
	}

	/** Makes a call, and returns its answer. @throws the error of the user for any refusal */
	async #send(call: S3Call): Promise<OutboundAnswer> {
		const { answer, refusal } = await this.#calls.send(call);
		this.#check(refusal);
		return answer;
	}

	/** Returns the name of the object that an element of a list is about. */
	#nameIn(element: string): string | undefined {
		const key = findText(element, 'Key');
		return key?.startsWith(this.#place.prefix) ? key.slice(this.#place.prefix.length) : undefined;
	}

	#check(refusal: Refusal | undefined): void {
		if (refusal !== undefined) throw this.#access.errors.refused(refusal);
	}
}

function namingHeaders({ replaces, mark }: { replaces: boolean; mark: string | undefined }): HeaderPair[] {
	return [...(replaces ? [] : [IF_NONE]), ...(mark === undefined ? [] : [[MARK, mark] as const])];
}

function isTaken(refusal: Refusal | undefined): boolean {
	return refusal?.status === 412 || refusal?.code === 'PreconditionFailed';
}

function partQuery(uploadId: string, number: number): HeaderPair[] {
	return [
		['partNumber', String(number)],
		['uploadId', uploadId],
	];
}

function headerOf({ headers }: OutboundAnswer, name: string): string | undefined {
	return headers.find(([header]) => header === name)?.[1];
}

function timeIn(element: string, name: string): number {
	return Date.parse(findText(element, name) ?? '') || 0;
}
