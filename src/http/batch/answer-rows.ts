import { stringify } from 'csv-stringify/sync';
import { TOKEN_BYTES } from '../../vault/token.ts';
import type { CardLines } from './answer-lines.ts';

/** The columns of an answer, which are the members of a line of NDJSON. */
const COLUMNS = ['index', 'token', 'uri', 'error', 'warning'];

/** Writes the lines of an answer to a batch as CSV, under a header row. */
export class AnswerRows implements CardLines {
	readonly #uriStart: string;
	#rows: (string | number | null)[][] = [COLUMNS];

	/** @param uriStart is the beginning of token URIs. */
	constructor(uriStart: string) {
		this.#uriStart = uriStart;
	}

	addToken(index: number, tokens: Buffer, offset: number, warning: string | null): void {
		const token = tokens.toString('hex', offset, offset + TOKEN_BYTES);
		this.#rows.push([index, token, this.#uriStart + token, null, warning]);
	}

	addError(index: number, error: string): void {
		this.#rows.push([index, null, null, error, null]);
	}

	take(): Buffer {
		const rows = this.#rows;
		this.#rows = [];
		return Buffer.from(stringify(rows, { record_delimiter: 'windows' }));
	}
}
