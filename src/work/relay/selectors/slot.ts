import { isNoCvv } from '../../../base/card/cvv.ts';
import { isPlaceholderText } from '../../../base/card/names/placeholders.ts';
import type { Edits } from '../../../engine/splice.ts';
import type { CardPart, PartSelector } from '../profiles/profile.ts';
import { type CardValues, formatPart, readPart } from './parts.ts';
import type { Place } from './place.ts';
import { refusal } from './problems.ts';

/** Tells which part of a card is at a place, and by which selector it was found. */
export interface PlacedPart {
	readonly part: CardPart;
	readonly selector: PartSelector;
}

/**
 * No part of a card is longer than this many characters. Only the beginning of a longer text is kept, because the text
 * is searched again for every card that shares it.
 */
const MAX_PART_LENGTH = 4096;

/** Describes a place with the parts of one card at it: either one part, or several in substrings of its text. */
export class Slot {
	readonly place: Place;
	readonly parts: PlacedPart[];
	/** False if it is uncertain which card the parts belong to; they are then only written and never read. */
	readonly isRead: boolean;
	readonly #source: Slot;
	#text: string | undefined;

	constructor(place: Place, first: PlacedPart, isRead = true, source?: Slot) {
		this.place = place;
		this.parts = [first];
		this.isRead = isRead;
		this.#source = source ?? this;
	}

	/**
	 * Returns another `Slot` at the same place, for another card that finds its part there. The new `Slot` only reads the
	 * place and never writes it.
	 */
	sharedFor(first: PlacedPart): Slot {
		return new Slot(this.place, first, true, this);
	}

	/**
	 * Returns the beginning of the text at the place, which is long enough for any part of a card. The text is read only
	 * once, even if several parts are in it.
	 */
	text(): string {
		this.#text ??= this.place.read().slice(0, MAX_PART_LENGTH);
		return this.#text;
	}

	/** Reads every part at this place into `values`, except parts that `values` already has from another place. */
	readInto(values: CardValues): void {
		if (!this.isRead) return;
		const text = this.#source.text();
		for (const placed of this.parts) {
			const { part, selector } = placed;
			// Month and year may both be in one text, and a placeholder stands for the whole.
			const isNone = isDate(placed) && isPlaceholderText(text);
			values[part] ??= readPart(part, selector, isNone ? '' : substringOf(text, selector));
		}
	}

	/**
	 * Writes those parts at this place that `values` has; other parts stay unchanged.
	 * @throws ServiceError('bad-input-data') if a part is a substring of the text and the text is too short for it
	 */
	write(edits: Edits, values: CardValues): void {
		const [only] = this.parts;
		if (this.parts.length === 1 && only.selector.substring === undefined) {
			if (values[only.part] !== undefined) this.place.write(edits, textOf(only, values), isDate(only));
			return;
		}
		const given = this.parts.filter(({ part }) => values[part] !== undefined);
		if (given.length === 0) return;
		const whole = given.find(({ selector }) => selector.substring === undefined);
		const text = whole === undefined ? this.#merged(given, values) : textOf(whole, values);
		this.place.write(edits, text, this.parts.every(isDate));
	}

	holds(part: CardPart): boolean {
		return this.parts.some((placed) => placed.part === part);
	}

	/** Writes stars over the CVV at the place; changes nothing if the place holds no CVV, or a placeholder for one. */
	starCode(edits: Edits): void {
		const code = this.parts.find(({ part }) => part === 'securityCode');
		if (code === undefined) return;
		const [offset, length] = code.selector.substring ?? [0, Number.POSITIVE_INFINITY];
		const characters = Array.from(this.place.read());
		const starred = characters.map((character, at) =>
			at < offset || at >= offset + length || character.trim() === '' ? character : '*',
		);
		const isChanged = starred.some((character, at) => character !== characters[at]);
		if (isChanged && !isNoCvv(substringOf(characters.join(''), code.selector))) {
			this.place.write(edits, starred.join(''), false);
		}
	}

	#merged(given: readonly PlacedPart[], values: CardValues): string {
		const characters = Array.from(this.place.read());
		const ordered = [...given].sort((a, b) => offsetOf(a) - offsetOf(b));
		if (characters.length >= endOf(ordered[ordered.length - 1])) {
			for (const part of ordered.reverse()) {
				characters.splice(offsetOf(part), lengthOf(part), textOf(part, values));
			}
			return characters.join('');
		}
		// The text at the place ends before the last of the substrings. It is then replaced by the parts one after the
		// other, provided that they leave no gap and that no characters of the old text are lost.
		let end = 0;
		for (const part of ordered) {
			if (offsetOf(part) !== end) throw tooShort(part);
			end = endOf(part);
		}
		if (characters.length > 0 && given.length < this.parts.length) throw tooShort(ordered[0]);
		return ordered.map((part) => textOf(part, values)).join('');
	}
}

function textOf({ part, selector }: PlacedPart, values: CardValues): string {
	const value = values[part] as string;
	return value === '' ? '' : formatPart(part, selector, value);
}

const isDate = ({ part }: PlacedPart) => part === 'expiryMonth' || part === 'expiryYear';
const offsetOf = ({ selector }: PlacedPart) => selector.substring?.[0] ?? 0;
const lengthOf = ({ selector }: PlacedPart) => selector.substring?.[1] ?? 0;
const endOf = (part: PlacedPart) => offsetOf(part) + lengthOf(part);

function substringOf(text: string, { substring }: PartSelector): string {
	if (substring === undefined) return text;
	const [offset, length] = substring;
	return Array.from(text)
		.slice(offset, offset + length)
		.join('');
}

function tooShort({ part, selector }: PlacedPart) {
	const [offset, length] = selector.substring ?? [0, 0];
	return refusal(
		`the text selected for ${part} is too short: characters ${offset} to ${offset + length} were expected, ` +
			'and the selectors do not cover the whole text',
	);
}
