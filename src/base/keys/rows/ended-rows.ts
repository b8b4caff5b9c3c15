// The register of ended rows: it remembers from which generation on the versions of a row are valid. If somebody puts an
// earlier version of a row back, its seal still matches. Therefore ends are remembered in three places: in a table, in
// the memory of every process that has read the table, and in a file of the data directory, which a person who can only
// write the database cannot change.

import { readFile } from 'node:fs/promises';
import { isMainThread } from 'node:worker_threads';
import type { Knex } from 'knex';
import type { Clock } from '../../clock.ts';
import { appendDurably, replaceDurably } from '../../durable-files.ts';
import { isNoEntry, noneIf } from '../../errors.ts';
import { type EndedRow, endedRowsStore } from './ended-rows-store.ts';
import type { RowName } from './freshness.ts';

interface Known {
	readonly generation: number;
	readonly until: number | null;
	/** Entries are numbered in the order in which this process has learned them. */
	readonly nth: number;
}

/** Returns those of some entries that match their seals. `isFile` tells whether they come from the file. */
export type CheckEntries = (
	rows: readonly EndedRow[],
	from: { readonly isFile: boolean },
) => Promise<readonly EndedRow[]>;

/** The table is read again for the next check of a row after this time. */
const YOUNG_MS = 1_000;
/**
 * Each reading of the table begins this long before the latest end that is known, because an earlier end may appear
 * later: the clocks of daemons differ, and a transaction commits later than it reads its clock.
 */
const OVERLAP_MS = 30_000;
/** From time to time a reading begins even earlier, for clocks that differ more and for transactions that take long. */
const LONG_OVERLAP_MS = 10 * 60_000;
const LONG_EVERY_MS = 60_000;
/** Entries are kept this long after their rows have expired, for daemons whose clocks are slow. */
const SLACK_MS = 24 * 3_600_000;

export class EndedRows {
	readonly #knex: Knex;
	readonly #clock: Clock;
	readonly #file: string | undefined;
	readonly #known = new Map<string, Known>();
	#count = 0;
	#isFileRead: boolean;
	#unwritten: EndedRow[] = [];
	#lastAt = 0;
	#readAt = Number.NEGATIVE_INFINITY;
	#longReadAt = Number.NEGATIVE_INFINITY;
	#reading: Promise<void> | undefined;
	readonly #onFileFailed: ((error: unknown) => void) | undefined;

	/**
	 * Without `file`, the path of the file in the data directory, ends are remembered only in the process and the
	 * database. `onFileFailed` is called when the file cannot be written; its lines are written with the next ones then.
	 */
	constructor(options: {
		readonly knex: Knex;
		readonly clock: Clock;
		readonly file?: string;
		readonly onFileFailed?: (error: unknown) => void;
	}) {
		this.#knex = options.knex;
		this.#clock = options.clock;
		this.#file = options.file;
		this.#onFileFailed = options.onFileFailed;
		this.#isFileRead = options.file === undefined;
	}

	/** The number of entries that this process has learned so far. */
	get count(): number {
		return this.#count;
	}

	/** Returns the entry of a row, or undefined if no version of the row has ended. */
	find({ name, row_id }: RowName): Pick<Known, 'generation' | 'nth'> | undefined {
		return this.#known.get(`${name} ${row_id}`);
	}

	/** Reads the table again, unless this was done less than a second ago. */
	refresh(check: CheckEntries): Promise<void> | undefined {
		if (performance.now() - this.#readAt <= YOUNG_MS) return undefined;
		this.#reading ??= this.#read(check).finally(() => {
			this.#reading = undefined;
		});
		return this.#reading;
	}

	/** Makes the next check of a row read the table again. */
	expire(): void {
		this.#readAt = Number.NEGATIVE_INFINITY;
	}

	/** Remembers entries that a transaction of this process has committed, and writes them to the file. */
	async learnCommitted(rows: readonly EndedRow[]): Promise<void> {
		for (const row of rows) this.#learn(row);
		await this.#writeFile();
	}

	/** Removes entries of rows that have long expired from the table and from memory. */
	async removePast(): Promise<void> {
		const before = this.#clock.now().getTime() - SLACK_MS;
		for (const [key, { until }] of this.#known) if (until !== null && until < before) this.#known.delete(key);
		await endedRowsStore(this.#knex).removePast(before);
	}

	async #read(check: CheckEntries): Promise<void> {
		const startedAt = performance.now();
		if (!this.#isFileRead) await this.#readFile(check);
		const isLong = startedAt - this.#longReadAt > LONG_EVERY_MS;
		// An entry of a daemon whose clock was far ahead must not hide the entries after it.
		const last = Math.min(this.#lastAt, this.#clock.now().getTime());
		const since = last - (isLong ? LONG_OVERLAP_MS : OVERLAP_MS);
		const rows = await endedRowsStore(this.#knex).listSince(since);
		const news = rows.filter((each) => this.#isNews(each));
		for (const row of await check(news, { isFile: false })) {
			this.#lastAt = Math.max(this.#lastAt, row.at);
			this.#learn(row);
		}
		await this.#writeFile();
		this.#readAt = startedAt;
		if (isLong) this.#longReadAt = startedAt;
	}

	#isNews({ name, row_id, generation }: EndedRow): boolean {
		return (this.#known.get(`${name} ${row_id}`)?.generation ?? Number.NEGATIVE_INFINITY) < generation;
	}

	#learn(row: EndedRow, isInFile = false): void {
		if (!this.#isNews(row)) return;
		const { name, row_id, generation, needed_until: until } = row;
		this.#known.set(`${name} ${row_id}`, { generation, until, nth: ++this.#count });
		if (!isInFile) this.#unwritten.push(row);
	}

	/** Reads the file, and writes it anew if most of its lines are of rows that have long expired. */
	async #readFile(check: CheckEntries): Promise<void> {
		const before = this.#clock.now().getTime() - SLACK_MS;
		const rows = (await linesOf(this.#file!)).map(parseLine).filter((row) => row !== undefined);
		const needed = rows.filter(({ needed_until: until }) => until === null || until >= before);
		for (const row of await check(needed, { isFile: true })) this.#learn(row, true);
		this.#isFileRead = true;
		if (!isMainThread || rows.length < 2 * needed.length + 1_000) return;
		// What another process has written in the meantime is in the table too, from where it comes into the file again.
		await replaceDurably(this.#file!, textOf(needed), 0o600);
	}

	async #writeFile(): Promise<void> {
		const rows = this.#unwritten;
		this.#unwritten = [];
		// The threads of a daemon learn the same entries, so only its main thread writes them.
		if (this.#file === undefined || rows.length === 0 || !isMainThread) return;
		try {
			await appendDurably(this.#file, rows.map(lineOf), 0o600);
		} catch (error) {
			this.#unwritten = [...rows, ...this.#unwritten];
			this.#onFileFailed?.(error);
		}
	}
}

async function linesOf(file: string): Promise<string[]> {
	const text = (await readFile(file, 'utf8').catch(noneIf(isNoEntry))) ?? '';
	return text.split('\n').filter((line) => line !== '');
}

function textOf(rows: readonly EndedRow[]): string {
	return rows.map((row) => `${lineOf(row)}\n`).join('');
}

function lineOf({ name, row_id, generation, needed_until, at, seal_key, seal }: EndedRow): string {
	return JSON.stringify({ name, row_id, generation, needed_until, at, seal_key, seal: seal.toString('base64') });
}

/** Reads a line of the file; returns undefined for a line that a full disk cut off. */
function parseLine(line: string): EndedRow | undefined {
	try {
		const row = JSON.parse(line) as EndedRow & { seal: string };
		return { ...row, seal: Buffer.from(row.seal, 'base64') };
	} catch {
		return undefined;
	}
}
