import type { TreeAttributes, TreeEntry } from '../../../work/folders/tree.ts';
import { encodeNameEntry } from '../protocol/encoder.ts';
import { HandleTurns } from './handle-turns.ts';

const replyBytes = 64 * 1024;

/** A folder that is being listed: it reads entries in portions from the tree and returns replies of limited size. */
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

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const halfYearMs = 182 * 24 * 3600 * 1000;

/** Formats one line of `ls -l` (the longname of SFTP), which clients show and some parse. Times are UTC. */
export function formatLongName(entry: TreeEntry, owner: string, now: Date): string {
	const links = entry.kind === 'directory' ? 2 : 1;
	const size = String(entry.size).padStart(12);
	const who = ownerName(owner).padEnd(8);
	return `${formatMode(entry)} ${String(links).padStart(4)} ${who} ${who} ${size} ${formatTime(entry.modifiedAt, now)} ${entry.name}`;
}

function formatMode({ kind, mode }: TreeAttributes): string {
	const bits = [...'rwxrwxrwx'].map((letter, index) => (mode & (0o400 >> index) ? letter : '-'));
	return (kind === 'directory' ? 'd' : '-') + bits.join('');
}

/** Shows a time as `ls` does: a time within the last half year with the hour, any other time with the year. */
function formatTime(time: Date, now: Date): string {
	const day = `${months[time.getUTCMonth()]} ${String(time.getUTCDate()).padStart(2)}`;
	const ageMs = now.getTime() - time.getTime();
	if (ageMs < 0 || ageMs > halfYearMs) return `${day} ${String(time.getUTCFullYear()).padStart(5)}`;
	return `${day} ${time.toISOString().slice(11, 16)}`;
}

/** Returns the owner as one word, because clients split the columns at blanks. */
function ownerName(owner: string): string {
	return owner.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, 32) || '-';
}
