// Makes calls to one folder of a bucket of S3: objects, their lists, and uploads in parts. Calls that may succeed a moment
// later are repeated, which none of them minds.

import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../errors.ts';
import type { HeaderPair } from '../../outbound/headers.ts';
import { type OutboundAnswer, type OutboundClient, openOutboundClient } from '../../outbound/http-client.ts';
import { encodeStrictly, signV4, UNSIGNED_PAYLOAD } from '../../outbound/sigv4.ts';
import type { Secret } from '../../settings/secret.ts';
import { OutOfSpaceError, StoreAwayError } from '../blob-store.ts';
import { encodedText, findText, innerTexts } from './s3-answers.ts';
import { findRefusal, type Refusal } from './s3-failures.ts';

export interface S3Place {
	/** The origin of the server. */
	readonly endpoint: string;
	readonly bucket: string;
	/** The beginning of the names of all objects: empty, or ending in `/`. */
	readonly prefix: string;
	readonly region: string;
	readonly accessKeyId: string;
	readonly secretKey: Secret;
	/** The authorities whose certificates are accepted, in PEM; absent for those that Node ships. */
	readonly authorities?: string;
}

export interface S3Object {
	readonly name: string;
	readonly size: number;
	readonly modifiedAtMs: number;
}

/** An upload in parts that was neither completed nor given up. */
export interface S3Upload {
	readonly name: string;
	readonly uploadId: string;
	readonly startedAtMs: number;
}

/** An object that was to be new is there already. */
export class NameTakenError extends Error {
	override readonly name = 'NameTakenError';
}

/** One call has this long. In a minute, a part passes over a line of one megabit a second. */
const DEADLINE_MS = 60_000;
/** Where somebody waits for the answer and nothing is repeated, a call has only this long. */
const SHORT_DEADLINE_MS = 5_000;
/** Calls are repeated for this long. */
const PATIENCE_MS = 20_000;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 3_000;
/** A header of an object that tells which call has stored it. */
const MARK = 'x-amz-meta-written-by';
const MOST_CALLS = 256;
const MOST_ANSWER_BYTES = 16 * 1024 * 1024;

interface Call {
	readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
	/** The name of the object, without the prefix; absent for calls about the bucket. */
	readonly name?: string;
	readonly query?: readonly HeaderPair[];
	readonly headers?: readonly HeaderPair[];
	readonly body?: Buffer;
	readonly patienceMs?: number;
}

/** What came of a call: the answer, or the refusal that it is; `tries` is how often it was sent. */
interface Outcome {
	readonly answer: OutboundAnswer;
	readonly refusal: Refusal | undefined;
	readonly tries: number;
}

export class S3Bucket {
	readonly #place: S3Place;
	readonly #base: string;
	readonly #isTls: boolean;
	readonly #tls: { readonly authorities: string } | undefined;
	#client: OutboundClient | undefined;
	/** True from a call for which there was not enough patience until one that is answered: meanwhile nothing is repeated. */
	#isAway = false;

	constructor(place: S3Place) {
		this.#place = place;
		this.#base = `${place.endpoint}/${encodeStrictly(place.bucket)}`;
		this.#isTls = place.endpoint.startsWith('https:');
		this.#tls = place.authorities === undefined ? undefined : { authorities: place.authorities };
	}

	/**
	 * Stores an object. It does not replace one that has the name already, unless that is wanted.
	 * @throws NameTakenError
	 */
	async put(name: string, body: Buffer, options: { replaces?: boolean; patienceMs?: number } = {}): Promise<void> {
		const { replaces = false, patienceMs } = options;
		const mark = randomUUID();
		const headers: HeaderPair[] = replaces ? [] : [['if-none-match', '*'] as const, [MARK, mark] as const];
		const { refusal, tries } = await this.#send({ method: 'PUT', name, body, headers, patienceMs });
		if (refusal?.status !== 412) return this.#check(refusal);
		// An earlier try may have stored it, although its answer never came.
		if (tries === 1 || (await this.#findMark(name)) !== mark) {
			throw new NameTakenError(`the object ${name} is in the bucket already`);
		}
	}

	/** Returns what the writer of an object has marked it with. */
	async #findMark(name: string): Promise<string | undefined> {
		const { answer } = await this.#send({ method: 'HEAD', name });
		return answer.headers.find(([header]) => header === MARK)?.[1];
	}

	/** Returns a range of an object, which is shorter at its end; undefined if there is no such object. */
	async get(name: string, from: number, length: number): Promise<Buffer | undefined> {
		if (length === 0) return Buffer.alloc(0);
		const headers: HeaderPair[] = [['range', `bytes=${from}-${from + length - 1}`]];
		const { answer, refusal } = await this.#send({ method: 'GET', name, headers });
		if (refusal?.status === 404 && refusal.code !== 'NoSuchBucket') return undefined;
		if (refusal?.status === 416) return Buffer.alloc(0);
		this.#check(refusal);
		// A server that ignores the range sends the object from its beginning.
		return answer.status === 206 ? answer.body : answer.body.subarray(from, from + length);
	}

	/** Removes objects; one that is not there is not an error. */
	async remove(names: readonly string[], patienceMs?: number): Promise<void> {
		await Promise.all(
			names.map(async (name) => {
				const { refusal } = await this.#send({ method: 'DELETE', name, patienceMs });
				if (refusal?.code !== 'NoSuchKey') this.#check(refusal);
			}),
		);
	}

	/** Yields the objects whose names begin with `start`, in the order of their names. */
	async *list(start = ''): AsyncGenerator<S3Object> {
		for (let token: string | undefined; ; ) {
			const query: HeaderPair[] = [['list-type', '2'] as const, ['prefix', this.#place.prefix + start] as const];
			if (token !== undefined) query.push(['continuation-token', token]);
			const xml = await this.#ask(query);
			for (const each of innerTexts(xml, 'Contents')) {
				const name = this.#nameIn(each);
				const size = Number(findText(each, 'Size'));
				if (name !== undefined) yield { name, size, modifiedAtMs: timeIn(each, 'LastModified') };
			}
			token = findText(xml, 'IsTruncated') === 'true' ? findText(xml, 'NextContinuationToken') : undefined;
			if (token === undefined) return;
		}
	}

	/** Begins an upload in parts, and returns its id. */
	async beginUpload(name: string): Promise<string> {
		const { answer, refusal } = await this.#send({ method: 'POST', name, query: [['uploads', '']] });
		this.#check(refusal);
		const id = findText(answer.body.toString(), 'UploadId');
		if (!id) throw new StoreAwayError(`${this.#base} began an upload without an id`);
		return id;
	}

	/** Stores a part, whose number begins at 1, and returns the tag with which the upload is completed. */
	async putPart(name: string, uploadId: string, number: number, body: Buffer): Promise<string> {
		const query: HeaderPair[] = [['partNumber', String(number)] as const, ['uploadId', uploadId] as const];
		const { answer, refusal } = await this.#send({ method: 'PUT', name, query, body });
		this.#check(refusal);
		return answer.headers.find(([header]) => header === 'etag')?.[1] ?? '';
	}

	/** Makes an object of the parts of an upload. */
	async completeUpload(name: string, uploadId: string, tags: readonly string[], size: number): Promise<void> {
		const parts = tags.map(
			(tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${encodedText(tag)}</ETag></Part>`,
		);
		const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
		const call = { method: 'POST', name, body, query: [['uploadId', uploadId]] } as const;
		const { refusal, tries } = await this.#send(call);
		// An earlier try may have completed the upload, although its answer never came.
		if (refusal?.code === 'NoSuchUpload' && tries > 1) {
			for await (const found of this.list(name)) if (found.name === name && found.size === size) return;
		}
		this.#check(refusal);
	}

	/** Gives up an upload with its parts; one that is not there is not an error. */
	async abortUpload(name: string, uploadId: string): Promise<void> {
		const { refusal } = await this.#send({ method: 'DELETE', name, query: [['uploadId', uploadId]] });
		if (refusal?.code !== 'NoSuchUpload') this.#check(refusal);
	}

	/** Yields the uploads in parts that are under way, or were left so, of names that begin with `start`. */
	async *listUploads(start = ''): AsyncGenerator<S3Upload> {
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
		const { answer, refusal } = await this.#send({ method: 'GET', query });
		this.#check(refusal);
		return answer.body.toString();
	}

	/** Returns the name of the object that an element of a list is about. */
	#nameIn(element: string): string | undefined {
		const key = findText(element, 'Key');
		return key?.startsWith(this.#place.prefix) ? key.slice(this.#place.prefix.length) : undefined;
	}

	/** @throws StoreAwayError, OutOfSpaceError if there is a refusal */
	#check(refusal: Refusal | undefined): void {
		if (refusal === undefined) return;
		const says = `the drop store ${this.#base} ${refusal.says}`;
		throw refusal.isFull ? new OutOfSpaceError(says) : new StoreAwayError(says);
	}

	/**
	 * Sends a call until it succeeds or is refused for good, as long as there is patience. All calls can be repeated: objects
	 * have names of their own.
	 * @throws StoreAwayError if there is no answer
	 */
	async #send(call: Call): Promise<Outcome> {
		const until = performance.now() + (this.#isAway ? 0 : (call.patienceMs ?? PATIENCE_MS));
		for (let tries = 1; ; tries++) {
			const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (tries - 1)) * (0.5 + Math.random());
			const isLast = performance.now() + waitMs >= until;
			if (isLast && call.patienceMs === undefined) this.#isAway = true;
			try {
				const answer = await this.#sendOnce(call);
				const refusal = findRefusal(answer);
				if (!refusal?.isPassing) this.#isAway = false;
				if (!refusal?.isPassing || isLast) return { answer, refusal, tries };
			} catch (error) {
				if (isLast || !(error instanceof ServiceError)) throw this.#away(error);
			}
			await sleep(waitMs);
		}
	}

	#sendOnce({ method, name, query = [], headers = [], body, patienceMs }: Call): Promise<OutboundAnswer> {
		const path = name === undefined ? '' : `/${(this.#place.prefix + name).split('/').map(encodeStrictly).join('/')}`;
		const search = query.map(([key, value]) => `${key}=${encodeStrictly(value)}`).join('&');
		const url = new URL(`${this.#base}${path}${search && `?${search}`}`);
		const payload = this.#isTls ? UNSIGNED_PAYLOAD : sha256(body);
		// The call is signed for each try, because a signature holds only for some minutes.
		const { accessKeyId, secretKey, region } = this.#place;
		const key = { accessKeyId, secretKey, region, service: 's3' };
		const deadlineAt = performance.now() + (patienceMs === 0 ? SHORT_DEADLINE_MS : DEADLINE_MS);
		// The operator has named the endpoint, so it may be in a private network.
		this.#client ??= openOutboundClient({ allowPrivate: true, maxInFlight: MOST_CALLS });
		return this.#client.call({
			url,
			method,
			headers: signV4({ method, url, headers, payload }, key, new Date()),
			body: body ?? null,
			tls: this.#tls,
			deadlineAt,
			maxAnswerBytes: MOST_ANSWER_BYTES,
		});
	}

	#away(error: unknown): StoreAwayError {
		const { said, reason } = (error ?? {}) as Partial<ServiceError>;
		const why = said?.problem ?? said?.moreInfo ?? reason ?? 'the call failed';
		return new StoreAwayError(`the drop store ${this.#base} cannot be reached: ${why}`, { cause: error });
	}
}

function sha256(body: Buffer = Buffer.alloc(0)): string {
	return createHash('sha256').update(body).digest('hex');
}

function timeIn(element: string, name: string): number {
	return Date.parse(findText(element, name) ?? '') || 0;
}
