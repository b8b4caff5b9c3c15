// A server that answers as S3 does as far as our client asks, from memory. It checks the signature of every call with
// another implementation than ours, and makes the faults that a real server cannot be told to make.

import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import aws4 from 'aws4';
import type { S3Place } from '../../src/base/outbound/s3/s3-calls.ts';
import { Secret } from '../../src/base/settings/secret.ts';
import type { Teardown } from './daemon.ts';

/** How the server may fail a call. `cut`: it carries the call out, and the connection breaks before the answer. */
export type S3Fault = 'slow-down' | 'cut' | 'refuse-connection' | 'skewed' | 'full' | 'denied' | 'late-error';

export interface S3Call {
	readonly method: string;
	/** The name of the object with its prefix; empty for calls about the bucket. */
	readonly key: string;
	readonly query: URLSearchParams;
	readonly headers: IncomingMessage['headers'];
	readonly body: Buffer;
}

export interface S3Server {
	readonly place: S3Place;
	readonly objects: Map<string, Buffer>;
	/** The uploads in parts that are under way, by their ids. */
	readonly uploads: Map<string, { key: string; startedAt: Date; parts: Map<number, Buffer>; headers?: ObjectHeaders }>;
	/** The headers with which objects were stored, by their names. */
	readonly headersOf: Map<string, ObjectHeaders>;
	readonly calls: S3Call[];
	/** Stores an object, as another writer would. */
	put(key: string, body: Buffer, headers?: ObjectHeaders): void;
	/** Decides for each call whether it fails, and how. */
	fault: (call: S3Call) => S3Fault | undefined;
	/** Lists have so many entries on a page. */
	pageSize: number;
	isVersioned: boolean;
}

type ObjectHeaders = Readonly<Record<string, string>>;

const SECRET = 'a secret key';
const ACCESS = 'AKTEST';

/** Starts a server with an empty bucket; it ends with the test. */
export async function openS3Server(t: Teardown, prefix = ''): Promise<S3Server> {
	const times = new Map<string, Date>();
	/** The tags of contents that were asked for, because a large one is read in many ranges. */
	const tags = new WeakMap<Buffer, string>();
	let made = 0;
	const http = createServer((request, response) => void answer(request, response));
	await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
	t.teardown(() => {
		http.closeAllConnections();
		http.close();
	});
	const endpoint = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
	const server: S3Server = {
		place: {
			endpoint,
			bucket: 'drops',
			prefix,
			region: 'eu-test-1',
			accessKeyId: ACCESS,
			secretKey: new Secret(SECRET),
		},
		objects: new Map(),
		uploads: new Map(),
		headersOf: new Map(),
		calls: [],
		put,
		fault: () => undefined,
		pageSize: 1000,
		isVersioned: false,
	};

	async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const chunks: Buffer[] = [];
		try {
			for await (const chunk of request) chunks.push(chunk);
		} catch {
			// The caller has gone, and nobody waits for an answer.
			return;
		}
		const url = new URL(request.url!, endpoint);
		const key = decodeURIComponent(url.pathname.slice('/drops/'.length));
		const body = Buffer.concat(chunks);
		const call = { method: request.method!, key, query: url.searchParams, headers: request.headers, body };
		server.calls.push(call);
		const fault = server.fault(call);
		if (fault === 'refuse-connection') return void request.socket.destroy();
		const [status, text, headers] = refusal(fault) ?? unsigned(call, request) ?? carryOut(call);
		if (fault === 'cut') return void request.socket.destroy();
		response.writeHead(status, headers).end(text);
	}

	function carryOut({ method, key, query, headers, body }: S3Call): Answer {
		const uploadId = query.get('uploadId');
		if (key === '') return list(query);
		if (method === 'POST' && query.has('uploads')) {
			const id = `upload ${++made}`;
			server.uploads.set(id, { key, startedAt: new Date(), parts: new Map(), headers: ownHeaders(headers) });
			return [200, `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`];
		}
		const object = server.objects.get(key);
		if (headers['if-none-match'] === '*' && object) return error(412, 'PreconditionFailed');
		const copied = copiedBy(headers);
		if (copied === undefined) return error(412, 'PreconditionFailed');
		if (uploadId !== null) return onUpload(uploadId, method, query, copied?.bytes ?? body, copied !== null);
		if (method === 'PUT') {
			put(key, copied?.bytes ?? body, ownHeaders(headers));
			const etag = tagOf(key);
			return copied ? [200, `<CopyObjectResult><ETag>${etag}</ETag></CopyObjectResult>`] : [200, '', { etag }];
		}
		if (method === 'DELETE') {
			server.objects.delete(key);
			return [204, ''];
		}
		if (!object) return method === 'HEAD' ? [404, ''] : error(404, 'NoSuchKey');
		const of = { ...server.headersOf.get(key), etag: tagOf(key), 'last-modified': times.get(key)!.toUTCString() };
		if (method === 'HEAD') return [200, '', { ...of, 'content-length': String(object.length) }];
		if (headers['if-match'] !== undefined && headers['if-match'] !== of.etag) return error(412, 'PreconditionFailed');
		const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range!)!;
		if (Number(from) >= object.length) return error(416, 'InvalidRange');
		const bytes = object.subarray(Number(from), Number(to) + 1);
		return [206, bytes, { ...of, 'content-range': `bytes ${from}-${to}/${object.length}` }];
	}

	/** Returns what a call copies: null if it copies nothing, undefined if the object is not the one that is meant. */
	function copiedBy(headers: S3Call['headers']): { bytes: Buffer } | null | undefined {
		const source = headers['x-amz-copy-source'];
		if (source === undefined) return null;
		const key = decodeURIComponent(String(source).slice('/drops/'.length));
		const bytes = server.objects.get(key);
		if (!bytes || tagOf(key) !== headers['x-amz-copy-source-if-match']) return undefined;
		const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(String(headers['x-amz-copy-source-range'])) ?? [];
		return { bytes: from === undefined ? bytes : bytes.subarray(Number(from), Number(to) + 1) };
	}

	function tagOf(key: string): string {
		const object = server.objects.get(key)!;
		const tag = tags.get(object) ?? `"${md5(object)}"`;
		tags.set(object, tag);
		return tag;
	}

	function onUpload(id: string, method: string, query: URLSearchParams, body: Buffer, isCopied: boolean): Answer {
		const upload = server.uploads.get(id);
		if (!upload) return error(404, 'NoSuchUpload');
		if (method === 'PUT') {
			upload.parts.set(Number(query.get('partNumber')), body);
			const etag = `"${md5(body)}"`;
			return isCopied ? [200, `<CopyPartResult><ETag>${etag}</ETag></CopyPartResult>`] : [200, '', { etag }];
		}
		server.uploads.delete(id);
		if (method === 'DELETE') return [204, ''];
		const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>&#34;(\w+)&#34;<\/ETag>/g)];
		const parts = named.map(([, number, tag]) => {
			const part = upload.parts.get(Number(number));
			return part && md5(part) === tag ? part : undefined;
		});
		if (parts.length === 0 || parts.includes(undefined)) return error(400, 'InvalidPart');
		if (parts.slice(0, -1).some((part) => part!.length < 5 * 1024 * 1024)) return error(400, 'EntityTooSmall');
		put(upload.key, Buffer.concat(parts as Buffer[]), upload.headers);
		return [200, '<CompleteMultipartUploadResult/>'];
	}

	function list(query: URLSearchParams): Answer {
		const start = query.get('prefix') ?? '';
		if (query.has('versioning')) {
			const status = server.isVersioned ? '<Status>Enabled</Status>' : '';
			return [200, `<VersioningConfiguration>${status}</VersioningConfiguration>`];
		}
		if (query.has('uploads')) {
			const after = query.get('upload-id-marker') ?? '';
			const left = [...server.uploads].filter(([id, { key }]) => key.startsWith(start) && id > after);
			const page = left.slice(0, server.pageSize);
			const items = page.map(
				([id, { key, startedAt }]) =>
					`<Upload><Key>${escaped(key)}</Key><UploadId>${id}</UploadId><Initiated>${startedAt.toISOString()}</Initiated></Upload>`,
			);
			const more = left.length > page.length;
			const next = `<NextKeyMarker>${escaped(page.at(-1)?.[1].key ?? '')}</NextKeyMarker><NextUploadIdMarker>${page.at(-1)?.[0] ?? ''}</NextUploadIdMarker>`;
			return [200, `<R><IsTruncated>${more}</IsTruncated>${next}${items.join('')}</R>`];
		}
		const after = query.get('continuation-token') ?? '';
		const delimiter = query.get('delimiter');
		const isListed = (key: string) =>
			key.startsWith(start) && key > after && !(delimiter && key.slice(start.length).includes(delimiter));
		const left = [...server.objects].filter(([key]) => isListed(key)).sort();
		const page = left.slice(0, server.pageSize);
		const items = page.map(
			([key, body]) =>
				`<Contents><Key>${escaped(key)}</Key><LastModified>${times.get(key)!.toISOString()}</LastModified><Size>${body.length}</Size></Contents>`,
		);
		const more = left.length > page.length;
		const token = more ? `<NextContinuationToken>${escaped(page.at(-1)![0])}</NextContinuationToken>` : '';
		return [200, `<R><IsTruncated>${more}</IsTruncated>${token}${items.join('')}</R>`];
	}

	function put(key: string, body: Buffer, headers: ObjectHeaders = {}): void {
		server.objects.set(key, body);
		server.headersOf.set(key, headers);
		times.set(key, new Date());
	}

	return server;
}

type Answer = [status: number, body: string | Buffer, headers?: Record<string, string>];

function error(status: number, code: string, more = ''): Answer {
	return [status, `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code>${more}</Error>`];
}

function refusal(fault: S3Fault | undefined): Answer | undefined {
	if (fault === 'slow-down') return error(503, 'SlowDown');
	if (fault === 'full') return error(403, 'QuotaExceeded');
	if (fault === 'denied') return error(403, 'AccessDenied');
	if (fault === 'late-error') return error(200, 'InternalError');
	const there = new Date(Date.now() + 3_600_000).toISOString();
	return fault === 'skewed' ? error(403, 'RequestTimeTooSkewed', `<ServerTime>${there}</ServerTime>`) : undefined;
}

/** Returns a refusal if the call is not signed as another implementation signs it. */
function unsigned({ method, headers, body }: S3Call, request: IncomingMessage): Answer | undefined {
	const hash = createHash('sha256').update(body).digest('hex');
	if (headers['x-amz-content-sha256'] !== hash) return error(400, 'XAmzContentSHA256Mismatch');
	const signed = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1].split(';') ?? [];
	const given = Object.fromEntries(
		signed.filter((name) => name !== 'host' && name !== 'range').map((name) => [name, String(headers[name])]),
	);
	const { headers: theirs } = aws4.sign(
		{ service: 's3', region: 'eu-test-1', method, host: headers.host, path: request.url, headers: given },
		{ accessKeyId: ACCESS, secretAccessKey: SECRET },
	);
	const same = theirs!.Authorization === headers.authorization;
	// The other implementation does not sign ranges, which ours does.
	return same || signed.includes('range') ? undefined : error(403, 'SignatureDoesNotMatch');
}

/** Returns those headers of a call that belong to the object. */
function ownHeaders(headers: S3Call['headers']): ObjectHeaders {
	const own = Object.entries(headers).filter(([name]) => /^(x-amz-meta-|content-(type|encoding)$)/.test(name));
	return Object.fromEntries(own.map(([name, value]) => [name, String(value)]));
}

function md5(bytes: Buffer): string {
	return createHash('md5').update(bytes).digest('hex');
}

function escaped(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
