import { FileError, type Findings } from '../../src/transfer/format.ts';
import { HeldCard } from './held-card.ts';

/** A card element or object that is longer than this is refused, or let go of while it holds no card. */
const MAX_HELD_BYTES = 65_536;

/**
 * Fields that begin this far ahead of a card's number no longer belong to it, where nothing but a common parent says
 * that they might. The number then has the rest of the limit to gather the fields behind it.
 */
export const MAX_LEAD_BYTES = 16_384;

/** The cards that are open at one place of a file, outermost first. */
export class HeldCards {
	/** Only the first `count` mean anything; the rest is a pool. */
	readonly items: HeldCard[] = [];
	count = 0;

	open(start: number, line: number, records: number, found: Findings): HeldCard {
		if (this.count === this.items.length) this.items.push(new HeldCard());
		return this.items[this.count++].begin(start, line, records, found.length);
	}

	/** Takes one card out of the middle and back into the pool. */
	remove(index: number): void {
		const [card] = this.items.splice(index, 1);
		this.items.push(card);
		this.count--;
	}

	/** Where tokens must end in a window that ends at `to`: a card that is held may not outgrow its limit. */
	limit(to: number): number {
		return this.count === 0 ? to : Math.min(to, this.items[0].start + MAX_HELD_BYTES);
	}
}

/** A card that does not close within the limit. */
export function outgrown(card: HeldCard, what: string, field?: string): FileError {
	const message = `${what} is longer than ${MAX_HELD_BYTES} bytes`;
	return new FileError(message, { offset: card.start, line: card.line, record: card.record || undefined, field });
}
