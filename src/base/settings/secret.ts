import { inspect } from 'node:util';

/**
 * Holds a text that must never appear in output, such as a password from the settings or a new API key. Only `reveal()`
 * returns the text, so a search for that name finds every use.
 */
export class Secret {
	readonly #text: string;

	constructor(text: string) {
		this.#text = text;
	}

	reveal(): string {
		return this.#text;
	}

	toString(): string {
		return MASK;
	}

	toJSON(): string {
		return MASK;
	}

	[inspect.custom](): string {
		return MASK;
	}
}

export const MASK = '********';
