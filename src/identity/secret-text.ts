import { inspect } from 'node:util';

/** A credential on its way to or from its owner. No log, dump or JSON shows it; the only way in is `reveal()`. */
export class SecretText {
	readonly #text: string;

	constructor(text: string) {
		this.#text = text;
	}

	reveal(): string {
		return this.#text;
	}

	toString(): string {
		return '[secret]';
	}

	toJSON(): string {
		return '[secret]';
	}

	[inspect.custom](): string {
		return '[secret]';
	}
}
