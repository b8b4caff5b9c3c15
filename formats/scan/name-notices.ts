import type { Findings } from '../../src/engine/format.ts';
import { shownName } from './shown-name.ts';

/** Lists the notices that name a key, element or attribute. */
const TEXTS = {
	'stray-cvv': (name: string) =>
		`${name} holds a security code, and no card number that can be tokenized stands beside it`,
	'like-cvv': (name: string) =>
		`${name} beside a card number holds as many digits as a security code and was not read; name it in the options if it is one`,
	'listed-cvv': (name: string) =>
		`${name} names a security code in a list of columns: columns of such a table are not read as card fields`,
	'unread-cvv': (name: string) =>
		`${name} is called like the security code of a card and holds values that were not read as one; if one of them is the code, it stays in clear`,
	'split-number': (name: string) =>
		`${name} holds a part of a card number: its digits are split over several values, which were not read and stay in clear`,
	'unread-dates': (name: string) =>
		`${name} holds several expiries, and it is not known which card each belongs to, so none was read`,
	unread: (name: string) => `${name} is called like a field of a card, and the options of this folder do not name it`,
	'stray-date': (name: string) => `${name} is called like the expiry of a card, and no card number stands beside it`,
} as const;

/**
 * At most this many names are reported in notices of one kind. A file with more has new names in every record, so the
 * list would become too long.
 */
const MAX_NAMES = 20;

/** Reports names of keys, elements or attributes: each once, without any content. */
export class NameNotices {
	readonly #what: string;
	readonly #read: (name: Buffer) => string;
	readonly #told = new Map<keyof typeof TEXTS, Set<string>>();

	/** @param what is the format's word for such a name, for example `key` */
	constructor(what: string, read: (name: Buffer) => string) {
		this.#what = what;
		this.#read = read;
	}

	/** Adds the notice about the name in `bytes[start, end)`. */
	tell(kind: keyof typeof TEXTS, bytes: Buffer, start: number, end: number, found: Findings): void {
		const name = shownName(this.#read(bytes.subarray(start, end)));
		let names = this.#told.get(kind);
		if (names === undefined) this.#told.set(kind, (names = new Set()));
		if (names.has(name)) return;
		if (names.size === MAX_NAMES) {
			found.notice(`There are more names of which this holds: ${TEXTS[kind]('…')}`);
			return;
		}
		names.add(name);
		found.notice(TEXTS[kind](`The ${this.#what} ${name}`));
	}
}
