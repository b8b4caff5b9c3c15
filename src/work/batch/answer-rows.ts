import { csvRows } from '../../base/csv.ts';
import { TOKEN_BYTES } from '../../vault/tokens/token.ts';
import type { CardLines } from './answer-lines.ts';

/** The columns of an answer in CSV, named like the members of a line in NDJSON. */
const COLUMNS = ['index', 'token', 'uri', 'error', 'warning'] as const;

type Row = { readonly [Name in (typeof COLUMNS)[number]]: string | number | null };

/** Writes the lines of an answer to a batch as CSV, under a header row. */
export class AnswerRows implements CardLines {
	readonly #uriStart: string | null;
	#rows: Row[] = [];
	#hasHeader = false;

	/** @param uriStart is the beginning that all token URIs share; null leaves the column of URIs out of the answer. */
	constructor(uriStart: string | null) {
		this.#uriStart = uriStart;
	}

	addToken(index: number, tokens: Buffer, offset: number, warning: string | null): void {
		const token = tokens.toString('hex', offset, offset + TOKEN_BYTES);
		this.#rows.push({ index, token, uri: this.#uriStart + token, error: null, warning });
	}

	addError(index: number, error: string): void {
		this.#rows.push({ index, token: null, uri: null, error, warning: null });
	}

	take(): Buffer {
		const rows = this.#rows;
		this.#rows = [];
		const columns = COLUMNS.filter((name) => name !== 'uri' || this.#uriStart !== null);
		const header = !this.#hasHeader;
		this.#hasHeader = true;
		return csvRows(rows, { columns, header, lineEnd: 'windows' });
	}
}
