// Pairs the places that selectors find: which number, expiry, CVV, name and type belong to one card.

import type { CardPart, PartSelector } from '../profile.ts';
import type { BodyFormat, Query } from './body-format.ts';
import { checkPatience } from './patience.ts';
import { refusal } from './problems.ts';
import { type PlacedPart, Slot } from './slot.ts';
import { partAlone, partOfExpiry } from './usual-names.ts';

/** A selector of a profile with its expressions compiled. */
export interface CompiledCard<Body> {
	readonly container: Query<Body>;
	readonly number: CompiledPart<Body>;
	readonly others: readonly CompiledPart<Body>[];
}

export interface CompiledPart<Body> {
	readonly part: CardPart;
	readonly selector: PartSelector;
	readonly query: Query<Body>;
	/** Of month and year by their usual names: a whole expiry, where the container has no such part. */
	readonly whole?: Query<Body>;
}

/** One place that can hold a card. */
export interface Unit {
	/** Byte offset of the place of its number. */
	readonly start: number;
	/** Counts containers, so that units of one container can be told. */
	readonly container: number;
	/** Places that are written with this unit. */
	readonly slots: Slot[];
	/** Places that are only read: another unit writes them. */
	readonly shared: Slot[];
}

/** What selectors find in a body that is to be tokenized. */
export interface FoundPlaces {
	readonly units: Unit[];
	/** Places for a CVV in containers that have no place for a number. */
	readonly looseCodes: Slot[];
}

/**
 * Every place for a card, in document order. A place is written by one unit only, the first that has it: edits never
 * overlap, whatever the selectors say.
 */
export function findUnits<Body>(format: BodyFormat<Body>, body: Body, cards: readonly CompiledCard<Body>[]): Unit[] {
	const finder = new UnitFinder(format, body);
	for (const card of cards) for (const context of card.container(body, 0)) finder.addContainer(card, context);
	return finder.finished();
}

/**
 * The places for cards, and those for CVVs that stand where no number does. Cards go to the former alone, so that a
 * message to be filled has no use for the latter.
 */
export function findPlaces<Body>(
	format: BodyFormat<Body>,
	body: Body,
	cards: readonly CompiledCard<Body>[],
): FoundPlaces {
	const finder = new UnitFinder(format, body);
	const bare = cards.map((card) => card.container(body, 0).filter((context) => !finder.addContainer(card, context)));
	// Only now is it known which codes belong to a number: containers stand in each other.
	const looseCodes = cards.flatMap((card, nth) => bare[nth].flatMap((context) => finder.looseCodes(card, context)));
	return { units: finder.finished(), looseCodes };
}

/** Containers that stand in each other can find the same places again and again; each of them is kept. */
const MAX_FOUND = 100_000;

class UnitFinder<Body> {
	readonly #format: BodyFormat<Body>;
	readonly #body: Body;
	readonly #units: Unit[] = [];
	/** The slot of every node that some unit writes. */
	readonly #owned = new Map<number, Slot>();
	#containers = 0;
	#found = 0;

	constructor(format: BodyFormat<Body>, body: Body) {
		this.#format = format;
		this.#body = body;
	}

	/** False for one that has no number of its own. */
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

	/** The places for CVVs of a container without a number, but for those of a card elsewhere. */
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
	 * As many places as numbers: each number has its own. One number has them all. Otherwise nobody can say whose they
	 * are: they are written with the first number, so that none is missed, and read with none.
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

	/** A date by its usual name: how it is written, and where in a whole expiry, depends on what stands there. */
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
