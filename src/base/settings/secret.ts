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

/**
 * Returns a database URL in the form that may be shown: its password, in the authority or as a parameter, is masked.
 */
export function maskUrlPassword(url: string): string {
	return url
		.replace(/^([a-z][a-z0-9+.-]*:\/\/[^:/?#]*):.*@/is, `$1:${MASK}@`)
		.replace(/([?&](?:password|passwd|sslpassword)=)[^&#]*/gi, `$1${MASK}`);
}

export function hasUrlPassword(url: string): boolean {
	return maskUrlPassword(url) !== url;
}
