import type { SpoolFile } from '../../../base/blobs/sealed-file.ts';
import { createSpool, openSpool, type SpoolStore } from '../../../base/blobs/spool.ts';
import type { SpoolWriter } from '../../../base/blobs/spool-writer.ts';
import { makeUlid } from '../../../base/database/ulid.ts';
import type { DropFolder } from '../../drops/drop-store.ts';
import type { EntryStore } from './report-book.ts';

const PIECE_CHARACTERS = 64 * 1024;

/** Stores any number of report entries of one attempt, and seals them before they are written to disk. */
export class EntrySpool implements EntryStore {
	readonly #store: SpoolStore;
	readonly #file: SpoolFile;
	readonly #writer: SpoolWriter;
	#piece = '';
	#isFinished = false;

	constructor(store: SpoolStore, file: SpoolFile, writer: SpoolWriter) {
		this.#store = store;
		this.#file = file;
		this.#writer = writer;
	}

	add(line: string): Promise<void> | undefined {
		this.#piece += `${line}\n`;
		return this.#piece.length >= PIECE_CHARACTERS ? this.#flush() : undefined;
	}

	async finish(): Promise<void> {
		await this.#flush();
		await this.#writer.finish();
		this.#isFinished = true;
	}

	async *lines(): AsyncGenerator<string[]> {
		const reader = await openSpool(this.#store, this.#file);
		try {
			yield* wholeLines(reader.stream());
		} finally {
			await reader.close();
		}
	}

	async remove(): Promise<void> {
		if (this.#isFinished) await this.#store.blobs.remove(this.#file.id).catch(() => {});
		else await this.#writer.discard();
	}

	#flush(): Promise<void> {
		const piece = Buffer.from(this.#piece);
		this.#piece = '';
		return this.#writer.write(piece);
	}
}

export async function openEntrySpool(store: SpoolStore, folder: DropFolder): Promise<EntrySpool> {
	const file = { id: makeUlid(Date.now()), folder };
	return new EntrySpool(store, file, await createSpool(store, file));
}

/** Yields the lines of a text in groups, as they arrive, without line feeds. The last line must have one, too. */
export async function* wholeLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
	let rest: Buffer = Buffer.alloc(0);
	for await (const chunk of chunks) {
		const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
		const end = bytes.lastIndexOf(10) + 1;
		rest = bytes.subarray(end);
		if (end > 0) yield bytes.toString('utf8', 0, end - 1).split('\n');
	}
}
