// Holds a tree of files in memory: what the partner of the demonstration shows, and the shortest complete example of a tree.

import { dirname } from 'node:path/posix';
import {
	type OpenMode,
	type Tree,
	type TreeAttributes,
	type TreeEntry,
	TreeError,
	type TreeFile,
} from '../../work/folders/tree.ts';

/** The bytes of one file, in a buffer that grows. */
class Content {
	bytes = Buffer.alloc(0);
	size = 0;
	modifiedAt = new Date();

	write(offset: number, bytes: Buffer): void {
		const end = offset + bytes.length;
		if (end > this.bytes.length) {
			const grown = Buffer.alloc(Math.max(end, this.bytes.length * 2));
			this.bytes.copy(grown, 0, 0, this.size);
			this.bytes = grown;
		}
		bytes.copy(this.bytes, offset);
		this.size = Math.max(this.size, end);
		this.modifiedAt = new Date();
	}

	truncate(size: number): void {
		if (size > this.size) throw new TreeError('failure', 'too long');
		this.size = size;
	}

	read(offset: number, length: number): Buffer {
		return Buffer.from(this.bytes.subarray(Math.min(offset, this.size), Math.min(offset + length, this.size)));
	}
}

const LISTED_AT_ONCE = 200;

export class MemoryTree implements Tree {
	readonly files = new Map<string, Content>();
	readonly #folders: Set<string>;

	constructor(folders: readonly string[]) {
		this.#folders = new Set(['/', ...folders]);
	}

	getBytes(path: string): Buffer {
		const content = this.#get(path);
		return content.read(0, content.size);
	}

	put(path: string, bytes: Buffer): void {
		const content = new Content();
		content.write(0, bytes);
		this.files.set(path, content);
	}

	async attributes(path: string): Promise<TreeAttributes> {
		if (this.#folders.has(path)) return { kind: 'directory', size: 0, mode: 0o750, modifiedAt: new Date(0) };
		return fileAttributes(this.#get(path));
	}

	async *list(path: string): AsyncIterable<readonly TreeEntry[]> {
		const names = [...this.#folders, ...this.files.keys()].filter((name) => name !== '/' && dirname(name) === path);
		for (let at = 0; at < names.length; at += LISTED_AT_ONCE) {
			const page = names.slice(at, at + LISTED_AT_ONCE);
			yield await Promise.all(
				page.map(async (name) => ({ name: name.slice(name.lastIndexOf('/') + 1), ...(await this.attributes(name)) })),
			);
		}
	}

	async open(path: string, mode: OpenMode): Promise<TreeFile> {
		if (this.#folders.has(path)) throw new TreeError('failure', 'this is a folder');
		if (!this.#folders.has(dirname(path))) throw new TreeError('no-such-file', 'no such folder');
		if (this.files.has(path) && mode.create && mode.exclusive) throw new TreeError('failure', 'the file exists');
		if (!this.files.has(path) && mode.create) this.files.set(path, new Content());
		const content = this.#get(path);
		if (mode.truncate) content.size = 0;
		return fileOf(content, mode);
	}

	async truncate(path: string, size: number): Promise<void> {
		this.#get(path).truncate(size);
	}

	async remove(path: string): Promise<void> {
		this.#get(path);
		this.files.delete(path);
	}

	async rename(from: string, to: string, overwrite: boolean): Promise<void> {
		const content = this.#get(from);
		if (this.files.has(to) && !overwrite) throw new TreeError('failure', 'the target exists');
		this.files.delete(from);
		this.files.set(to, content);
	}

	async makeDirectory(): Promise<void> {
		throw new TreeError('permission-denied', 'folders are fixed');
	}

	async removeDirectory(): Promise<void> {
		throw new TreeError('permission-denied', 'folders are fixed');
	}

	async space(): Promise<{ total: number; free: number }> {
		return { total: 2 ** 40, free: 2 ** 39 };
	}

	async close(): Promise<void> {}

	#get(path: string): Content {
		const content = this.files.get(path);
		if (content === undefined) throw new TreeError('no-such-file', 'no such file');
		return content;
	}
}

function fileOf(content: Content, mode: OpenMode): TreeFile {
	return {
		read: async (offset, length) => content.read(offset, length),
		write: async (offset, bytes) => content.write(mode.append ? content.size : offset, bytes),
		attributes: async () => fileAttributes(content),
		truncate: async (size) => content.truncate(size),
		sync: async () => {},
		close: async () => {},
		abandon: async () => {},
	};
}

function fileAttributes({ size, modifiedAt }: Content): TreeAttributes {
	return { kind: 'file', size, modifiedAt, mode: 0o640 };
}
