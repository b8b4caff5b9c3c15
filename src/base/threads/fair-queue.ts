/**
 * Holds work that waits, and gives it out in turns: each party that has work waiting has one turn before any of them
 * has another. So a party with much work makes nobody else wait for all of it.
 */
export class FairQueue<Item> {
	/** The waiting work of each party, the oldest first. The first party of the map has the next turn. */
	readonly #waiting = new Map<unknown, Item[]>();
	#size = 0;

	get size(): number {
		return this.#size;
	}

	sizeOf(party: unknown): number {
		return this.#waiting.get(party)?.length ?? 0;
	}

	add(party: unknown, item: Item): void {
		const items = this.#waiting.get(party);
		if (items) items.push(item);
		else this.#waiting.set(party, [item]);
		this.#size++;
	}

	/**
	 * Takes the oldest item of the party that has the next turn; undefined if there is none. A party whose oldest item
	 * may not be taken now keeps its place.
	 */
	take(mayTake: (party: unknown, oldest: Item) => boolean = () => true): Item | undefined {
		for (const [party, items] of this.#waiting) {
			if (!mayTake(party, items[0])) continue;
			// The party moves behind all others.
			this.#waiting.delete(party);
			const [item] = items.splice(0, 1);
			if (items.length > 0) this.#waiting.set(party, items);
			this.#size--;
			return item;
		}
		return undefined;
	}

	/** Takes out the oldest items of each party while `mayRemove` holds for them. No party gains or loses its place by it. */
	removeOldest(mayRemove: (oldest: Item) => boolean): Item[] {
		const removed: Item[] = [];
		for (const [party, items] of this.#waiting) {
			const kept = items.findIndex((item) => !mayRemove(item));
			removed.push(...items.splice(0, kept === -1 ? items.length : kept));
			if (items.length === 0) this.#waiting.delete(party);
		}
		this.#size -= removed.length;
		return removed;
	}
}
