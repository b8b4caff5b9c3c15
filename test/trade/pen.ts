import { brokenNumber, type Card, drawCard, pickSpelling, type Spelling, spell } from './cards.ts';
import type { Dice } from './dice.ts';
import type { Encoding, Mark } from './draft.ts';

/** Where a mark stands. */
export interface At {
	readonly isKnown: boolean;
	readonly what: string;
	readonly name?: string;
}

/** What a file's generator writes with: its chance, its encoding, the cards it has drawn so far. */
export class Pen {
	readonly dice: Dice;
	readonly encoding: Encoding;
	/** How many cards this file is to have. */
	readonly cardCount: number;
	#drawn = 0;

	constructor(dice: Dice, encoding: Encoding) {
		this.dice = dice;
		this.encoding = encoding;
		this.cardCount = dice.percent(30) ? dice.between(1, 3) : dice.between(1, 20);
	}

	/** The next card. */
	card(): Card {
		return drawCard(this.dice, ++this.#drawn);
	}

	get hasCardsLeft(): boolean {
		return this.#drawn < this.cardCount;
	}

	/** The card's number, in a spelling of the file's encoding or in this one. */
	number(card: Card, at: At, spelling: Spelling = pickSpelling(this.dice, this.encoding)): Mark {
		return this.numberAs(card, { ...at, what: `${at.what}, ${spelling}` }, spell(this.dice, card.digits, spelling));
	}

	/** The card's number, spelled by the caller. */
	numberAs(card: Card, at: At, raw: string): Mark {
		return { ...at, kind: 'number', raw, card: card.index, digits: card.digits, isValid: true };
	}

	/** A number whose check digit fails, in the place of the card's. */
	brokenNumber(card: Card, at: At): Mark {
		const digits = brokenNumber(this.dice);
		return {
			...at,
			kind: 'number',
			what: `${at.what}, fails Luhn`,
			raw: digits,
			card: card.index,
			digits,
			isValid: false,
		};
	}

	cvv(card: Card, at: At): Mark {
		return { ...at, kind: 'cvv', raw: card.cvv, card: card.index };
	}
}
