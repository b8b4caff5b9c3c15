import { isAboutOthers, type ReportEntry, type ReportPlace, type ReportSink } from '../../../engine/report.ts';

/**
 * The maximum length of a list in a trailer. Curl accepts no trailer of 4 KiB or more, including its name, and three
 * such lists together with the counts must stay below 8 KiB.
 */
export const MAX_LIST_CHARACTERS = 2400;

/**
 * A list of texts about the cards of a message, separated as spec §4.1 says. It has one entry for each card, in the
 * order of the cards; a card without a text has an empty entry.
 */
class VerdictList {
	#text = '';
	#card = 1;
	#isFull = false;

	add(card: number, text: string): void {
		const before = card - this.#card;
		// Hundreds of millions of cards, and so of empty entries, may lie between two texts. So the length of the empty
		// entries is computed first, and they are written only if they fit.
		if (this.#isFull || this.#text.length + 2 * before + text.length > MAX_LIST_CHARACTERS) {
			this.#isFull = true;
			return;
		}
		this.#text += ';;'.repeat(before) + text;
		this.#card = card;
	}

	/** Empty if no card has a text. Empty entries for the last cards are left out if they do not fit. */
	close(cards: number): string {
		const rest = ';;'.repeat(Math.min(Math.max(0, cards - this.#card), MAX_LIST_CHARACTERS));
		const isWhole = !this.#isFull && this.#text.length + rest.length <= MAX_LIST_CHARACTERS;
		return this.#text === '' || !isWhole ? this.#text : this.#text + rest;
	}
}

/**
 * Collects the content of a streamed file's trailers. A file may have any number of cards but a trailer has a limit, so
 * each list ends with the last whole entry within 2,400 characters; the counts are always complete.
 */
export class VerdictLists implements ReportSink {
	readonly #errors = new VerdictList();
	readonly #warnings = new VerdictList();

	entry(entry: ReportEntry, card: number): undefined {
		// An entry about a number outside the card fields is not about one of the file's cards, so it is only counted and
		// reported as a notice.
		if (isAboutOthers(entry)) return;
		if (entry.reason !== undefined) this.#errors.add(card, entry.reason);
		if (entry.warnings) this.#warnings.add(card, entry.warnings.join(', '));
	}

	warned(warnings: readonly string[], _place: Pick<ReportPlace, 'line'>, _offset: number, card: number): void {
		this.#warnings.add(card, warnings.join(', '));
	}

	close(cards: number): { readonly errors: string; readonly warnings: string } {
		return { errors: this.#errors.close(cards), warnings: this.#warnings.close(cards) };
	}
}
