// Defines a generated file: text in which every number, CVV and decoy is marked, so that the judge knows where they stand.

/** A number, a CVV or a decoy in a generated file, which the judge looks for in the output. */
export interface Mark {
	/** The text as it stands in the file, before it is encoded. */
	readonly raw: string;
	readonly kind: 'number' | 'cvv' | 'decoy';
	/** Whether docs/interface, the page of the format or a public schema names this place; otherwise nobody has listed it. */
	readonly isKnown: boolean;
	/** The class of place and spelling, by which misses are counted. */
	readonly what: string;
	/** The column, key, element or line tag in which it stands. */
	readonly name?: string;
	/** What a report calls the column of the place if it knows no name for it, such as `column 3`. */
	readonly columnName?: string;
	/** The ordinal of the card in the file, which ties a CVV to its number; 0 for a decoy. */
	readonly card: number;
	/** The plain digits of a number. */
	readonly digits?: string;
	/** How many bytes of the same value stand before it, because a report names the place where the value begins. */
	readonly lead?: number;
	/** False for a number that fails Luhn: it stays in the file, and the report has to name it if its place is known. */
	readonly isValid?: boolean;
}

/** Text with marks in it, piece by piece. */
export type Pieces = readonly (string | Mark)[];

/** A mark with its byte range in the finished file. */
export interface Place extends Mark {
	readonly start: number;
	readonly end: number;
	/** The number of the line, from 1; CR, LF and CRLF each end a line. */
	readonly line: number;
}

export interface GeneratedFile {
	readonly filter: string;
	readonly seed: string;
	readonly bytes: Buffer;
	/** The places in the order in which they stand in the file. */
	readonly places: readonly Place[];
	readonly options: Record<string, unknown>;
	/** True if no place has a name that anybody would know; it is right to refuse such a file. */
	readonly hasNoKnownPlace: boolean;
}

export type Encoding = 'utf8' | 'latin1';

/** Returns text and marks as pieces, for example `` pieces`FP${mark}/1229` ``. */
export function pieces(strings: TemplateStringsArray, ...values: (string | Mark | Pieces)[]): Pieces {
	const all: (string | Mark)[] = [];
	for (const [at, string] of strings.entries()) {
		if (string !== '') all.push(string);
		if (at < values.length) {
			const value = values[at];
			if (Array.isArray(value)) all.push(...value);
			else all.push(value as string | Mark);
		}
	}
	return all;
}

/** Returns the same pieces with every text between the marks rewritten, for quoting and escaping. */
export function mapText(all: Pieces, rewrite: (text: string) => string): Pieces {
	return all.map((piece) => (typeof piece === 'string' ? rewrite(piece) : piece));
}

/** Returns the characters of the pieces as they stand in the file. */
export function plainText(all: Pieces): string {
	return all.map((piece) => (typeof piece === 'string' ? piece : piece.raw)).join('');
}

/** Returns the bytes and the places of the whole file. */
export function finish(all: Pieces, encoding: Encoding): { bytes: Buffer; places: Place[] } {
	const parts: Buffer[] = [];
	const places: Place[] = [];
	let offset = 0;
	let line = 1;
	let last = 0;
	for (const piece of all) {
		const isText = typeof piece === 'string';
		const part = Buffer.from(isText ? piece : piece.raw, encoding);
		if (!isText) places.push({ ...piece, start: offset, end: offset + part.length, line });
		for (const byte of part) {
			if (byte === 13 || (byte === 10 && last !== 13)) line++;
			last = byte;
		}
		parts.push(part);
		offset += part.length;
	}
	return { bytes: Buffer.concat(parts), places };
}
