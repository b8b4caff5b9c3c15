// Decompresses an answer with a limit on the result, because a few hundred bytes can expand to gigabytes.

import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { openLanes } from '../threads/lanes.ts';
import { unreachable } from './outbound-failure.ts';

type Unpacker = (packed: Buffer, options: { maxOutputLength: number }) => Buffer;
type AsyncUnpacker = (packed: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

interface Coding {
	readonly now: Unpacker;
	readonly later: AsyncUnpacker;
}

/** Every call tells the target that it may answer in these encodings. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br, zstd';

const MAX_LAYERS = 2;
/**
 * Any answer may expand to this many bytes. A larger result is accepted only up to a fixed multiple of the compressed
 * size.
 */
const FREE_BYTES = 1_048_576;
const MAX_RATIO = 100;

/** Small answers are decompressed in this thread, because handing 1 KB to another costs more than decompressing it. */
const SMALL_PACKED_BYTES = 65_536;
const SMALL_UNPACKED_BYTES = 262_144;

/** At most this many large answers are decompressed at once, so that their memory does not add up. */
const takeLane = openLanes(4);

const gzip = coding(zlib.gunzipSync, zlib.gunzip);
const zlibDeflate = coding(zlib.inflateSync, zlib.inflate);
const rawDeflate = coding(zlib.inflateRawSync, zlib.inflateRaw);
const brotli = coding(zlib.brotliDecompressSync, zlib.brotliDecompress);
const zstd = coding(zlib.zstdDecompressSync, zlib.zstdDecompress);

function coding(now: unknown, later: (...given: never[]) => void): Coding {
	return { now: now as Unpacker, later: promisify(later) as unknown as AsyncUnpacker };
}

/**
 * Returns the compressions of an answer in the order in which they were applied. Names by which servers say that they
 * did not compress, such as `identity` and `none`, are left out.
 */
export function encodingsOf(header: string | readonly string[] | undefined): readonly string[] {
	if (header === undefined) return [];
	const names = String(header)
		.split(',')
		.map((name) => name.trim().toLowerCase());
	return names.filter((name) => !['', 'identity', 'none', 'utf-8'].includes(name));
}

/**
 * Returns the decompressed answer, at once if it is small.
 * @throws `target-unreachable` if the encoding is wrong, or if the result is larger than `maxBytes` or than honest
 * compression makes possible.
 */
export function unpack(packed: Buffer, encodings: readonly string[], maxBytes: number): Buffer | Promise<Buffer> {
	if (encodings.length > MAX_LAYERS) throw unreachable('the answer is compressed too many times');
	const maxOutputLength = Math.min(maxBytes, Math.max(FREE_BYTES, packed.length * MAX_RATIO));
	if (packed.length <= SMALL_PACKED_BYTES) {
		const maxSmall = Math.min(maxOutputLength, SMALL_UNPACKED_BYTES);
		const small = unpackNow(packed, encodings, maxSmall, maxSmall < maxOutputLength);
		if (small !== undefined) return small;
	}
	return unpackLater(packed, encodings, maxOutputLength);
}

function unpackNow(
	packed: Buffer,
	encodings: readonly string[],
	maxOutputLength: number,
	mayBeLarger: boolean,
): Buffer | undefined {
	try {
		return encodings.reduceRight((bytes, name) => codingOf(name, bytes).now(bytes, { maxOutputLength }), packed);
	} catch (error) {
		if (mayBeLarger && isTooLarge(error)) return;
		throw failureOfUnpacking(error);
	}
}

async function unpackLater(packed: Buffer, encodings: readonly string[], maxOutputLength: number): Promise<Buffer> {
	const giveBack = await takeLane();
	let bytes = packed;
	try {
		for (const name of encodings.toReversed()) bytes = await codingOf(name, bytes).later(bytes, { maxOutputLength });
	} catch (error) {
		throw failureOfUnpacking(error);
	} finally {
		giveBack();
	}
	return bytes;
}

function codingOf(name: string, bytes: Buffer): Coding {
	if (name === 'gzip' || name === 'x-gzip') return gzip;
	if (name === 'br') return brotli;
	if (name === 'zstd') return zstd;
	if (name !== 'deflate') throw unreachable('the answer has an unknown content encoding');
	// `deflate` should mean the zlib format, but some servers send bare deflate data without the header of zlib.
	const isWrapped = bytes.length > 1 && (bytes[0] & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
	return isWrapped ? zlibDeflate : rawDeflate;
}

function isTooLarge(error: unknown): boolean {
	return (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE';
}

function failureOfUnpacking(error: unknown): Error {
	if (isTooLarge(error)) return unreachable('the answer is too large');
	return typeof (error as { code?: unknown }).code === 'string'
		? unreachable('the answer cannot be decompressed', (error as { code: string }).code)
		: (error as Error);
}
