import { inspect } from 'node:util';

/** A text that no output may show: a setting, a credential on its way to its owner. The only way in is `reveal()`, so one search lists every reading. */
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
