// Writes the report of a local file, in the same form as that of a job.

import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, type WriteStream } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import type { Direction } from '../../engine/format.ts';
import { emptySummary, type Summary } from '../../engine/report.ts';
import { wholeLines } from '../../work/jobs/attempts/entry-spool.ts';
import { reportDocument, writeCsvReport, writeJsonReport } from '../../work/jobs/attempts/report.ts';
import { type EntryStore, ReportBook } from '../../work/jobs/attempts/report-book.ts';
import type { JobError } from '../../work/jobs/job.ts';
import { judgeFailure } from '../../work/jobs/queue/retry.ts';
import { STANDARD_INPUT } from '../frame/command.ts';
import { nameOfInput } from './local-streams.ts';

/** Begins a report, and its file if there is a path: JSON, or CSV if the path ends in `.csv`. */
export async function openLocalReport(request: {
	readonly direction: Direction;
	readonly filter: string;
	readonly input: string;
	readonly path: string | undefined;
	/** True if every card gets an entry in the report, and not only those that were refused or have a warning. */
	readonly hasAll: boolean;
	/** Is told the name under which entries are kept until the report is complete. */
	readonly onPartial: (path: string) => void;
}) {
	const { direction: operation, filter, input, path, hasAll, onPartial } = request;
	const createdAt = new Date().toISOString();
	// The path is tried now, so that an unusable one is reported at once and not after the whole file was processed.
	if (path !== undefined) await (await open(path, 'w', 0o600)).close();
	// Without a path no report is written. The entries are then kept in memory for the caller, and only the first ones.
	const book = new ReportBook(path !== undefined && hasAll ? new EntryFile(path, onPartial) : undefined);

	const write = async (counts: Summary | null, error: JobError | null) => {
		await book.finish();
		if (path === undefined) return;
		const { bytesRead, cards, refused, warned, otherNumbers } = counts ?? emptySummary();
		const bytesTotal = input === STANDARD_INPUT ? bytesRead : Math.max(bytesRead, (await stat(input)).size);
		const job = {
			state: error ? ('failed' as const) : ('done' as const),
			filter,
			operation,
			name: nameOfInput(input),
			bytesRead,
			bytesTotal,
			cards,
			refused,
			warned,
			otherNumbers,
			createdAt,
			finishedAt: new Date().toISOString(),
			error,
		};
		const document = await reportDocument({ job, counts }, book);
		const file = await open(path, 'w', 0o600);
		try {
			const writer = { write: (bytes: Uint8Array) => file.writeFile(bytes) };
			await (path.endsWith('.csv') ? writeCsvReport : writeJsonReport)(writer, document);
		} finally {
			await file.close();
		}
	};
	return {
		book,
		done: (summary: Summary) => write(summary, null),
		/**
		 * Writes the report of a file that failed, if the failure says something about the file. It never fails, because the
		 * original error must be shown.
		 */
		async failed(cause: unknown): Promise<void> {
			const { isRetryable, error } = judgeFailure(cause);
			if (!isRetryable) await write(null, error).catch(() => {});
		},
		/** Removes the file of the report, which is still empty, unless it is a device. */
		async interrupted(): Promise<void> {
			if (path !== undefined && (await stat(path)).isFile()) await rm(path, { force: true });
		},
		/** Closes the report. It must be called last, no matter what happened. */
		close: () => book.remove(),
	};
}

/** Stores the entries in a file next to the report, which begins with counts that are known only at the end. */
class EntryFile implements EntryStore {
	readonly #path: string;
	readonly #stream: WriteStream;

	constructor(reportPath: string, onPartial: (path: string) => void) {
		this.#path = join(dirname(reportPath), `.${basename(reportPath)}.${randomUUID()}.partial`);
		onPartial(this.#path);
		this.#stream = createWriteStream(this.#path, { flags: 'wx', mode: 0o600 });
		// A stream that emits an error without a listener ends the process. This listener does nothing, because `add` or
		// `finish` reports the error.
		this.#stream.on('error', () => {});
	}

	add(line: string): Promise<void> | undefined {
		if (this.#stream.errored) return Promise.reject(this.#stream.errored);
		if (this.#stream.write(`${line}\n`)) return undefined;
		return new Promise((resolve, reject) => {
			const settle = () => {
				for (const event of ['drain', 'close']) this.#stream.off(event, settle);
				if (this.#stream.errored) reject(this.#stream.errored);
				else resolve();
			};
			for (const event of ['drain', 'close']) this.#stream.on(event, settle);
		});
	}

	async finish(): Promise<void> {
		this.#stream.end();
		await finished(this.#stream);
	}

	lines(): AsyncIterable<readonly string[]> {
		return wholeLines(createReadStream(this.#path));
	}

	async remove(): Promise<void> {
		this.#stream.destroy();
		await rm(this.#path, { force: true }).catch(() => {});
	}
}
