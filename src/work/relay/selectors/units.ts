// Groups the places that selectors find into cards: which number, expiry, CVV, name and type belong together.

import type { CardPart, PartSelector } from '../profiles/profile.ts';
import type { BodyFormat, Query } from './body-format.ts';
import { checkPatience } from './patience.ts';
import { refusal } from './problems.ts';
import { type PlacedPart, Slot } from './slot.ts';
import { partAlone, partOfExpiry } from './usual-names.ts';

/** Describes one entry in the `cards` of a profile, with its expressions compiled. */
export interface CompiledCard<Body> {
	readonly container: Query<Body>;
	readonly number: CompiledPart<Body>;
	readonly others: readonly CompiledPart<Body>[];
}

export interface CompiledPart<Body> {
	readonly part: CardPart;
	readonly selector: PartSelector;
	readonly query: Query<Body>;
	/**
	 * Present only for a month or a year that is found by its usual name: the query for a field with the whole expiry. It
	 * is used if the container has no field for the month or the year alone.
	 */
	readonly whole?: Query<Body>;
}

export interface Unit {
	/** The byte offset of the place of the card's number. */
	readonly start: number;
	/** The ordinal of the container of these places, the same for all groups of places in one container. */
	readonly container: number;
	readonly slots: Slot[];
	/**
	 * The places from which parts of this card are read but to which they are not written, because these places are
	 * also among the `slots` of another card, which is written there.
	 */
	readonly shared: Slot[];
}

/**
 * Returns the units of a body in document order: for each card, the places that hold its parts. If several units find
 * the same value of the body, only the first of them writes it, so that edits never overlap.
 */
export function findUnits<Body>(format: BodyFormat<Body>, body: Body, cards: readonly CompiledCard<Body>[]): Unit[] {
	const finder = new UnitFinder(format, body);
	for (const card of cards) for (const context of card.container(body, 0)) finder.addContainer(card, context);
	return finder.finished();
}

/**
 * Returns the same groups of places as `findUnits`, and also the places for CVVs in containers without a number.
 * Filling a message uses `findUnits` instead, because nothing is written into a container without a number.
 */
export function findPlaces<Body>(format: BodyFormat<Body>, body: Body, cards: readonly CompiledCard<Body>[]) {
	const finder = new UnitFinder(format, body);
	const bare = cards.map((card) => card.container(body, 0).filter((context) => !finder.addContainer(card, context)));
	// Containers may be nested, so it is known only after all of them were searched which CVVs belong to a number.
	const looseCodes = cards.flatMap((card, nth) => bare[nth].flatMap((context) => finder.looseCodes(card, context)));
	return { units: finder.finished(), looseCodes };
}

/**
 * A body in which selectors find more nodes than this is refused: nested containers can find the same nodes again and
 * again, and what is found is kept in memory.
 */
const MAX_FOUND = 100_000;

class UnitFinder<Body> {
	readonly #format: BodyFormat<Body>;
	readonly #body: Body;
	readonly #units: Unit[] = [];
	/** Holds, for every node that is written when a card is written, the `Slot` that writes it. */
	readonly #owned = new Map<number, Slot>();
	#containers = 0;
	#found = 0;

	constructor(format: BodyFormat<Body>, body: Body) {
		this.#format = format;
		this.#body = body;
	}

	/**
	 * Adds a `Unit` for each place of a number in a container, except places that an earlier container has already found.
	 * Returns false if none was added.
	 */
	addContainer(card: CompiledCard<Body>, context: number): boolean {
		const first = this.#units.length;
		for (const node of this.#ask(card.number.query, context)) {
			const slot = this.#owned.has(node) ? undefined : this.#own(node, card.number);
			if (slot === undefined) continue;
			this.#units.push({ start: slot.place.start, container: this.#containers, slots: [slot], shared: [] });
		}
		const count = this.#units.length - first;
		if (count === 0) return false;
		this.#containers++;
		for (const other of card.others) this.#addPart(other, context, first, count);
		return true;
	}

	/** Returns the places for CVVs in a container without a number, except those of a card of another container. */
	looseCodes(card: CompiledCard<Body>, context: number): Slot[] {
		const found: Slot[] = [];
		for (const code of card.others) {
			if (code.part !== 'securityCode') continue;
			for (const node of this.#ask(code.query, context)) {
				const slot = this.#owned.has(node) ? undefined : this.#own(node, code, false);
				if (slot !== undefined) found.push(slot);
			}
		}
		return found;
	}

	#ask(query: Query<Body>, context: number): readonly number[] {
		checkPatience();
		const nodes = query(this.#body, context);
		this.#found += nodes.length;
		if (this.#found > MAX_FOUND) throw refusal('the selectors of the profile match too much of the body');
		return nodes;
	}

	/**
	 * Assigns the places of a part, such as the expiry month, to the numbers of a container. If there are as many places
	 * as numbers, each number gets its own. If there is one number, it gets all places. Otherwise it is unknown which
	 * place belongs to which number. The first number then gets all places, but only for writing: so no place keeps its
	 * old value, and no value is read for the wrong card.
	 */
	#addPart(compiled: CompiledPart<Body>, context: number, first: number, count: number): void {
		let nodes = this.#ask(compiled.query, context);
		const isWhole = nodes.length === 0 && compiled.whole !== undefined;
		if (isWhole) nodes = this.#ask(compiled.whole!, context);
		const isPaired = nodes.length === count;
		for (let i = 0; i < nodes.length; i++) {
			const unit = this.#units[isPaired ? first + i : first];
			const placed = compiled.whole === undefined ? compiled : this.#asWritten(compiled, nodes[i], isWhole);
			this.#addSlot(unit, nodes[i], placed, isPaired || count === 1);
		}
	}

	/**
	 * Returns how to write a month or a year that was found by its usual name. The text that is there now decides the
	 * format and, in a field with the whole expiry, which characters are the month or the year.
	 */
	#asWritten({ part, selector }: CompiledPart<Body>, node: number, isWhole: boolean): PlacedPart {
		const text = this.#format.findPlace(this.#body, node)?.read() ?? '';
		return { part, selector: (isWhole ? partOfExpiry : partAlone)(part, text, selector) };
	}

	#addSlot(unit: Unit, node: number, compiled: PlacedPart, isRead: boolean): void {
		const owned = this.#owned.get(node);
		if (owned !== undefined) {
			if (unit.slots.includes(owned)) owned.parts.push(compiled);
			else if (isRead) unit.shared.push(owned.sharedFor(compiled));
			return;
		}
		const slot = this.#own(node, compiled, isRead);
		if (slot !== undefined) unit.slots.push(slot);
	}

	#own(node: number, compiled: PlacedPart, isRead = true): Slot | undefined {
		const place = this.#format.findPlace(this.#body, node);
		if (place === undefined) return undefined;
		const slot = new Slot(place, compiled, isRead);
		this.#owned.set(node, slot);
		return slot;
	}

	finished(): Unit[] {
		const units = this.#units;
		for (let i = 1; i < units.length; i++) {
			if (units[i - 1].start > units[i].start) return units.sort((a, b) => a.start - b.start);
		}
		return units;
	}
}
