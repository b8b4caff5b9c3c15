import { CsvError, type Options, type Parser, parse } from 'csv-parse';
import { dialectOf, RFC_4180 } from '../../../formats/scan/delimited/dialect.ts';
import { findDelimiter } from '../../../formats/scan/delimited/sniff.ts';
import { badInput } from '../../base/errors.ts';
import { Slices } from '../../base/threads/slices.ts';
import { type BatchCards, BatchError, type JudgedCard, MAX_CARD_BYTES, NO_CARD } from './batch-cards.ts';
import { LineCount } from './line-count.ts';
import { type Row, RowCard } from './row-card.ts';
import { findColumns } from './row-columns.ts';

const LF = 0x0a;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');
const NOTHING = Buffer.alloc(0);
/** So many bytes are parsed before others get a turn. */
const BYTES_AT_ONCE = 2048;
/** The library counts neither delimiters nor quotes, which can be as many again. */
const MAX_ROW_BYTES = 2 * (MAX_CARD_BYTES + BYTES_AT_ONCE);

/** Reads the cards of a CSV body, which has a header row and then one card a row. */
export class CsvCards implements BatchCards {
	readonly #now: Date;
	/** The bytes of the header row until it is complete. The row shows which delimiter the body uses. */
	#head: Buffer | undefined = Buffer.alloc(0);
	#parser: Parser | undefined;
	#card: RowCard | undefined;
	readonly #lines = new LineCount();
	readonly #slices = new Slices();
	#rows: Row[] = [];
	#read = 0;
	#failure: BatchError | undefined;

	constructor(now: Date) {
		this.#now = now;
	}

	get card(): JudgedCard {
		return this.#card ?? NO_CARD;
	}

	async feed(piece: Buffer | null): Promise<number> {
		if (this.#head !== undefined) {
			if (piece !== null) this.#head = Buffer.concat([this.#head, piece]);
			if (piece !== null && !this.#head.includes(LF) && this.#head.length <= MAX_CARD_BYTES) return 0;
			// The byte order mark is removed, because in a body that begins with one the library returns cells as strings,
			// which cannot be wiped from memory.
			const head = this.#head.subarray(this.#head.indexOf(BYTE_ORDER_MARK) === 0 ? BYTE_ORDER_MARK.length : 0);
			this.#parser = this.#open(head);
			await this.#parseAll(head);
			this.#head = undefined;
		} else if (piece !== null) await this.#parseAll(piece);
		if (piece === null) await this.#parse(null);
		return this.#rows.length;
	}

	next(): boolean {
		const row = this.#rows[this.#read];
		if (row !== undefined) {
			this.#read++;
			if (this.#card) {
				this.#card.read(row);
				return true;
			}
			// Reads the header row. A header without the columns of a card is refused before anything is stored.
			const columns = findColumns(row.cells, 'column');
			if (typeof columns === 'string') throw badInput('header row', columns);
			this.#card = new RowCard({ columns, width: row.cells.length, counts: 'line' }, this.#now);
			return this.next();
		}
		if (this.#failure) throw this.#failure;
		return false;
	}

	forget(): void {
		for (const { cells } of this.#rows) for (const cell of cells) cell.fill(0);
		this.#rows = [];
		this.#read = 0;
	}

	wipe(): void {
		this.forget();
		this.#card?.wipe();
		this.#lines.wipe();
		this.#parser?.destroy();
	}

	#open(head: Buffer): Parser {
		const delimiter = findDelimiter(head, 0, head.length, dialectOf(RFC_4180));
		const options: Options<(Buffer | '')[]> = {
			delimiter: String.fromCharCode(delimiter),
			encoding: null,
			skip_empty_lines: true,
			// A row with more or fewer cells than the header row is passed on, so that only the card of this row is
			// refused.
			relax_column_count: true,
			max_record_size: MAX_CARD_BYTES,
			on_record: (record: (Buffer | '')[], { bytes }) => {
				const cells = record.map((cell) => (cell === '' ? NOTHING : cell));
				this.#rows.push({ cells, place: this.#lines.lineOf(bytes) });
				// The row is kept in `#rows`, so nothing is returned to the CSV library. Its stream would hold a
				// returned row until somebody reads the stream, which nobody does.
				return null;
			},
		};
		// The callback of `write` reports errors, so this listener only keeps the event `error` from ending the process.
		return parse(options as unknown as Options).on('error', () => {});
	}

	/** Parses bytes some at a time, because each of them may be a cell or a row. */
	async #parseAll(bytes: Buffer): Promise<void> {
		for (let at = 0; at < bytes.length; at += BYTES_AT_ONCE) {
			await this.#parse(bytes.subarray(at, at + BYTES_AT_ONCE));
			if (this.#lines.unfinished > MAX_ROW_BYTES) this.#fail('CSV_MAX_RECORD_SIZE');
			await this.#slices.giveWay();
		}
	}

	/**
	 * Parses a piece of the body. When the promise resolves, its complete rows can be read with `next`. A failure is
	 * kept, and `next` throws it after the rows before the failure were read.
	 */
	async #parse(piece: Buffer | null): Promise<void> {
		const parser = this.#parser;
		if (!parser || this.#failure) return;
		if (piece) this.#lines.add(piece);
		const error = await new Promise<Error | null | undefined>((resolve) => {
			if (piece) parser.write(piece, resolve);
			else parser.end(resolve);
		});
		if (!error) return;
		if (!(error instanceof CsvError)) throw error;
		// The library's own message is not used, because it repeats characters of the body.
		this.#fail(error.code);
	}

	#fail(code: CsvError['code']): void {
		this.#failure ??= new BatchError(`line ${this.#lines.current}`, PROBLEMS[code] ?? 'no CSV');
	}
}

const PROBLEMS: Partial<Record<CsvError['code'], string>> = {
	CSV_MAX_RECORD_SIZE: `a row is longer than ${MAX_CARD_BYTES} bytes`,
	CSV_QUOTE_NOT_CLOSED: 'a quote is not closed in the row',
	CSV_INVALID_CLOSING_QUOTE: 'a quote stands within a cell, in the row',
	INVALID_OPENING_QUOTE: 'a quote stands within a cell, in the row',
};
