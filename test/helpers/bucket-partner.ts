// A partner with a bucket: writes the document of its destination, and looks at its objects.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dropBucket } from '../../src/base/blobs/s3/drop-bucket.ts';
import type { S3Place } from '../../src/base/outbound/s3/s3-calls.ts';

/** The objects of a bucket below the prefix of a place, whose names are without it. */
export interface BucketPartner {
	readonly place: S3Place;
	/** Returns the names of all objects, in order. */
	names(): Promise<string[]>;
	/** Returns the names of uploads that are neither completed nor given up. */
	unfinished(): Promise<string[]>;
	text(name: string): Promise<string>;
	bytes(name: string): Promise<Buffer>;
	put(name: string, content: string | Buffer): Promise<void>;
	/** Returns what its writer has marked an object with. */
	mark(name: string): Promise<string | undefined>;
	/** Writes a destination for it into a folder, and returns the options of `destination put` that name it. */
	destinationFiles(folder: string, name: string, more?: object, secretKey?: string): string[];
}

/** Opens a bucket as its owner sees it. */
export function bucketPartner(place: S3Place): BucketPartner {
	const bucket = dropBucket(place);
	const bytes = async (name: string) => {
		const found = await bucket.find(name);
		if (found === undefined) throw new Error(`the bucket has no ${name}`);
		const pieces: Buffer[] = [];
		for (let at = 0; at < found.size; at += 8e6) pieces.push((await bucket.get(name, at, 8e6))!);
		return Buffer.concat(pieces);
	};
	return {
		place,
		names: async () => (await Array.fromAsync(bucket.list())).map(({ name }) => name).sort(),
		unfinished: async () => (await Array.fromAsync(bucket.listUploads())).map(({ name }) => name).sort(),
		text: async (name) => (await bytes(name)).toString(),
		bytes,
		put: (name, content) => bucket.put(name, Buffer.from(content), { replaces: true }),
		mark: async (name) => (await bucket.find(name))?.mark,
		destinationFiles(folder, name, more = {}, secretKey = place.secretKey.reveal()) {
			const { endpoint, bucket, region, accessKeyId, prefix } = place;
			const own = { name, kind: 's3', endpoint, bucket, region, accessKeyId, folder: prefix.replace(/\/$/, '') };
			const [document, secret] = [join(folder, `${name}.json`), join(folder, `${name}.secret`)];
			writeFileSync(document, JSON.stringify({ ...own, ...more }));
			writeFileSync(secret, `${secretKey}\n`);
			return ['--file', document, '--secret-key-file', secret];
		},
	};
}
