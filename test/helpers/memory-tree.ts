// A tree in memory that replaces the drops in tests: it counts what is opened and closed, and can be made slow or refuse.

import { MemoryTree as Tree } from '../../src/app/demo/memory-tree.ts';
import type { OpenMode, TreeFile } from '../../src/work/folders/tree.ts';

export interface MemoryTreeOptions {
	/** The folders besides the root. */
	readonly folders?: readonly string[];
	/** This function runs before each READ and WRITE, so that a test can make the tree slow. */
	readonly beforeTransfer?: () => Promise<void>;
	/** This function runs before the closing of a file settles. It may throw to refuse the upload. */
	readonly beforeClose?: (path: string) => Promise<void>;
}

export class MemoryTree extends Tree {
	/** The fate of every file that was opened, in order: `closed /in/a`, `abandoned /in/b`. */
	readonly releases: string[] = [];
	readonly #options: MemoryTreeOptions;
	opened = 0;
	closes = 0;

	constructor(options: MemoryTreeOptions = {}) {
		super(options.folders ?? ['/in', '/out']);
		this.#options = options;
	}

	override async open(path: string, mode: OpenMode): Promise<TreeFile> {
		const file = await super.open(path, mode);
		const { beforeTransfer, beforeClose } = this.#options;
		this.opened += 1;
		return {
			...file,
			read: async (offset, length) => {
				await beforeTransfer?.();
				return file.read(offset, length);
			},
			write: async (offset, bytes) => {
				await beforeTransfer?.();
				await file.write(offset, bytes);
			},
			close: async () => {
				this.releases.push(`closed ${path}`);
				await beforeClose?.(path);
			},
			abandon: async () => {
				this.releases.push(`abandoned ${path}`);
			},
		};
	}

	override async close(): Promise<void> {
		this.closes += 1;
	}
}
