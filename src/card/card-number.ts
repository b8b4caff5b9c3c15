import { inspect } from 'node:util';
import { maskNumber } from './masking.ts';

/**
 * A clear card number in memory: prints, logs and serialises as first six, asterisks, last four. `reveal()` is the
 * only way in, so one search lists every reading.
 */
export class CardNumber {
	readonly #digits: string;

	/** @param digits without grouping; judged elsewhere. */
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
