import { inspect } from 'node:util';

/** A clear CVV in memory. It never prints itself; only `reveal()` returns it. */
export class Cvv {
	readonly #digits: string;

	constructor(digits: string) {
		this.#digits = digits;
	}

	reveal(): string {
		return this.#digits;
	}

	toString(): string {
		return '*'.repeat(this.#digits.length);
	}

	toJSON(): string {
		return this.toString();
	}

	[inspect.custom](): string {
		return `Cvv(${this.toString()})`;
	}
}
