import { TOKEN_BYTES, TOKEN_CHARACTERS, writeHex } from '../../vault/tokens/token.ts';

const FIRST_BYTES = 65_536;
/** A line of the answer has at most this many bytes, not counting the beginning of its URI, and its warning. */
const LINE_BYTES = 256;
const BEFORE_INDEX = Buffer.from('{"index":');
const BEFORE_TOKEN = Buffer.from(',"token":"');
const BEFORE_URI = Buffer.from('","uri":"');

/** Collects the lines of the answer to a batch, whatever the format of the answer is. */
export interface CardLines {
	/** Adds the line of a card whose token is the 16 bytes at `tokens[offset]`. `warning` is one of a few fixed texts. */
	addToken(index: number, tokens: Buffer, offset: number, warning: string | null): void;
	/** Adds the line of a card without a token. `error` says why and contains nothing of the card. */
	addError(index: number, error: string): void;
	/** Returns the bytes that were written since the last call of this method. */
	take(): Buffer;
}

/** Writes the lines of an answer to a batch (shapes §3) directly as bytes, which is fast enough for one line a card. */
export class AnswerLines implements CardLines {
	readonly #uriStart: Buffer;
	readonly #tails = new Map<string | null, Buffer>();
	#bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
	#length = 0;

	/** @param uriStart is the beginning that all token URIs share. */
	constructor(uriStart: string) {
		// Escapes the text as JSON does, without the quotes around it.
		this.#uriStart = Buffer.from(JSON.stringify(uriStart).slice(1, -1));
	}

	addToken(index: number, tokens: Buffer, offset: number, warning: string | null): void {
		let tail = this.#tails.get(warning);
		if (!tail) {
			tail = Buffer.from(`","error":null,"warning":${JSON.stringify(warning)}}\n`);
			this.#tails.set(warning, tail);
		}
		this.#makeSpace(LINE_BYTES + this.#uriStart.length + tail.length);
		this.#put(BEFORE_INDEX);
		this.#length += this.#bytes.write(String(index), this.#length, 'latin1');
		this.#put(BEFORE_TOKEN);
		const start = this.#length;
		this.#length = writeHex(tokens, offset, this.#bytes, start, 'lower');
		this.#put(BEFORE_URI);
		this.#put(this.#uriStart);
		this.#bytes.copyWithin(this.#length, start, start + TOKEN_CHARACTERS);
		this.#length += TOKEN_BYTES * 2;
		this.#put(tail);
	}

	addError(index: number, error: string): void {
		const line = Buffer.from(`${JSON.stringify({ index, token: null, uri: null, error, warning: null })}\n`);
		this.#makeSpace(line.length);
		this.#put(line);
	}

	take(): Buffer {
		const taken = this.#bytes.subarray(0, this.#length);
		this.#bytes = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, this.#length + LINE_BYTES));
		this.#length = 0;
		return taken;
	}

	#put(part: Buffer): void {
		this.#bytes.set(part, this.#length);
		this.#length += part.length;
	}

	#makeSpace(length: number): void {
		if (this.#length + length <= this.#bytes.length) return;
		const larger = Buffer.allocUnsafeSlow(this.#bytes.length * 2 + length);
		larger.set(this.#bytes.subarray(0, this.#length));
		this.#bytes = larger;
	}
}
