// A blob in a bucket is a row of segments, because an object cannot grow. Each segment is an object whose name tells where
// its bytes belong and after which others it was written: a later one takes the place of what earlier ones have from its
// beginning on, also if it is empty. So writing again at the end, cutting and going on are all one further object, and the
// list of objects is all there is to know. An object `head` overrides the first bytes of all segments.

import { isUlid } from '../../database/ulid.ts';
import type { S3Bucket, S3Object } from '../../outbound/s3/s3-bucket.ts';
import { DamagedFileError } from '../sealed-file.ts';

export interface Segment {
	/** The name of its object, below the id of the blob. */
	readonly name: string;
	/** The number that a later segment has higher. */
	readonly generation: number;
	readonly start: number;
	readonly size: number;
}

export interface StoredBlob {
	/** The segments in the order in which they were written. */
	readonly segments: readonly Segment[];
	/** The number of bytes that the object `head` overrides. */
	readonly headBytes: number;
	readonly modifiedAtMs: number;
}

/** A part of a blob that one segment has, from its beginning on. */
export interface Piece {
	readonly name: string;
	readonly from: number;
	readonly to: number;
}

const HEAD = 'head';
const NAME = /^([0-9a-f]{8})-([0-9a-f]{12})$/;

export function segmentName(generation: number, start: number): string {
	return `${generation.toString(16).padStart(8, '0')}-${start.toString(16).padStart(12, '0')}`;
}

export function objectName(id: string, name: string): string {
	return `${id}/${name}`;
}

export function headName(id: string): string {
	return objectName(id, HEAD);
}

/** Returns the id of the blob that an object belongs to, and the object's name below it; undefined for other objects. */
export function parseObjectName(name: string): { readonly id: string; readonly own: string } | undefined {
	const [id, own, ...more] = name.split('/');
	return own !== undefined && more.length === 0 && isUlid(id) ? { id, own } : undefined;
}

export async function findBlob(bucket: S3Bucket, id: string): Promise<StoredBlob | undefined> {
	return blobOf(await Array.fromAsync(bucket.list(`${id}/`)));
}

/** Puts together what the objects of one blob say; undefined if no segment is among them. */
export function blobOf(objects: readonly S3Object[]): StoredBlob | undefined {
	const segments: Segment[] = [];
	let headBytes = 0;
	let modifiedAtMs = 0;
	for (const { name, size, modifiedAtMs: at } of objects) {
		const own = name.slice(name.indexOf('/') + 1);
		const [, generation, start] = NAME.exec(own) ?? [];
		if (generation !== undefined) {
			segments.push({
				name: own,
				generation: Number.parseInt(generation, 16),
				start: Number.parseInt(start, 16),
				size,
			});
		} else if (own === HEAD) headBytes = size;
		modifiedAtMs = Math.max(modifiedAtMs, at);
	}
	if (segments.length === 0) return undefined;
	segments.sort((one, other) => one.generation - other.generation);
	return { segments, headBytes, modifiedAtMs };
}

export function sizeOf(segments: readonly Segment[]): number {
	const last = segments.at(-1);
	return last === undefined ? 0 : last.start + last.size;
}

/**
 * Returns which segment has which bytes.
 * @throws DamagedFileError if there are bytes that none has
 */
export function layOut(id: string, segments: readonly Segment[]): Piece[] {
	const pieces: Piece[] = [];
	for (const { name, start, size } of segments) {
		while (pieces.length > 0 && pieces[pieces.length - 1].to > start) {
			const cut = pieces.pop()!;
			if (cut.from < start) pieces.push({ ...cut, to: start });
		}
		if (start > (pieces.at(-1)?.to ?? 0)) throw new DamagedFileError(id, 'an object of it is missing in the bucket');
		if (size > 0) pieces.push({ name, from: start, to: start + size });
	}
	return pieces;
}
