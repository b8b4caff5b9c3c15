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

export type EndedRows = ReturnType<typeof openEndedRows>;

/**
 * Without `file`, the path of the file in the data directory, ends are remembered only in the process and the
 * database. `onFileFailed` is called when the file cannot be written; its lines are written with the next ones then.
 */
export function openEndedRows(options: {
	readonly knex: Knex;
	readonly clock: Clock;
	readonly file?: string;
	readonly onFileFailed?: (error: unknown) => void;
}) {
	const { knex, clock, file, onFileFailed } = options;
	const known = new Map<string, Known>();
	let count = 0;
	let isFileRead = file === undefined;
	let unwritten: EndedRow[] = [];
	let lastAt = 0;
	let readAt = Number.NEGATIVE_INFINITY;
	let longReadAt = Number.NEGATIVE_INFINITY;
	let reading: Promise<void> | undefined;

	const isNews = ({ name, row_id, generation }: EndedRow): boolean =>
		(known.get(`${name} ${row_id}`)?.generation ?? Number.NEGATIVE_INFINITY) < generation;
	const learn = (row: EndedRow, isInFile = false): void => {
		if (!isNews(row)) return;
		const { name, row_id, generation, needed_until: until } = row;
		known.set(`${name} ${row_id}`, { generation, until, nth: ++count });
		if (!isInFile) unwritten.push(row);
	};
	/** Reads the file, and writes it anew if most of its lines are of rows that have long expired. */
	const readEntries = async (path: string, check: CheckEntries): Promise<void> => {
		const before = clock.now().getTime() - SLACK_MS;
		const rows = (await linesOf(path)).map(parseLine).filter((row) => row !== undefined);
		const needed = rows.filter(({ needed_until: until }) => until === null || until >= before);
		for (const row of await check(needed, { isFile: true })) learn(row, true);
		isFileRead = true;
		if (!isMainThread || rows.length < 2 * needed.length + 1_000) return;
		// What another process has written in the meantime is in the table too, from where it comes into the file again.
		await replaceDurably(path, textOf(needed), 0o600);
	};
	const writeFile = async (): Promise<void> => {
		const rows = unwritten;
		unwritten = [];
		// The threads of a daemon learn the same entries, so only its main thread writes them.
		if (file === undefined || rows.length === 0 || !isMainThread) return;
		try {
			await appendDurably(file, rows.map(lineOf), 0o600);
		} catch (error) {
			unwritten = [...rows, ...unwritten];
			onFileFailed?.(error);
		}
	};
	const read = async (check: CheckEntries): Promise<void> => {
		const startedAt = performance.now();
		if (!isFileRead) await readEntries(file!, check);
		const isLong = startedAt - longReadAt > LONG_EVERY_MS;
		// An entry of a daemon whose clock was far ahead must not hide the entries after it.
		const last = Math.min(lastAt, clock.now().getTime());
		const since = last - (isLong ? LONG_OVERLAP_MS : OVERLAP_MS);
		const news = (await endedRowsStore(knex).listSince(since)).filter(isNews);
		for (const row of await check(news, { isFile: false })) {
			lastAt = Math.max(lastAt, row.at);
			learn(row);
		}
		await writeFile();
		readAt = startedAt;
		if (isLong) longReadAt = startedAt;
	};
	return {
		/** The number of entries that this process has learned so far. */
		get count() {
			return count;
		},
		/** Returns the entry of a row, or undefined if no version of the row has ended. */
		find: ({ name, row_id }: RowName): Pick<Known, 'generation' | 'nth'> | undefined => known.get(`${name} ${row_id}`),
		/** Reads the table again, unless this was done less than a second ago. */
		refresh(check: CheckEntries): Promise<void> | undefined {
			if (performance.now() - readAt <= YOUNG_MS) return undefined;
			reading ??= read(check).finally(() => {
				reading = undefined;
			});
			return reading;
		},
		/** Makes the next check of a row read the table again. */
		expire(): void {
			readAt = Number.NEGATIVE_INFINITY;
		},
		/** Remembers entries that a transaction of this process has committed, and writes them to the file. */
		async learnCommitted(rows: readonly EndedRow[]): Promise<void> {
			for (const row of rows) learn(row);
			await writeFile();
		},
		/** Removes entries of rows that have long expired from the table and from memory. */
		async removePast(): Promise<void> {
			const before = clock.now().getTime() - SLACK_MS;
			for (const [key, { until }] of known) if (until !== null && until < before) known.delete(key);
			await endedRowsStore(knex).removePast(before);
		},
	};
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
