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
export class LocatedCard {
	/** The byte offset of the place of the card's number. Messages name it. */
	readonly start: number;
	/** If one container has several cards, a CVV cannot be assigned to a card unless each card has its own. */
	readonly container: number;
	/**
	 * The values at the places of the card. A part is undefined if the body has no place for it, and empty if its place
	 * is empty; this holds for the number too.
	 */
	readonly values: CardValues = {};
	readonly #slots: readonly Slot[];
	readonly #shared: readonly Slot[];

	/** Reads the values at all places of a unit, while the body is still in memory. */
	constructor({ start, container, slots, shared }: Unit) {
		this.start = start;
		this.container = container;
		this.#slots = slots;
		this.#shared = shared;
		for (const slot of [...slots, ...shared]) slot.readInto(this.values);
	}

	/** The places written with this card. One that several cards share is listed for the first only. */
	get places(): readonly Place[] {
		return this.#slots.map(({ place }) => place);
	}

	/** The CVVs that belong to this card, and the stray ones that may belong to it. */
	get codes(): readonly StarrableCode[] {
		return [...this.#slots, ...this.#shared].filter((slot) => slot.holds('securityCode'));
	}

	/** The CVVs that may belong to any of several numbers, not in `values` because it is unknown whose they are. */
	get strayCodes(): readonly StarrableCode[] {
		return this.#slots.filter((slot) => !slot.isRead && slot.holds('securityCode'));
	}

	has(part: CardPart): boolean {
		return this.#slots.some((slot) => slot.holds(part));
	}

	/** Writes `number` at the place of the card's number, and stars over every CVV at the places of the card. */
	hide(edits: Edits, number: string): void {
		const { securityCode: code = '' } = this.values;
		const securityCode = isNoCvv(code) ? undefined : code.replace(/\S/g, '*');
		for (const slot of this.#slots) {
			if (slot.holds('number')) slot.write(edits, { number, securityCode });
			else slot.starCode(edits);
		}
	}
}
