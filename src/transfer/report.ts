// What a pass over a file has to say besides the file itself. Never a number: the last four digits at most.

/** A place in the input: logical record and line, from 1; byte offset of the number, from 0. */
export interface ReportPlace {
	/** Absent for a number that stands in no record. */
	readonly record?: number;
	readonly line: number;
	readonly offset: number;
	/** What the place is called: the column, key, element or line tag, where that has a name. */
	readonly field?: string;
}

/**
 * What happened to one card, token or number. Those that stay as they are have an entry; a card that was swapped has one
 * only when all cards are asked for.
 */
export interface ReportEntry extends ReportPlace {
	readonly outcome: 'tokenized' | 'detokenized' | 'refused' | 'unresolved' | 'otherNumber' | 'otherCode';
	/** Why a card was refused or a token not resolved: a text of spec §4.1 where it has one. */
	readonly reason?: string;
	readonly warnings?: readonly string[];
	readonly cardType?: string;
	readonly lastFour?: string;
	/** `otherNumber` alone: the number, first six and last four digits shown. */
	readonly number?: string;
}

/** Whether an entry is about something outside the card fields of the format, and not about one of the file's cards. */
export function isAboutOthers({ outcome }: ReportEntry): boolean {
	return outcome === 'otherNumber' || outcome === 'otherCode';
}

/** Counts of one pass. */
export interface Summary {
	bytesRead: number;
	bytesWritten: number;
	/** Logical records the scanner saw up to the last card; 0 when there was none. */
	records: number;
	/** Numbers swapped for tokens, or tokens for numbers. */
	cards: number;
	refused: number;
	/** Cards with a warning of their own; what no card of the file has is a notice instead. */
	warned: number;
	/** Numbers that came masked. */
	masked: number;
	/** Tokens of ours that stood in a file to be tokenized: the way back will turn them into numbers too. */
	preexistingTokens: number;
	/** Card numbers outside the layout's card fields; the option `otherNumbers` says what becomes of them. */
	otherNumbers: number;
	/** Security codes behind a label such as CVV, outside the layout's card fields. They are starred where those numbers are masked or tokenized. */
	otherCodes: number;
	/** Tokens that stayed because they point to nothing this account may use. */
	unresolved: number;
	/** What the format had to say of the file as a whole. */
	notices: readonly string[];
}

export function emptySummary(): Summary {
	return {
		bytesRead: 0,
		bytesWritten: 0,
		records: 0,
		cards: 0,
		refused: 0,
		warned: 0,
		masked: 0,
		preexistingTokens: 0,
		otherNumbers: 0,
		otherCodes: 0,
		unresolved: 0,
		notices: [],
	};
}

/** How far a pass is; the same numbers a job shows (shapes §11). */
export type Progress = Pick<Summary, 'bytesRead' | 'cards' | 'refused' | 'warned'>;

/** Where a pass tells what it has to say, bit by bit. */
export interface ReportSink {
	/**
	 * Takes an entry; a promise holds the pass until it is taken.
	 * @param card which card of the file it is about, from 1, among those that were swapped or could not be; it means nothing
	 * for an `otherNumber`
	 */
	entry(entry: ReportEntry, card: number): Promise<void> | undefined;
	/**
	 * Counts the warnings of a card that was swapped and has no entry. Files bring a million of them in a second, so it is
	 * given what is there and must keep none of it but the texts. Absent where nobody counts.
	 */
	warned?(warnings: readonly string[], place: Pick<ReportPlace, 'record' | 'line'>, offset: number, card: number): void;
}
