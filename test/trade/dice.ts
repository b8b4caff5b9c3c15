/** A seeded source of chance: the same seed gives the same file on every machine. */
export class Dice {
	#state: number;

	constructor(seed: string) {
		// The seed is hashed with FNV-1a, so that similar seeds do not give similar rows of numbers.
		let hash = 2_166_136_261;
		for (let at = 0; at < seed.length; at++) hash = Math.imul(hash ^ seed.charCodeAt(at), 16_777_619);
		this.#state = hash >>> 0;
		for (let n = 0; n < 8; n++) this.#next();
	}

	/** Returns a whole number from 0 that is less than `limit`. */
	below(limit: number): number {
		return this.#next() % limit;
	}

	/** Returns a whole number from `least` to `most`, both included. */
	between(least: number, most: number): number {
		return least + this.below(most - least + 1);
	}

	/** Returns true in `percent` of a hundred cases. */
	percent(percent: number): boolean {
		return this.#next() % 10_000 < percent * 100;
	}

	pick<T>(list: readonly T[]): T {
		return list[this.below(list.length)];
	}

	digits(count: number): string {
		let digits = '';
		while (digits.length < count) digits += this.below(10);
		return digits;
	}

	letters(count: number): string {
		let letters = '';
		while (letters.length < count) letters += 'ABCDEFGHJKLMNPQRSTUVWXYZ'[this.below(24)];
		return letters;
	}

	/** Returns a record locator, as reservation systems give them. */
	locator(): string {
		return this.letters(6);
	}

	shuffled<T>(list: readonly T[]): T[] {
		const rest = [...list];
		for (let at = rest.length - 1; at > 0; at--) {
			const other = this.below(at + 1);
			[rest[at], rest[other]] = [rest[other], rest[at]];
		}
		return rest;
	}

	/** Returns the next 32 bits of the random number generator Mulberry32. */
	#next(): number {
		this.#state = (this.#state + 0x6d2b79f5) >>> 0;
		let mixed = this.#state;
		mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return (mixed ^ (mixed >>> 14)) >>> 0;
	}
}
