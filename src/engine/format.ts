// Defines the contract between a file format and the splice engine. A format only says where cards are; the engine
// alone writes bytes: it replaces those of the cards and copies all others unchanged.

import type { ZodType } from 'zod';
import { EXPIRY_ABSENT, type Expiry } from '../base/card/expiry.ts';
import type { EscapeStyle } from '../base/card/finder/escapes.ts';
import type { Shape } from '../base/card/shape.ts';
import type { FilePosition, Told } from '../base/errors.ts';
import type { FailureCode } from '../base/failures.ts';

/** The direction: `tokenize` replaces numbers by tokens, `detokenize` puts the numbers back. */
export type Direction = 'tokenize' | 'detokenize';

/** In the `columns` shape, this text comes before the token in the tail. */
export const COLUMNS_TAIL_PREFIX = ' TKN-';

/**
 * The reasons why nothing may be put in the place of a number outside the card fields:
 *
 * - `token`: the digits may be part of one of our tokens, and a token must not change.
 * - `spelling`: the text around would be damaged.
 * - `bareNumber`: the file would not be valid, as with the digits of the bare JSON number `4111….0`.
 */
export type KeptFor = 'token' | 'spelling' | 'bareNumber';

/**
 * Describes one card number that a scanner found. All offsets point into the window handed to `scan`, ends are
 * exclusive, and an empty span (`start === end`) means that the layout has no such field here. Spans leave out quotes
 * and the blanks around a value; they may contain escapes of the format (then `isEscaped` is set).
 * Instances are pooled: a scanner gets one from `Findings.next()`, already reset, and must not keep it.
 */
export class Finding {
	/** The number of the logical record in the file, counted from 1. */
	record = 0;
	/** The line of the number, counted from 1. CR, LF and CRLF each end one line. */
	line = 0;
	/**
	 * The position of the text that stands where a card number is expected. The text is a number, a token or a masked
	 * number; the engine finds out which. When detokenizing `columns`, it is the token in the tail (32 characters).
	 */
	numberStart = 0;
	numberEnd = 0;
	/**
	 * The expiry as `YYYYMM`, `EXPIRY_ABSENT` or `EXPIRY_UNREADABLE`. The scanner reads it, because it knows the layout.
	 */
	expiry: Expiry = EXPIRY_ABSENT;
	/**
	 * The position of the CVV's characters, which are replaced by stars of the same length once the card is tokenized.
	 */
	cvvStart = 0;
	cvvEnd = 0;
	/**
	 * True if the digits of the CVV, which no word announces, may mean something else in this layout. They are told as a
	 * security code and stay.
	 */
	isCvvDoubtful = false;
	/**
	 * True if a number outside the card fields stands nearer to the CVV, which is told as a security code if this card is
	 * refused.
	 */
	isCvvShared = false;
	/** The position of the card type, which may be a wire name, GDS code or alias. */
	typeStart = 0;
	typeEnd = 0;
	/** The position of the name on the card. */
	nameStart = 0;
	nameEnd = 0;
	/** The position of the caller's unique reference for the token (spec §2.3). */
	referenceStart = 0;
	referenceEnd = 0;
	shape: Shape = 'plain';
	/**
	 * Used with the shape `columns` only. When tokenizing it is the place where the tail is inserted; when detokenizing
	 * it is the start of the masked columns, which get their original bytes back.
	 */
	sideStart = 0;
	/** Used with the shape `columns` when detokenizing only: the end of the masked columns. */
	sideEnd = 0;
	/** True if a span of the finding contains escapes; the engine then reads text through `Format.decode`. */
	isEscaped = false;
	/** True if the CVV is a bare JSON number without quotes; its stars are then written with quotes. */
	isCvvBare = false;
	/** True if a host has masked the number with zeros, so that it counts as masked although it looks like one. */
	isMasked = false;
	/**
	 * True if the number is outside the card fields of the layout: the engine found it, not the scanner. Such a finding
	 * has no record, expiry, CVV, card type, name or reference.
	 */
	isOther = false;
	/** Used with `isOther` only: the reason why the number is only told and stays; undefined if it may be replaced. */
	keptFor: KeptFor | undefined = undefined;
	/**
	 * Used with `isOther` only: true if the digits at `numberStart` are not a card number but a security code that
	 * follows a label such as CVV.
	 */
	isCode = false;
	/** Used with `isOther` only: the name of the field in which the digits are, if it is known (`Scanner.fieldAt`). */
	field: string | undefined = undefined;

	reset(): this {
		this.record = 0;
		this.line = 0;
		this.numberStart = 0;
		this.numberEnd = 0;
		this.expiry = EXPIRY_ABSENT;
		this.cvvStart = 0;
		this.cvvEnd = 0;
		this.isCvvDoubtful = false;
		this.isCvvShared = false;
		this.typeStart = 0;
		this.typeEnd = 0;
		this.nameStart = 0;
		this.nameEnd = 0;
		this.referenceStart = 0;
		this.referenceEnd = 0;
		this.shape = 'plain';
		this.sideStart = 0;
		this.sideEnd = 0;
		this.isEscaped = false;
		this.isCvvBare = false;
		this.isMasked = false;
		this.isOther = false;
		this.keptFor = undefined;
		this.isCode = false;
		this.field = undefined;
		return this;
	}
}

/**
 * The card fields that a whole file may lack. A missing card type or expiry is worth a warning; see `Findings.lacking`.
 */
export type LackingField = 'cardType' | 'expiry';

/** Holds the findings of one window in a pool that grows to the largest window and is then reused. */
export class Findings {
	readonly items: Finding[] = [];
	length = 0;
	/**
	 * Holds notices about the file as a whole. They are kept from one window to the next; a repeated text is kept once.
	 */
	readonly notices = new Set<string>();
	/**
	 * Holds the fields that no card of this file has because the layout has no place for them, for example no such
	 * column. The file then gets one notice instead of a warning for each card. They are kept from one window to the
	 * next.
	 */
	readonly lacking = new Set<LackingField>();

	/**
	 * Holds the offsets, in order, at which the text of a line begins right behind letters and digits that are not part
	 * of it (the name of a line, an item number). The search for numbers outside the card fields reads no number and no
	 * security code across such an offset, and takes the offsets out of the list.
	 */
	readonly textStarts: number[] = [];

	/** Appends a new finding and returns it. */
	next(): Finding {
		const index = this.length++;
		return index < this.items.length ? this.items[index].reset() : (this.items[index] = new Finding());
	}

	/**
	 * Adds a notice about the file as a whole, which the report shows. The text must not contain any content of the file.
	 * If the same notice is added again, nothing changes.
	 */
	notice(text: string): void {
		this.notices.add(text);
	}

	/** Sorts the findings from index `first` on by the positions of their numbers. */
	sortByNumber(first = 0): void {
		const sorted = this.items.slice(first, this.length).sort((one, other) => one.numberStart - other.numberStart);
		for (const [index, finding] of sorted.entries()) this.items[first + index] = finding;
	}

	/**
	 * Removes every finding from index `length` on. A scanner calls this when the record of these findings turns out to
	 * be incomplete.
	 */
	truncate(length: number): void {
		this.length = length;
	}
}

/**
 * Scans one file in one pass. It holds the state that the layout needs between windows (columns, counters, open elements).
 */
export interface Scanner {
	/**
	 * Called before each `scan`, with the same arguments. A scanner whose answer comes from another process waits for it
	 * here.
	 * @throws FileError if the answer is of no use; offsets in it point into `bytes`
	 */
	prepare?(bytes: Buffer, from: number, to: number, isLast: boolean): Promise<void>;
	/** Called once when the pass over the file ends, also after a failure. */
	close?(): void;
	/**
	 * Examines `bytes[from, to)`, appends findings in the order of their numbers and returns the settled offset `s`,
	 * `from <= s <= to`. Everything before `s` is decided for good, and all findings lie before `s`. The next call begins
	 * with the byte at `s`, which may then be at another place in memory. Usually `s` is the start of the first
	 * incomplete record. If `isLast` is true, no byte follows; the scanner then settles everything (`s === to`) or
	 * throws. Bytes outside `[from, to)` must be ignored. The result must not depend on how a file was divided into
	 * windows. If the scanner returns `from`, it requests a longer window; the engine refuses the file when a record is
	 * longer than the limit for records.
	 * @throws FileError if the bytes are not of this format; offsets in it point into `bytes`
	 */
	scan(bytes: Buffer, from: number, to: number, isLast: boolean, found: Findings): number;
	/**
	 * Gives the numbers that the engine has found outside the card fields their security codes (`cvvStart`, `cvvEnd`), as
	 * cards of the layout get theirs. It is called after a `scan` in which the engine found such numbers. `found` is sorted
	 * and has all numbers of `bytes[from, to)`, which are whole lines. A scanner that leaves it out has no such lines; the
	 * engine then looks for codes behind these numbers itself.
	 */
	markCodes?(bytes: Buffer, from: number, to: number, found: Findings): void;
	/** The line that contains the offset returned by the last `scan`, counted from 1. */
	readonly line: number;
	/**
	 * True if the file has a place in which this format expects a card number, such as a column, key or element with a
	 * known name, even if the place is empty. A file without such a place is refused if it has card numbers elsewhere
	 * (`expectCards`).
	 */
	readonly hasCardPlace?: boolean;
	/**
	 * Returns the name of the column, key, element or line tag that contains `bytes[at]`, for a report. It is called
	 * right after a `scan` with the same `bytes` and `from`, and `at` is before the settled offset. `at` may be a little
	 * before `from`, but then it is in the word or number that the window continues. The result never contains content of the
	 * file: it is undefined if the name is not known or has enough digits for a card number.
	 */
	fieldAt?(bytes: Buffer, from: number, at: number): string | undefined;
	/**
	 * Returns the shape in which a token would replace the number in `bytes[start, end)`: `quoted` for a bare JSON
	 * number, `columns` where no token fits, and `fixed` where no stars fit either. Like `fieldAt`, it is called right
	 * after a `scan`. A scanner leaves it out if the answer is always `plain`.
	 */
	shapeAt?(bytes: Buffer, from: number, start: number, end: number): Shape | 'fixed';
}

/** A file format, chosen by the filter parameter (spec §2.8). */
export interface Format<Options = unknown> {
	/** The filter value in upper case, for example `GBT`. */
	readonly filter: string;
	/** The case in which tokens are written: AIR and IUR files are upper case throughout. */
	readonly tokenCase: 'lower' | 'upper';
	/** The options that an account or a folder may set; `parse({})` gives the defaults. */
	readonly options: ZodType<Options>;
	/** Starts a pass over a file. `options` are what `options.parse` has returned. */
	scanner(options: Options, direction: Direction): Scanner;
	/** The notation in which a file of this format may write a character as its code; absent if the format has none. */
	readonly escapes?: EscapeStyle;
	/**
	 * True if the text of such a file has no fractions of many digits, so that a number behind `1.` is an item of a
	 * numbered list.
	 */
	readonly hasNumberedLists?: boolean;
	/** Returns the text that a span with escapes stands for; absent if the format has no escapes. */
	decode?(bytes: Buffer, start: number, end: number): Buffer;
}

/** What is wrong with a file, as a code of `src/base/failures.ts` with its parameters. */
export interface FileFault extends Told {
	readonly code: Extract<
		FailureCode,
		| 'file-malformed'
		| 'file-not-text'
		| 'file-of-other-format'
		| 'file-cut-off'
		| 'file-rejected'
		| 'file-without-card-field'
		| `header-${string}`
		| `record-${string}`
		| 'card-too-long'
		| 'cvv-without-card'
		| 'plugin-failed'
		| `${'table' | 'json' | 'xml'}-malformed`
	>;
}

/**
 * This error is thrown if the file as a whole cannot be processed: it has the wrong format, is cut off, or has too
 * large a record. `message` says what was expected and what was found, never any content of the file.
 */
export class FileError extends Error {
	override readonly name = 'FileError';
	readonly at: FilePosition;
	/** What is wrong as a code with parameters. */
	readonly told: FileFault;
	constructor(message: string, at: FilePosition, told: FileFault = { code: 'file-malformed' }) {
		super(message);
		this.at = at;
		this.told = told;
	}

	/** Returns the same error with its offset counted from the start of the file instead of the window. */
	rebased(base: number): FileError {
		return new FileError(this.message, { ...this.at, offset: this.at.offset + base }, this.told);
	}
}

/**
 * A fault that was found at the end of the file. Its offset is already counted from the start of the file, so `rebased`
 * leaves it as it is.
 */
export class WholeFileError extends FileError {
	override rebased(): FileError {
		return this;
	}
}
