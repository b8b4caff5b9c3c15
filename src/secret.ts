import { inspect } from 'node:util';

/**
 * Holds a text that no output may show: a setting, or a credential for its owner. Only `reveal()` returns the text, so
 * a search for that name finds every use.
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
