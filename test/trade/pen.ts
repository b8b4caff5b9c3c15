import { brokenNumber, type Card, drawCard, pickSpelling, type Spelling, spell } from './cards.ts';
import type { Dice } from './dice.ts';
import type { Encoding, Mark } from './draft.ts';

/** The place of a mark, and the class of misses that it counts for. */
export interface At {
	readonly isKnown: boolean;
	readonly what: string;
	readonly name?: string;
}

/** Holds what a generator needs to write a file: its dice, its encoding and the number of cards drawn so far. */
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

	/** Draws the next card. */
	card(): Card {
		return drawCard(this.dice, ++this.#drawn);
	}

	get hasCardsLeft(): boolean {
		return this.#drawn < this.cardCount;
	}

	/** Returns the number of the card in this spelling, or in one that the encoding of the file allows. */
	number(card: Card, at: At, spelling: Spelling = pickSpelling(this.dice, this.encoding)): Mark {
		return this.numberAs(card, { ...at, what: `${at.what}, ${spelling}` }, spell(this.dice, card.digits, spelling));
	}

	/** Returns the number of the card, which the caller has spelled. */
	numberAs(card: Card, at: At, raw: string): Mark {
		return { ...at, kind: 'number', raw, card: card.index, digits: card.digits, isValid: true };
	}

	/** Returns a number with a wrong check digit in place of that of the card. */
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
