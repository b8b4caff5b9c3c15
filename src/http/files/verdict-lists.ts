import { isAboutOthers, type ReportEntry, type ReportPlace, type ReportSink } from '../../transfer/report.ts';

/** curl takes no trailer of 4 KiB and more, its name included; three lists and the counts stay below 8 KiB together. */
export const MAX_LIST_CHARACTERS = 2400;

/** One text per card, separated as spec §4.1 says: the place in the list is the place of the card in the message. */
class VerdictList {
	#text = '';
	#card = 1;
	#isFull = false;

	add(card: number, text: string): void {
		const before = card - this.#card;
		// Counted before it is written: in a file of any length there may be hundreds of millions between two.
		if (this.#isFull || this.#text.length + 2 * before + text.length > MAX_LIST_CHARACTERS) {
			this.#isFull = true;
			return;
		}
		this.#text += ';;'.repeat(before) + text;
		this.#card = card;
	}

	/** Empty when there is nothing to say; the empty entries of the last cards are left out where they would not fit. */
	close(cards: number): string {
		const rest = ';;'.repeat(Math.min(Math.max(0, cards - this.#card), MAX_LIST_CHARACTERS));
		const isWhole = !this.#isFull && this.#text.length + rest.length <= MAX_LIST_CHARACTERS;
		return this.#text === '' || !isWhole ? this.#text : this.#text + rest;
	}
}

/**
 * Gathers what the trailers of a streamed file say. A file may have any number of cards and a trailer may not be of any
 * length, so each list ends with its last whole entry within 2,400 characters; the counts are always complete.
 */
export class VerdictLists implements ReportSink {
	readonly #errors = new VerdictList();
	readonly #warnings = new VerdictList();

	entry(entry: ReportEntry, card: number): undefined {
		// Such a number is none of the file's cards: it is counted, and told as a notice.
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
