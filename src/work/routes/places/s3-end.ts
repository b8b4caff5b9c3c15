// The end of a route in a partner's bucket. An object cannot be renamed, so a file is written under its final name, which it
// has for nobody before it is whole; a mark tells ours from another of the same name.

import { posix } from 'node:path';
import { type FoundObject, ObjectChangedError, type S3Bucket } from '../../../base/outbound/s3/s3-bucket.ts';
import { readObject } from '../../../base/outbound/s3/s3-download.ts';
import { S3Upload } from '../../../base/outbound/s3/s3-upload.ts';
import { partnerFailure, partnerFileChanged } from '../../../base/outbound/sftp/sftp-failures.ts';
import { type EndFacts, firstFreeName, type Source, type Target } from './place.ts';

export function s3End(bucket: S3Bucket, facts: EndFacts): Source & Target {
	const at = (...parts: readonly string[]) => posix.join(...parts);
	return {
		facts,
		get isAlive() {
			return !bucket.isClosed;
		},
		async *list() {
			for await (const page of bucket.listPages('', '/')) yield page.filter(({ name }) => isFile(name));
		},
		read: (name) => readObject(bucket, name),
		remove: (name) => bucket.remove([name]),
		move: (name, folder) => moveObject(bucket, name, folder),
		findSize: async (folder, name) => (await bucket.find(at(folder, name)))?.size,
		async isNamed({ folder, name, mark, upload }, size) {
			// An upload that was about to be completed is either there afterwards, or cannot be completed any more.
			if (upload !== undefined) await bucket.abortUpload(at(folder, name), upload);
			const found = await bucket.find(at(folder, name));
			return found?.mark === mark && found.size === size;
		},
		async begin({ folder, name, replaces, mark }, onBegin) {
			return new S3Upload(bucket, { name: at(folder, name), replaces, mark, onBegin });
		},
		async clear({ folder, name, upload }) {
			if (upload !== undefined) await bucket.abortUpload(at(folder, name), upload);
		},
		writeShort: (folder, name, content) => bucket.put(at(folder, name), content, { replaces: true }),
		close: () => bucket.close(),
	};
}

/**
 * Tells whether a name directly in a folder is that of a file. Programs mark folders by objects whose names end in a slash,
 * and no URL leads to an object with a name of dots.
 */
function isFile(name: string): boolean {
	return name !== '' && !name.endsWith('/') && name !== '.' && name !== '..';
}

/** Copies an object into a folder and removes it. If it was copied before a crash, it is only removed. */
async function moveObject(bucket: S3Bucket, name: string, folder: string): Promise<string> {
	const found = await bucket.find(name);
	if (found === undefined)
		throw partnerFailure('fileName', 'the partner has no such file', undefined, 'partner-file-missing');
	const mark = markOf(found);
	let isCopied = false;
	const free = await firstFreeName(posix.basename(name), async (each) => {
		const there = await bucket.find(posix.join(folder, each));
		isCopied = there?.mark === mark;
		return there !== undefined && !isCopied;
	});
	const path = posix.join(folder, free);
	try {
		if (!isCopied) await bucket.copy(name, found, path, { mark });
	} catch (error) {
		throw error instanceof ObjectChangedError ? partnerFileChanged('moved', error) : error;
	}
	await bucket.remove([name]);
	return path;
}

/** Returns a mark that only copies of this version of an object have. */
function markOf({ tag, headers }: FoundObject): string {
	const modified = headers.find(([name]) => name === 'last-modified')?.[1] ?? '';
	return `moved-${tag.replaceAll('"', '')}-${Date.parse(modified)}`;
}
