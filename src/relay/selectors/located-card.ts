import type { Edits } from '../../transfer/splice.ts';
import type { CardPart } from '../profile.ts';
import type { CardValues } from './parts.ts';
import type { Slot } from './slot.ts';
import type { Unit } from './units.ts';

/** A card found in a body. It may be written long after: it knows its places by their bytes. */
export interface LocatedCard {
	/** Byte offset of the place of its number, for messages. */
	readonly start: number;
	/**
	 * What stands there. A part is undefined when its place is absent; an empty text when its place is empty, the
	 * number's too.
	 */
	readonly values: CardValues;
	/** Whether there is a place for the part. */
	has(part: CardPart): boolean;
	/** Writes what stands for the number from now on, and stars over every CVV. */
	hide(edits: Edits, number: string): void;
	/** Stars CVVs that `values` does not have, since nobody can say which of several numbers they belong to. */
	starStrayCodes(edits: Edits): void;
}

/** What is read of a unit is read here, while its body is at hand. */
export function locatedCardOf(unit: Unit): LocatedCard {
	const values: CardValues = {};
	for (const slot of unit.slots) slot.readInto(values);
	for (const slot of unit.shared) slot.readInto(values);
	return new FoundCard(unit.start, values, unit.slots);
}

class FoundCard implements LocatedCard {
	readonly start: number;
	readonly values: CardValues;
	readonly #slots: readonly Slot[];

	constructor(start: number, values: CardValues, slots: readonly Slot[]) {
		this.start = start;
		this.values = values;
		this.#slots = slots;
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

	starStrayCodes(edits: Edits): void {
		for (const slot of this.#slots) if (!slot.isRead) slot.starCode(edits);
	}
}
