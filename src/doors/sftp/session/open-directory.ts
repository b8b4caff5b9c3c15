import type { TreeEntry } from '../../../work/folders/tree.ts';
import { encodeNameEntry } from '../protocol/encoder.ts';
import { formatLongName } from '../protocol/long-name.ts';
import { HandleTurns } from './handle-turns.ts';

const replyBytes = 64 * 1024;

/**
 * Describes a folder that is being listed: it reads the entries in portions from the tree and returns replies of
 * limited size.
 */
export class OpenDirectory {
	readonly path: string;
	readonly #pages: AsyncIterator<readonly TreeEntry[]>;
	readonly #owner: string;
	readonly #now: () => Date;
	readonly #turns = new HandleTurns();
	#page: readonly TreeEntry[] = [];
	#at = 0;

	constructor(opened: { path: string; pages: AsyncIterable<readonly TreeEntry[]>; owner: string; now: () => Date }) {
		this.path = opened.path;
		this.#pages = opened.pages[Symbol.asyncIterator]();
		this.#owner = opened.owner;
		this.#now = opened.now;
	}

	/** Returns the next entries of the listing, encoded; the result is empty at the end. */
	next(): Promise<Buffer[]> {
		return this.#turns.run(async () => {
			while (this.#at === this.#page.length) {
				const { done, value } = await this.#pages.next();
				if (done) return [];
				this.#page = value;
				this.#at = 0;
			}
			return this.#encodePage();
		});
	}

	/** Closes the folder, so that the tree releases the resources of a listing that was not read to its end. */
	close(): Promise<void> {
		return this.#turns.run(() => this.#release());
	}

	abandon(): Promise<void> {
		return this.#turns.abandon(() => this.#release());
	}

	async #release(): Promise<void> {
		await this.#pages.return?.();
	}

	#encodePage(): Buffer[] {
		const entries: Buffer[] = [];
		const now = this.#now();
		for (let bytes = 0; this.#at < this.#page.length && bytes < replyBytes; this.#at += 1) {
			const entry = this.#page[this.#at];
			const encoded = encodeNameEntry(entry.name, formatLongName(entry, this.#owner, now), entry);
			entries.push(encoded);
			bytes += encoded.length;
		}
		return entries;
	}
}
