import { TreeError } from '../../../work/folders/tree.ts';
import { OpenDirectory } from './open-directory.ts';
import { OpenFile } from './open-file.ts';

export type OpenHandle = OpenFile | OpenDirectory;

/** A handle leaves the table when its CLOSE request is handled, and is released exactly once. */
export class HandleTable {
	readonly #maxHandles: number;
	readonly #open = new Map<number, OpenHandle>();
	/**
	 * The number of slots that are taken by OPENs and CLOSEs in progress. They are counted so that a client cannot exceed
	 * the limit by sending many of them at once.
	 */
	#reserved = 0;
	#next = 1;

	constructor(maxHandles: number) {
		this.#maxHandles = maxHandles;
	}

	get size(): number {
		return this.#open.size + this.#reserved;
	}

	/** Reserves a slot for an OPEN before it is carried out. @throws TreeError if all slots are taken */
	reserve(): void {
		if (this.size >= this.#maxHandles) {
			throw new TreeError('failure', `at most ${this.#maxHandles} files and folders may be open at once`);
		}
		this.#reserved += 1;
	}

	unreserve(): void {
		this.#reserved -= 1;
	}

	add(handle: OpenHandle): number {
		const number = this.#next;
		this.#next = this.#next === 0xffff_ffff ? 1 : this.#next + 1;
		this.#open.set(number, handle);
		return number;
	}

	getFile(number: number): OpenFile {
		const handle = this.#open.get(number);
		if (handle instanceof OpenFile) return handle;
		throw new TreeError('failure', handle ? 'this handle is a folder' : 'no such handle');
	}

	getDirectory(number: number): OpenDirectory {
		const handle = this.#open.get(number);
		if (handle instanceof OpenDirectory) return handle;
		throw new TreeError('failure', handle ? 'this handle is a file' : 'no such handle');
	}

	/** @throws TreeError if there is no such handle */
	requireOpen(number: number): void {
		if (!this.#open.has(number)) throw new TreeError('failure', 'no such handle');
	}

	/** Takes a handle out of the table to close it. Its slot stays reserved until `unreserve`. */
	take(number: number): OpenHandle {
		const handle = this.#open.get(number);
		if (handle === undefined) throw new TreeError('failure', 'no such handle');
		this.#open.delete(number);
		this.#reserved += 1;
		return handle;
	}

	/** Takes out all remaining handles, because the session ended. */
	takeAll(): OpenHandle[] {
		const left = [...this.#open.values()];
		this.#open.clear();
		return left;
	}
}
