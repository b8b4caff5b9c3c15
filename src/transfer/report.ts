// What a pass over a file has to say besides the file itself. Never a number: the last four digits at most.

/** What happened to one card; in the report only when it is worth a look, or when all cards are asked for. */
export interface ReportEntry {
	/** Logical record and line, from 1; byte offset of the number in the input, from 0. An `otherNumber` has no record. */
	readonly record?: number;
	readonly line: number;
	readonly offset: number;
	readonly outcome: 'tokenized' | 'detokenized' | 'refused' | 'unresolved' | 'otherNumber' | 'otherCode';
	/** Why a card was refused or a token not resolved: a text of spec §4.1 where it has one. */
	readonly reason?: string;
	readonly warnings?: readonly string[];
	readonly cardType?: string;
	readonly lastFour?: string;
	/** `otherNumber` alone: the number, first six and last four digits shown. */
	readonly number?: string;
	/** `otherNumber` alone: the column, key, element or line tag in which it stands, where that has a name. */
	readonly field?: string;
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

/** Where entries go, one by one; a promise holds the pass until the entry is taken. */
export interface ReportSink {
	/** @param card which card of the file it is about, from 1, among those that were swapped or could not be. */
	entry(entry: ReportEntry, card: number): Promise<void> | undefined;
}
