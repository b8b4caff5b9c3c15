// Collects the faults for which a folder rejects a file. The pass continues to the end of the file, so that the sender
// learns of every fault at once.

import type { FilePosition } from '../base/errors.ts';
import { WholeFileError } from './format.ts';

/** The error text names the lines of at most this many faults; the report names more. */
const NAMED_PLACES = 10;

/** Describes one kind of fault: its count, its reasons, and its first places. */
class Faults {
	count = 0;
	/** Counts the faults by the text of their reason. All texts come from a table, so there are only a few of them. */
	readonly reasons = new Map<string, number>();
	readonly first: FilePosition[] = [];

	add(reason: string, place: FilePosition): void {
		this.count++;
		this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1);
		if (this.first.length < NAMED_PLACES) this.first.push(place);
	}

	/**
	 * Returns the error text for this kind of fault, or undefined if there is no such fault. The text begins with `one`
	 * for a single fault and with `several` for more. The reasons follow, and for more than one fault the lines.
	 */
	tell(one: string, several: string): string | undefined {
		const { count, reasons } = this;
		if (count === 0) return undefined;
		const told = `${count === 1 ? one : `${figure(count)} ${several}`} and this folder rejects such files`;
		const texts = [...reasons].filter(([reason]) => reason !== '');
		const why = texts.map(([reason, cards]) => (count === 1 ? reason : `${reason} (${figure(cards)})`)).join(', ');
		return [told, ...(why === '' ? [] : [why])].join(': ') + (count === 1 ? '' : `; on ${this.#lines()}`);
	}

	#lines(): string {
		const lines = [...new Set(this.first.map(({ line }) => line))];
		const rest = this.count - this.first.length;
		const words = rest > 0 ? [...lines, `at ${figure(rest)} more places`] : lines;
		const last = words.length > 1 ? ` and ${words.at(-1)}` : '';
		return `line${lines.length > 1 ? 's' : ''} ${words.slice(0, words.length > 1 ? -1 : 1).join(', ')}${last}`;
	}
}

/**
 * Collects the faults of one pass. It keeps only counts and the first places, so it needs little memory. Offsets are
 * counted from the start of the file.
 */
export class Rejections {
	readonly #cards = new Faults();
	readonly #others = new Faults();
	readonly #codes = new Faults();

	/** Returns the number of faults so far. After the first fault, nothing of the file is written or stored. */
	get count(): number {
		return this.#cards.count + this.#others.count + this.#codes.count;
	}

	/** Adds a card that cannot be tokenized, in a folder with `onRefused: reject`. */
	addCard(reason: string, place: FilePosition): void {
		this.#cards.add(reason, place);
	}

	/** Adds a number outside the card fields, in a folder with `otherNumbers: reject`. */
	addOtherNumber(place: FilePosition): void {
		this.#others.add('', place);
	}

	/** Adds a security code outside the card fields, in a folder with `otherNumbers: reject`. */
	addOtherCode(place: FilePosition): void {
		this.#codes.add('', place);
	}

	/**
	 * Throws if there are faults. It must be called at the end of the pass.
	 * @throws FileError with the first place, the count, and the reasons
	 */
	throwIfAny(): void {
		if (this.count === 0) return;
		const texts = [
			this.#cards.tell('a card cannot be tokenized', 'cards cannot be tokenized'),
			this.#others.tell(
				'a card number stands outside the card fields of this format',
				'card numbers stand outside the card fields of this format',
			),
			this.#codes.tell(
				'a security code seems to stand outside the card fields of this format',
				'security codes seem to stand outside the card fields of this format',
			),
		];
		const firsts = [this.#cards, this.#others, this.#codes].flatMap(({ first }) => first.slice(0, 1));
		const at = firsts.reduce((one, other) => (other.offset < one.offset ? other : one));
		const parameters = { cards: this.#cards.count, numbers: this.#others.count, codes: this.#codes.count };
		const text = texts.filter((text) => text !== undefined).join('; ');
		throw new WholeFileError(text, at, { code: 'file-rejected', parameters });
	}
}

function figure(count: number): string {
	return count.toLocaleString('en-US');
}
