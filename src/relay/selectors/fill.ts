import { Edits } from '../../transfer/splice.ts';
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

/**
 * Returns `body` with the cards written into the units. Each unit is the group of places that one card fills.
 * @throws ServiceError('bad-input-data') if there are no units, the number of cards does not fit, or a value cannot be
 * written
 */
export function fillUnits(body: Buffer, units: readonly Unit[], cards: readonly OutgoingCard[]): Buffer {
	if (units.length === 0) throw nothingMatches();
	const cardOf = assignCards(units, cards.map(everyPartOf));
	const edits = shared;
	edits.clear();
	try {
		for (let i = 0; i < units.length; i++) {
			const values = cardOf(units[i], i);
			for (const slot of units[i].slots) slot.write(edits, values);
		}
		return edits.apply(body, 0, body.length);
	} finally {
		wipe(edits);
		if (edits.starts.length > MAX_KEPT_EDITS) shared = new Edits();
	}
}

/** Wipes the written part of the buffer. Wiping the whole buffer would cost more than filling a small body. */
function wipe(edits: Edits): void {
	let used = edits.outputLength(0, 0);
	for (let i = 0; i < edits.count; i++) used += edits.ends[i] - edits.starts[i];
	edits.target.fill(0, 0, used);
}

function nothingMatches() {
	return refusal('the selectors of the profile match nothing in the body');
}

/**
 * Decides which card fills which unit, the group of places that one card fills. A single card fills all units. Several
 * cards are assigned in order: one to each container if there are as many containers as cards, otherwise one to each
 * unit if there are as many units as cards.
 * @throws ServiceError if neither number fits
 */
function assignCards(units: readonly Unit[], cards: readonly CardValues[]): (unit: Unit, index: number) => CardValues {
	if (cards.length === 1) return () => cards[0];
	const containers = [...new Set(units.map(({ container }) => container))];
	if (containers.length === cards.length) {
		const cardOf = new Map(containers.map((container, i) => [container, cards[i]]));
		return ({ container }) => cardOf.get(container) as CardValues;
	}
	if (units.length === cards.length) return (_, index) => cards[index];
	throw refusal(`${cards.length} tokens were given; the selectors of the profile match ${containers.length} cards`);
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
