import { Edits } from '../../../engine/splice.ts';
import { CodePlaceFinder, type CodePlaces } from './code-places.ts';
import type { CardValues } from './parts.ts';
import { refusal } from './problems.ts';
import type { Unit } from './units.ts';

/** Describes a card that is to be sent, in clear. Dates are `MM` and `YYYY`. */
export interface OutgoingCard {
	readonly number: string;
	readonly expiryMonth?: string;
	readonly expiryYear?: string;
	readonly nameOnCard?: string;
	readonly securityCode?: string;
	readonly type?: string;
}

const MAX_KEPT_EDITS = 8192;

/**
 * Collects the values of cards that are to be written into a body, and where. Filling is synchronous, so one object is
 * enough for all bodies; it is wiped after each use.
 */
let shared = new Edits();

/** Holds a body after cards were put into it. */
export interface FilledBytes {
	readonly bytes: Buffer;
	/**
	 * Tells for each place of a number, in document order, whether the body also has a place for the CVV of the same
	 * card; empty for `text` bodies.
	 */
	readonly hasCode: readonly boolean[];
	/** Where CVVs can still be written (see `writeCodes`). */
	readonly codePlaces: CodePlaces;
}

/**
 * Returns `body` with the cards written into the units. Each unit is the group of places that one card fills.
 * @throws ServiceError('bad-input-data') if there are no units, the number of cards does not fit, or a value cannot be
 * written
 */
export function fillUnits(body: Buffer, units: readonly Unit[], cards: readonly OutgoingCard[]): FilledBytes {
	if (units.length === 0) throw refusal('the selectors of the profile match nothing in the body');
	const cardOf = assignCards(units, cards.length);
	const valuesOf = cards.map(everyPartOf);
	const edits = shared;
	edits.clear();
	const finder = new CodePlaceFinder(body);
	try {
		for (const [nth, unit] of units.entries()) {
			const card = cardOf(unit, nth);
			for (const slot of unit.slots) {
				slot.write(edits, valuesOf[card]);
				if (slot.holds('securityCode')) finder.add(slot, valuesOf[card], card);
			}
		}
		const hasCode = units.map(({ slots }) => slots.some((slot) => slot.holds('securityCode')));
		return { bytes: edits.apply(body, 0, body.length), hasCode, codePlaces: finder.finish(edits) };
	} finally {
		// Wiping the whole buffer would cost more than filling a small body.
		edits.wipeUsed();
		if (edits.starts.length > MAX_KEPT_EDITS) shared = new Edits();
	}
}

/**
 * Decides which card fills which unit, the group of places that one card fills, and returns a function for the ordinal
 * of a unit's card. A single card fills all units. Several cards are assigned in order: one to each container if there
 * are as many containers as cards, otherwise one to each unit if there are as many units as cards.
 * @throws ServiceError if neither number fits
 */
function assignCards(units: readonly Unit[], count: number): (unit: Unit, index: number) => number {
	if (count === 1) return () => 0;
	const containers = [...new Set(units.map(({ container }) => container))];
	if (containers.length === count) {
		const cardOf = new Map(containers.map((container, nth) => [container, nth]));
		return ({ container }) => cardOf.get(container)!;
	}
	if (units.length === count) return (_, index) => index;
	throw refusal(`${count} tokens were given; the selectors of the profile match ${containers.length} cards`);
}

/**
 * Returns the values of all parts of a card. A part that the card lacks gets an empty text, which is then written to
 * its place, so that no token or dummy that is there now is sent.
 */
function everyPartOf(card: OutgoingCard): CardValues {
	return {
		number: card.number,
		expiryMonth: card.expiryMonth ?? '',
		expiryYear: card.expiryYear ?? '',
		nameOnCard: card.nameOnCard ?? '',
		securityCode: card.securityCode ?? '',
		type: card.type ?? '',
	};
}
