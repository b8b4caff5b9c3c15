import { inspect } from 'node:util';
import { maskNumber } from './masking.ts';

/**
 * A clear card number in memory. It prints, logs and serialises as the first six digits, asterisks and the last four.
 * Only `reveal()` returns the number, so a search for that name finds every use.
 */
export class CardNumber {
	readonly #digits: string;

	/** @param digits have no separators, and the caller has checked them */
	constructor(digits: string) {
		this.#digits = digits;
	}

	reveal(): string {
		return this.#digits;
	}

	masked(): string {
		return maskNumber(this.#digits);
	}

	toString(): string {
		return this.masked();
	}

	toJSON(): string {
		return this.masked();
	}

	[inspect.custom](): string {
		return `CardNumber(${this.masked()})`;
	}
}
