// Decides what the tags and texts of a markup file mean: which elements are cards, and where their fields are.

import { isTextAt } from '../../../src/base/card/ascii.ts';
import { countLineEnds } from '../../../src/base/text/line-ends.ts';
import { FileError, type Findings } from '../../../src/engine/format.ts';
import { FIELD, type HeldCard } from '../held-card.ts';
import { HeldCards, MAX_LEAD_BYTES, outgrown, WEIGHT } from '../held-cards.ts';
import type { HeldValue } from '../held-value.ts';
import { NameNotices } from '../name-notices.ts';
import { nameText } from '../shown-name.ts';
import { MAX_MARKUP_DEPTH, type MarkupTag, OpenElements } from './elements.ts';
import { OpenField } from './field.ts';
import { endsWith, isWithin, type MarkupPath, type MarkupSelectors } from './selectors.ts';

/**
 * A card without an element of its own extends at most this far after its first field, because its parent may be the
 * root of a file of any size. The limit is well below `MAX_HELD_BYTES`, so that the card ends between two tags and
 * never inside a value.
 */
const MAX_LOOSE_BYTES = 32_768;

const SIGNATURE_NOTICE = 'The file holds an XML signature, which does not hold until the numbers are back';
/**
 * Card elements are held from their start tag to their end tag, because fields come in any order. A card without a
 * container is held from its first field on. It ends when its parent closes, when a field occurs that it already has,
 * or after `MAX_LOOSE_BYTES`; without a number it ends after `MAX_LEAD_BYTES`.
 */
export class MarkupCards {
	readonly elements = new OpenElements();
	readonly held: HeldCards;
	readonly #notices = new NameNotices('element', nameText);
	readonly #selectors: MarkupSelectors;
	/** The card of the path that was found last. */
	#card!: HeldCard;
	readonly #fields: OpenField[] = Array.from({ length: MAX_MARKUP_DEPTH + 2 }, () => new OpenField());

	constructor(selectors: MarkupSelectors) {
		this.#selectors = selectors;
		this.held = new HeldCards(selectors.reading, this.#notices);
	}

	open(bytes: Buffer, tag: MarkupTag, found: Findings): void {
		const { elements } = this;
		if (this.held.count > 0) this.#endLooseCards(bytes, tag.start, found);
		if (elements.depth > 0) this.#fields[elements.depth].hasChild = true;
		let code = this.#selectors.elementNames.find(bytes, tag.localStart, tag.nameEnd);
		const { nameStart, nameEnd, attributes } = tag;
		if (isSignedInfo(bytes, tag.localStart, nameEnd)) found.notice(SIGNATURE_NOTICE);
		if (this.#selectors.isPair?.(code)) code = pairCode(this.#selectors, bytes, tag);
		elements.push(bytes, nameStart, nameEnd, code);
		if (code !== 0) {
			for (const path of this.#selectors.containers[code] ?? []) {
				if (endsWith(elements, path)) this.#hold(path, tag, found);
			}
			const path = this.#match(this.#selectors.elementFields[code], bytes, tag, true, found);
			if (path !== undefined) this.#fields[elements.depth].begin(path.field, this.#card, path, tag);
		}
		if (this.held.count > 0) this.#openUnknown(tag, code);
		for (let i = 0; i < attributes.length; i++) this.#attribute(bytes, tag, attributes.items[i], found);
	}

	#hold(path: MarkupPath, { start, startLine }: MarkupTag, found: Findings): HeldCard {
		const card = this.held.open(start, startLine, found);
		card.depth = path.isWithoutContainer ? this.#parentDepth(path) : this.elements.depth;
		card.depthAtStart = this.elements.depth - 1;
		card.selector = path.selector;
		card.isCard = !path.isWithoutContainer;
		if (card.isCard) card.record = ++this.held.records;
		return card;
	}

	/** Returns the first of the paths that leads to this place and belongs to a card, and sets `#card` to that card. */
	#match(
		paths: readonly MarkupPath[] = [],
		bytes: Buffer,
		tag: MarkupTag,
		isElement: boolean,
		found: Findings,
	): MarkupPath | undefined {
		for (const path of paths) {
			if (!endsWith(this.elements, path)) continue;
			let card = this.#findCard(path);
			// One parent may hold the fields of several cards directly, without an element for each card. Then the element of
			// a field that the card already has begins the next card.
			const isLoose = path.isWithoutContainer;
			if (card !== undefined && isElement && isLoose && isThere(card, path) && !this.#isWrapped(card, path)) {
				this.#release(bytes, card, found);
				card = undefined;
			}
			if (isLoose) card ??= this.#hold(path, tag, found);
			if (card === undefined) continue;
			if (path.gate === WEIGHT.NONE || path.field !== FIELD.NUMBER) card.see(path.field, path.isSure);
			if (path.field === FIELD.NUMBER && !path.isWord && path.gate === WEIGHT.NONE) this.held.hasCardPlace = true;
			this.#card = card;
			return path;
		}
		return undefined;
	}

	/** Tells whether the element is inside the element of the same field, as in `<CardNumber><PlainText>`. */
	#isWrapped(card: HeldCard, path: MarkupPath): boolean {
		const outer = this.#fields[this.elements.depth - 1];
		return path.steps.length > 1 && outer.field === path.field && outer.card === card;
	}

	/** Handles an element inside a card, or inside a number or CVV element, whose name means no field there. */
	#openUnknown(tag: MarkupTag, code: number): void {
		const { depth } = this.elements;
		const [outer, field] = [this.#fields[depth - 1], this.#fields[depth]];
		if (field.field !== FIELD.NONE) return;
		const owner = outer.isValue ? outer : outer.field === FIELD.UNKNOWN ? outer.owner : null;
		const card = owner === null ? this.held.items[this.held.count - 1] : owner.card!;
		if (owner === null && (code !== 0 || !card.isCard || card.depth !== depth - 1)) return;
		field.begin(FIELD.UNKNOWN, card, null, tag);
		field.owner = owner;
	}

	#attribute(bytes: Buffer, tag: MarkupTag, value: HeldValue, found: Findings): void {
		const code = this.#selectors.attributeNames.find(bytes, value.nameStart, value.nameEnd);
		if (code === 0 ? this.held.count === 0 : isNamespace(bytes, value.nameStart)) return;
		while (value.start < value.end && bytes[value.start] <= 0x20) value.start++;
		while (value.end > value.start && bytes[value.end - 1] <= 0x20) value.end--;
		const { start, end } = value;
		value.line = tag.startLine;
		const own = this.#fields[this.elements.depth];
		const path = code === 0 ? undefined : this.#match(this.#selectors.attributeFields[code], bytes, tag, false, found);
		if (path !== undefined) {
			if (start === end) return;
			if (path.field === FIELD.NUMBER && tag.line !== value.line) value.line += countLineEnds(bytes, tag.start, start);
			if (own.isValue) this.#noteInner(own, path, bytes, value, found);
			this.held.note(this.#card, path, value, bytes, found);
			return;
		}
		if (own.isValue && start < end) this.#noteInner(own, null, bytes, value, found);
		if (code !== 0) return;
		const card = this.held.items[this.held.count - 1];
		if (card.isCard && card.depth === this.elements.depth) this.held.suspect(card, bytes, value);
	}

	/** Returns the depth of the element around a path's first step; if that step is the root, that of the root. */
	#parentDepth(path: MarkupPath): number {
		return Math.max(1, this.elements.depth - path.steps.length);
	}

	/** Returns the card to which a path's field belongs: that of the nearest container or, without one, of the parent. */
	#findCard(path: MarkupPath): HeldCard | undefined {
		const parentDepth = path.isWithoutContainer ? this.#parentDepth(path) : 0;
		for (let i = this.held.count - 1; i >= 0; i--) {
			const card = this.held.items[i];
			if (card.selector !== path.selector) continue;
			if (path.isWithoutContainer ? card.depth === parentDepth : isWithin(this.elements, path, card)) return card;
			if (!path.isWithoutContainer) return undefined;
		}
		return undefined;
	}

	/** Returns the field to which the text of the innermost element belongs, or null if it belongs to none. */
	textField(): OpenField | null {
		const field = this.#fields[this.elements.depth];
		return field.field === FIELD.NONE ? null : field;
	}

	close(bytes: Buffer, found: Findings): void {
		const { depth } = this.elements;
		const field = this.#fields[depth];
		if (field.field !== FIELD.NONE) this.#closeField(bytes, field, found);
		for (let i = this.held.count - 1; i >= 0; i--) {
			const card = this.held.items[i];
			if (card.depth !== depth) {
				// This card has no container, so it ends only when the parent of its fields closes. The element that
				// closes now may still end cards that began earlier.
				if (this.#selectors.isWithoutContainer[card.selector]) continue;
				break;
			}
			this.held.settle(card, bytes, found);
			this.held.remove(i);
		}
		this.elements.depth--;
	}

	#closeField(bytes: Buffer, open: OpenField, found: Findings): void {
		const { card, path, hasChild, owner, isValue } = open;
		open.field = FIELD.NONE;
		const hasText = open.finish();
		if (card === null) return;
		if (!hasText) {
			if (path !== null && isValue) this.#takeInner(open, card, path, bytes, found);
			return;
		}
		const outer = this.#fields[this.elements.depth - 1];
		if (path === null) {
			if (owner !== null && owner !== outer) owner.inner.addDeeper(bytes, open);
			else if (owner !== null) owner.addInner(bytes, open, !hasChild, found);
			else if (!hasChild) this.held.suspect(card, bytes, open);
			return;
		}
		if (hasChild) {
			if (!isValue) return;
			const name = this.elements.nameAt(this.elements.depth);
			throw new FileError(
				`the element ${name} holds both text and elements; expected a value`,
				{ offset: open.start, line: open.line, record: card.record, field: name },
				{ code: 'record-malformed' },
			);
		}
		if (outer.isValue) this.#noteInner(outer, path, bytes, open, found);
		// If an element inside the field's element holds the value, notices name the field's element and not the inner one.
		if (this.#isWrapped(card, path)) open.callAs(outer);
		this.held.note(card, path, open, bytes, found);
	}

	/** Takes the only value in an attribute or child element for that of the field, or tells what was not read. */
	#takeInner(open: OpenField, card: HeldCard, path: MarkupPath, bytes: Buffer, found: Findings): void {
		const { inner, foundBefore } = open;
		const isCvv = path.field === FIELD.CVV;
		const isSole = inner.isSole(bytes, isCvv) && foundBefore === found.length;
		if (isSole && (isCvv || this.held.weigh(bytes, inner.last) !== WEIGHT.NONE)) {
			this.held.note(card, path, inner.last.callAs(open), bytes, found);
		} else if (!inner.isRead) inner.tellUnread(isCvv, bytes, open, this.#notices, found);
	}

	/** Notes a value of the field of `path` inside the number or CVV element `outer`. */
	#noteInner(outer: OpenField, path: MarkupPath | null, bytes: Buffer, value: HeldValue, found: Findings): void {
		const isUnknown = path === null || (path.isWord && outer.field === FIELD.CVV);
		if (path?.field === outer.field && !path.isWord) outer.inner.isRead = true;
		else outer.addInner(bytes, value, isUnknown, found);
	}

	/** Completes cards without a container that began too many bytes ago. This happens only between tags. */
	#endLooseCards(bytes: Buffer, at: number, found: Findings): void {
		for (;;) {
			const card = this.held.items[0];
			if (this.held.count === 0) return;
			if (at - card.start <= (card.numberCount > 0 ? MAX_LOOSE_BYTES : MAX_LEAD_BYTES)) return;
			if (!this.#selectors.isWithoutContainer[card.selector] || this.#hasOpenField(card)) return;
			this.#release(bytes, card, found);
		}
	}

	#hasOpenField(card: HeldCard): boolean {
		for (let depth = 1; depth <= this.elements.depth; depth++) {
			if (this.#fields[depth].field !== FIELD.NONE && this.#fields[depth].card === card) return true;
		}
		return false;
	}

	#release(bytes: Buffer, card: HeldCard, found: Findings): void {
		for (let depth = 1; depth <= this.elements.depth; depth++) {
			if (this.#fields[depth].card === card) this.#fields[depth].field = FIELD.NONE;
		}
		this.held.settle(card, bytes, found);
		this.held.remove(this.held.items.indexOf(card));
	}

	/** Completes the outermost card, which is too long. @throws FileError if it has a container or an open field */
	dropOutgrown(bytes: Buffer, found: Findings): void {
		const card = this.held.items[0];
		const name = this.elements.nameAt(card.depth);
		const isLoose = this.#selectors.isWithoutContainer[card.selector];
		if (!isLoose || this.#hasOpenField(card)) throw outgrown(card, `the element ${name}`, name);
		this.#release(bytes, card, found);
	}

	/** Goes back to where the outermost open card begins, which is read again with the next window. */
	rollBack(found: Findings): HeldCard {
		const card = this.held.rollBack(found);
		for (let depth = card.depthAtStart + 1; depth <= this.elements.depth; depth++) {
			this.#fields[depth].field = FIELD.NONE;
		}
		this.elements.depth = card.depthAtStart;
		return card;
	}
}

/** Tells whether the card already has the field of a path, so that a second such field begins the next card. */
function isThere(card: HeldCard, path: MarkupPath): boolean {
	// A word such as `number` is regarded as present once its value may be a card number or was one before it was masked,
	// and only until a clearer name has given the card its number.
	if (path.isWord && path.field === FIELD.NUMBER) {
		return (card.candidates.length > 0 || card.hasMaskedWord) && card.numberCount === 0;
	}
	return (card.seen & (1 << path.field)) !== 0;
}

const XMLNS = Buffer.from('xmlns:');
const SIGNED_INFO = Buffer.from('SignedInfo');

/** Tells whether a local name is that of the element that every XML signature has. */
function isSignedInfo(bytes: Buffer, start: number, end: number): boolean {
	return end - start === SIGNED_INFO.length && isTextAt(bytes, start, SIGNED_INFO);
}

/** Tells whether the local name at `at` is a prefix that its tag declares: `xmlns:card`. */
function isNamespace(bytes: Buffer, at: number): boolean {
	return isTextAt(bytes, at - XMLNS.length, XMLNS);
}

/**
 * Returns the meaning of an element whose name is given by an attribute, or 0 for none: `<Field
 * Name="CVC">123</Field>`. From then on notices call the element by that name.
 */
function pairCode(selectors: MarkupSelectors, bytes: Buffer, tag: MarkupTag): number {
	const { attributeNames, elementNames } = selectors;
	for (const { nameStart, nameEnd, start, end } of tag.attributes.items.slice(0, tag.attributes.length)) {
		if (!selectors.isPairName?.(attributeNames.find(bytes, nameStart, nameEnd))) continue;
		const code = elementNames.find(bytes, start, end);
		if (code === 0) continue;
		tag.nameStart = start;
		tag.nameEnd = end;
		return code;
	}
	return 0;
}
