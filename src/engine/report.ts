// Defines the facts that a pass over a file reports. They never contain more of a number than its first six and last
// four digits.

/**
 * Describes a place in the input: logical record and line, counted from 1, and the byte offset of the number, counted
 * from 0.
 */
export interface ReportPlace {
	/** The number of the record; absent if the number is outside any record. */
	readonly record?: number;
	readonly line: number;
	readonly offset: number;
	/** The name of the field: the column, key, element or line tag, if it has one. */
	readonly field?: string;
}

/**
 * Tells what happened to one card, token or number. Every refused card, unresolved token and number outside the card
 * fields has an entry; a card that was tokenized or detokenized has one only if the report is to list all cards.
 */
export interface ReportEntry extends ReportPlace {
	readonly outcome: 'tokenized' | 'detokenized' | 'refused' | 'unresolved' | 'otherNumber' | 'otherCode';
	/** The reason why a card was refused or a token not resolved. The text is that of spec §4.1 if there is one. */
	readonly reason?: string;
	readonly warnings?: readonly string[];
	readonly cardType?: string;
	readonly lastFour?: string;
	/** The number with its first six and last four digits shown, for `otherNumber` only. */
	readonly number?: string;
}

/** Tells whether an entry is about a card number or security code outside the card fields of the format. */
export function isAboutOthers({ outcome }: ReportEntry): boolean {
	return outcome === 'otherNumber' || outcome === 'otherCode';
}

/** Holds the counts of one pass. */
export interface Summary {
	bytesRead: number;
	bytesWritten: number;
	/** The number of the logical record that contains the last card, counted from 1; 0 if there is no card. */
	records: number;
	/** Counts numbers replaced by tokens, or tokens replaced by numbers. */
	cards: number;
	refused: number;
	/**
	 * Counts the cards with a warning of their own. A fact that concerns every card of the file is a notice instead and
	 * is not counted here.
	 */
	warned: number;
	/** Counts the numbers that were already masked in the input. */
	masked: number;
	/**
	 * When tokenizing, counts our tokens that were already in the file. If the output is detokenized later, numbers will
	 * replace these tokens too.
	 */
	preexistingTokens: number;
	/** Counts card numbers outside the layout's card fields; the option `otherNumbers` says what happens to them. */
	otherNumbers: number;
	/**
	 * Counts security codes after a label such as CVV, outside the layout's card fields. They become stars if numbers
	 * outside the card fields are masked or tokenized.
	 */
	otherCodes: number;
	/** Counts the tokens that were not replaced, because they lead to no card that this account may use. */
	unresolved: number;
	/** The notices about the file as a whole. */
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

/** The numbers that tell how far a pass has come; a job shows the same numbers (shapes §11). */
export type Progress = Pick<Summary, 'bytesRead' | 'cards' | 'refused' | 'warned'>;

/** Receives the entries and warnings of a pass one by one, while the pass runs. */
export interface ReportSink {
	/**
	 * Receives an entry. If it returns a promise, the pass waits for that promise.
	 * @param card is the number of the card that the entry is about, counted from 1 among the cards that were replaced or
	 * refused. It has no meaning if the entry is about a number outside the card fields.
	 */
	entry(entry: ReportEntry, card: number): Promise<void> | undefined;
	/**
	 * Receives the warnings of a card that got a token and has no entry in the report. A file may have a million such
	 * cards in a second, so the array and the place are reused, and only the texts may be kept. The function is absent if
	 * nobody needs the warnings.
	 */
	warned?(warnings: readonly string[], place: Pick<ReportPlace, 'record' | 'line'>, offset: number, card: number): void;
}
