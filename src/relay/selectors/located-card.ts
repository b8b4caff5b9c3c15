// A card where it stands in a body, and what is written over it and over codes that are nobody's.

import type { Edits } from '../../transfer/splice.ts';
import type { CardPart } from '../profile.ts';
import type { CardValues } from './parts.ts';
import type { Place } from './place.ts';
import type { Slot } from './slot.ts';
import type { Unit } from './units.ts';

/** What is found in a body that is to be tokenized. */
export interface LocatedBody {
	/** In document order. */
	readonly cards: LocatedCard[];
	/** Places for CVVs where there is none for a number. */
	readonly looseCodes: readonly StarrableCode[];
}

/** The place of a CVV. It may be starred long after it was found, as its card may be written. */
export interface StarrableCode {
	readonly place: Place;
	/** Stars for the CVV that stands there; nothing for none. */
	starCode(edits: Edits): void;
}

/** A card found in a body. It may be written long after: it knows its places by their bytes. */
export interface LocatedCard {
	/** Byte offset of the place of its number, for messages. */
	readonly start: number;
	/** Counts containers. Of several cards in one nobody can say which a code belongs to, unless each has its own. */
	readonly container: number;
	/** Every place that is written with this card and no other. */
	readonly places: readonly Place[];
	/** The CVVs that stand with it. */
	readonly codes: readonly StarrableCode[];
	/** The CVVs that `values` does not have, since nobody can say which of several numbers they belong to. */
	readonly strayCodes: readonly StarrableCode[];
	/**
	 * What stands there. A part is undefined when its place is absent; an empty text when its place is empty, the
	 * number's too.
	 */
	readonly values: CardValues;
	/** Whether there is a place for the part. */
	has(part: CardPart): boolean;
	/** Writes what stands for the number from now on, and stars over every CVV at its places. */
	hide(edits: Edits, number: string): void;
}

/** What is read of a unit is read here, while its body is at hand. */
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
		const securityCode = this.values.securityCode?.replace(/\S/g, '*') || undefined;
		for (const slot of this.#slots) {
			if (slot.holds('number')) slot.write(edits, { number, securityCode });
			else slot.starCode(edits);
		}
	}
}
