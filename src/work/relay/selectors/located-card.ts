// Describes each card that was found in a body by the places of its parts, and overwrites its number and CVV.

import { isNoCvv } from '../../../base/card/cvv.ts';
import type { Edits } from '../../../engine/splice.ts';
import type { CardPart } from '../profiles/profile.ts';
import type { CardValues } from './parts.ts';
import type { Place } from './place.ts';
import type { Slot } from './slot.ts';
import type { Unit } from './units.ts';

/** Holds what is found in a body that is to be tokenized. */
export interface LocatedBody {
	/** The cards in document order. */
	readonly cards: LocatedCard[];
	/** The places for CVVs in containers that have no place for a number. */
	readonly looseCodes: readonly StarrableCode[];
}

/** The place of a CVV. It may be overwritten with stars long after it was found. */
export interface StarrableCode {
	readonly place: Place;
	/** Writes stars over the CVV at the place; changes nothing if the place holds no CVV. */
	starCode(edits: Edits): void;
}

/** A card found in a body. It may be overwritten long after that, because its places are kept as byte offsets. */
export interface LocatedCard {
	/** The byte offset of the place of the card's number. Messages name it. */
	readonly start: number;
	/** If one container has several cards, a CVV cannot be assigned to a card unless each card has its own. */
	readonly container: number;
	/** The places written with this card. One that several cards share is listed for the first only. */
	readonly places: readonly Place[];
	/** The CVVs that belong to this card, and the stray ones that may belong to it. */
	readonly codes: readonly StarrableCode[];
	/** The CVVs that may belong to any of several numbers, not in `values` because it is unknown whose they are. */
	readonly strayCodes: readonly StarrableCode[];
	/**
	 * The values at the places of the card. A part is undefined if the body has no place for it, and empty if its place
	 * is empty; this holds for the number too.
	 */
	readonly values: CardValues;
	has(part: CardPart): boolean;
	/** Writes `number` at the place of the card's number, and stars over every CVV at the places of the card. */
	hide(edits: Edits, number: string): void;
}

/** Reads the values at all places of a `Unit`, while the body is still in memory, and returns them as a card. */
export function locatedCardOf(unit: Unit): LocatedCard {
	const values: CardValues = {};
	for (const slot of unit.slots) slot.readInto(values);
	for (const slot of unit.shared) slot.readInto(values);
	return new FoundCard(unit, values);
}

class FoundCard implements LocatedCard {
	readonly start: number;
	readonly container: number;
	readonly values: CardValues;
	readonly #slots: readonly Slot[];
	readonly #shared: readonly Slot[];

	constructor({ start, container, slots, shared }: Unit, values: CardValues) {
		this.start = start;
		this.container = container;
		this.values = values;
		this.#slots = slots;
		this.#shared = shared;
	}

	get places(): readonly Place[] {
		return this.#slots.map(({ place }) => place);
	}

	get codes(): readonly StarrableCode[] {
		return [...this.#slots, ...this.#shared].filter((slot) => slot.holds('securityCode'));
	}

	get strayCodes(): readonly StarrableCode[] {
		return this.#slots.filter((slot) => !slot.isRead && slot.holds('securityCode'));
	}

	has(part: CardPart): boolean {
		return this.#slots.some((slot) => slot.holds(part));
	}

	hide(edits: Edits, number: string): void {
		const { securityCode: code = '' } = this.values;
		const securityCode = isNoCvv(code) ? undefined : code.replace(/\S/g, '*');
		for (const slot of this.#slots) {
			if (slot.holds('number')) slot.write(edits, { number, securityCode });
			else slot.starCode(edits);
		}
	}
}
