import { inspect } from 'node:util';

/** A setting that no output may show. The only way in is `reveal()`, so one search lists every reading. */
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

/** A database URL as it may be shown: the password, in the authority or as a parameter, is masked. */
export function maskUrlPassword(url: string): string {
	return url
		.replace(/^([a-z][a-z0-9+.-]*:\/\/[^:/?#]*):.*@/is, `$1:${MASK}@`)
		.replace(/([?&](?:password|passwd|sslpassword)=)[^&#]*/gi, `$1${MASK}`);
}

/** Whether a database URL carries a password. */
export function hasUrlPassword(url: string): boolean {
	return maskUrlPassword(url) !== url;
}
