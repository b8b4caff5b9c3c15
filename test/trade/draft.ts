// A generated file: text in which every number, CVV and decoy is marked, so that the judge knows where they stand.

/** Something the judge looks at. */
export interface Mark {
	/** As it stands in the file, before it is encoded. */
	readonly raw: string;
	readonly kind: 'number' | 'cvv' | 'decoy';
	/** Whether the issue, the format notes or a public schema name this place; otherwise it is one that nobody listed. */
	readonly isKnown: boolean;
	/** Which class of place and spelling it is, to count misses by. */
	readonly what: string;
	/** The column, key, element or line tag in which it stands. */
	readonly name?: string;
	/** What a report calls the column of the place where it knows no name: `column 3`. */
	readonly columnName?: string;
	/** Ordinal of the card in the file, which ties a CVV to its number. */
	readonly card: number;
	/** The plain digits of a number. */
	readonly digits?: string;
	/** How many bytes of the same value stand before it: a report names the beginning of a value. */
	readonly lead?: number;
	/** False for numbers that fail Luhn or came masked: they stay, and a known place has to report them. */
	readonly isValid?: boolean;
}

/** Text with marks in it. */
export type Pieces = readonly (string | Mark)[];

/** A mark with its bytes in the finished file. */
export interface Place extends Mark {
	readonly start: number;
	readonly end: number;
	/** From 1; CR, LF and CRLF each end a line. */
	readonly line: number;
}

export interface GeneratedFile {
	readonly filter: string;
	readonly seed: string;
	readonly bytes: Buffer;
	/** In the order in which they stand. */
	readonly places: readonly Place[];
	readonly options: Record<string, unknown>;
	/** True where no place has a name that anybody would know: refusing such a file is right. */
	readonly hasNoKnownPlace: boolean;
}

export type Encoding = 'utf8' | 'latin1';

/** Text and marks as pieces: `` pieces`FP${mark}/1229` ``. */
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

/** The same pieces with every text between the marks rewritten, for quoting and escaping. */
export function mapText(all: Pieces, rewrite: (text: string) => string): Pieces {
	return all.map((piece) => (typeof piece === 'string' ? rewrite(piece) : piece));
}

/** The characters as they stand in the file. */
export function plainText(all: Pieces): string {
	return all.map((piece) => (typeof piece === 'string' ? piece : piece.raw)).join('');
}

/** Bytes and places of the whole file. */
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
